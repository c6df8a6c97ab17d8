"""Stand-ins for bitsandbytes: what its matrices and its 8-bit optimizer hold, and what a product keeps."""

import pytest

pytestmark = pytest.mark.torch


def matrix(sort, inner=256, outer=128, **given):
    """A packed matrix, made of one in bf16."""
    import torch

    from fiche.simulate import packed

    module = torch.nn.Linear(inner, outer, bias=False, dtype=torch.bfloat16)
    return getattr(packed, sort)(module, "cpu", **given)


def held(module):
    return sum(each.numel() * each.element_size() for each in module.parameters())


@pytest.mark.parametrize(
    ("sort", "given", "num_bytes"),
    [
        # Half a byte a value, 4 bytes each 64, a table of 16: 4.5 bits a value (bitsandbytes, block 64).
        ("Linear4bit", {"kind": "nf4", "double": False}, 32768 // 2 + 512 * 4 + 16 * 4),
        # Scales of a byte, 4 bytes each 256 of them, and their mean: 4.127 bits a value.
        ("Linear4bit", {"kind": "nf4", "double": True}, 32768 // 2 + 512 + 2 * 4 + 4 + 16 * 4),
        ("Linear8bitLt", {}, 32768 + 128 * 4),
    ],
)
def test_a_packed_matrix_holds_what_its_library_documents(sort, given, num_bytes):
    """B4: scales and tables count; nothing of them is learned."""
    module = matrix(sort, **given)
    assert held(module) == num_bytes
    assert not any(each.requires_grad for each in module.parameters())


@pytest.mark.parametrize(
    ("sort", "given", "kept"),
    [
        ("Linear4bit", {"kind": "fp4", "double": False}, []),
        ("Linear4bit", {"kind": "fp4", "double": True}, []),
        ("Linear8bitLt", {}, [(6, 256)]),
    ],
)
def test_a_product_has_its_shapes_and_keeps_only_what_the_library_keeps(sort, given, kept):
    import torch

    module, saved = matrix(sort, **given), []
    x = torch.randn(2, 3, 256, dtype=torch.bfloat16, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda each: saved.append(tuple(each.shape)) or each, lambda each: each
    ):
        out = module(x)
    assert (tuple(out.shape), out.dtype, saved) == ((2, 3, 128), torch.bfloat16, kept)
    out.sum().backward()
    assert x.grad.shape == x.shape


def test_a_single_row_meets_the_matrix_as_it_is():
    """A step of decoding unpacks nothing."""
    import torch

    module = matrix("Linear4bit", kind="nf4", double=False)
    module.whole = None  # would be called
    with torch.no_grad():
        assert module(torch.randn(1, 1, 256)).shape == (1, 1, 128)


def test_the_optimizer_keeps_two_bytes_a_value_and_scales():
    import torch

    from fiche.simulate.packed import AdamW8bit

    large, small = (torch.nn.Parameter(torch.ones(n)) for n in (8192, 100))
    optimizer = AdamW8bit([large, small], lr=1e-3)
    (large.sum() + small.sum()).backward()
    assert not optimizer.state
    optimizer.step()
    states = {p: optimizer.state[p].values() for p in (large, small)}
    sums = [sum(e.numel() * e.element_size() for e in states[p]) for p in (large, small)]
    assert sums == [2 * 8192 + 2 * 32 * 4, 2 * 100 * 4]
