import pytest
from simulate.effects.rows_applied import applied, most

from fiche.simulate.effects._grouped import strides_of, table_bytes

pytestmark = pytest.mark.torch


def program(dtype, width):
    """Eight experts that take 64 values of 1024 rows each to `width`."""

    def run(rec=None):
        import contextlib

        import torch

        told = {"device": "cuda", "dtype": getattr(torch, dtype)}
        rows = torch.empty(1024, 64, **told)
        experts = torch.empty(8, width, 64, **told).transpose(1, 2)
        ends = torch.empty(8, device="cuda", dtype=torch.int32)
        with rec.phase("forward") if rec else contextlib.nullcontext():
            return torch._grouped_mm(rows, experts, offs=ends)

    return run


def test_rows_begin_at_multiples_of_16_bytes():
    assert strides_of((1024, 100), 2) == (104, 1)
    assert strides_of((8, 3, 5), 4) == (24, 8, 1)


def test_what_one_kernel_is_told():
    # Of each group 3 x 8 + 12 bytes, and 3 x 8 of pointers for an even number of groups.
    assert table_bytes(8) == 8 * 36 + 8 * 24
    assert table_bytes(7) == 7 * 36 + 8 * 24


@pytest.mark.parametrize(("dtype", "item"), [("float32", 4), ("float16", 2), ("bfloat16", 2)])
def test_one_product_after_another_needs_the_workspace_of_cublas(dtype, item):
    rows = applied(program(dtype, 256))
    assert rows["grouped_products"] == (1, 0)
    assert rows["cublas_workspace"] == (1, 8_519_680)
    assert most(program(dtype, 256)) == 1024 * 256 * item + 8_519_680


def test_one_kernel_on_hopper_takes_a_table_while_it_runs():
    assert "cublas_workspace" not in applied(program("bfloat16", 256), (9, 0))
    assert most(program("bfloat16", 256), (9, 0)) == 1024 * 256 * 2 + 512
    assert "cublas_workspace" in applied(program("float16", 256), (9, 0))


def test_padded_rows_take_their_padding():
    # 100 values of 2 bytes take 208; the last row ends where its values do.
    assert most(program("bfloat16", 100), (9, 0)) == (1024 * 208 - 8 + 511) // 512 * 512 + 512


def test_its_gradients_are_grouped_products_too():
    def learned():
        import torch

        rows = torch.empty(1024, 64, device="cuda", requires_grad=True)
        experts = torch.empty(8, 64, 256, device="cuda", requires_grad=True)
        ends = torch.empty(8, device="cuda", dtype=torch.int32)
        torch._grouped_mm(rows, experts, offs=ends).sum().backward()
        assert experts.grad.shape == experts.shape

    assert applied(learned)["grouped_products"][0] == 3
