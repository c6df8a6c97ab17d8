"""Autocast of CUDA, by its lists; what it keeps; and that nothing of it is left behind."""

import pytest

pytestmark = pytest.mark.torch

CASTS = {
    "linear": "bfloat16",
    "matmul": "bfloat16",
    "einsum": "bfloat16",
    "attention": "bfloat16",
    "exp of bf16": "float32",
    "layer_norm": "float32",
    "softmax of bf16": "float32",
    "softmax told": "bfloat16",
    "sum of bf16": "float32",
    "norm of bf16": "float32",
    "add": "float32",
    "relu of bf16": "bfloat16",
    "fp64": "float64",
    "within, off": "float32",
    "after": "float32",
}


def run(program, **options):
    from fiche.simulate.simulated import run

    return run(program, **options)


def results(torch):
    """Formats of results, as CASTS has them; inputs are fp32 unless said."""
    functional = torch.nn.functional
    x = torch.empty(1, 4, 8, 8, device="cuda")
    half, weight = x.bfloat16(), torch.empty(8, 8, device="cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        found = {
            "linear": functional.linear(x, weight),
            "matmul": x @ weight,
            "einsum": torch.einsum("bhij,jk->bhik", x, weight),
            "attention": functional.scaled_dot_product_attention(x, x, x),
            "exp of bf16": torch.exp(half),
            "layer_norm": functional.layer_norm(half, (8,)),
            "softmax of bf16": functional.softmax(half, -1),
            "softmax told": functional.softmax(half, -1, dtype=torch.bfloat16),
            "sum of bf16": half.sum(),
            "norm of bf16": torch.norm(half),
            "add": half + x,
            "relu of bf16": torch.relu(half),
            "fp64": x.double() @ weight.double(),
        }
        with torch.autocast("cuda", enabled=False):
            found["within, off"] = x @ weight
    found["after"] = x @ weight
    return {name: str(made.dtype).removeprefix("torch.") for name, made in found.items()}


def test_results_are_in_the_formats_of_the_lists():
    seen = {}

    def program(rec):
        import torch

        seen.update(results(torch))

    run(program)
    assert seen == CASTS


def test_a_composite_casts_inside_itself():
    """Cross-entropy of bf16: its log-softmax is told bf16, and its loss is in fp32, as CUDA has them."""
    seen = []

    def program(rec):
        import torch

        logits = torch.empty(4, 8, device="cuda", dtype=torch.bfloat16)
        target = torch.zeros(4, dtype=torch.long, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16):
            seen.append(torch.nn.functional.cross_entropy(logits, target).dtype == torch.float32)
            with pytest.raises(RuntimeError, match="unsafe to autocast"):
                torch.nn.functional.binary_cross_entropy(logits, logits)

    run(program)
    assert seen == [True]


def weights_in_autocast(rec, cached=True):
    import torch

    layer = torch.nn.Linear(1024, 1024, bias=False, device="cuda")
    entries = torch.empty(1024, 1024, device="cuda", dtype=torch.bfloat16)
    layer(entries.float())  # cuBLAS has its workspace
    lower = torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=cached)
    with rec.phase("forward"), torch.no_grad(), lower:
        for _ in range(3):
            layer(entries)
    with rec.phase("inputs"):
        pass


def test_the_cast_of_a_weight_is_kept_until_the_context_is_left():
    """A copy of 2 MiB is kept beside one result of 2 MiB; without the cache each layer has its own, as long."""
    mib = 2**20
    for cached in (True, False):
        phases = {
            p.name: p for p in run(lambda rec, c=cached: weights_in_autocast(rec, c)).phases()
        }
        assert phases["forward"].peak_bytes - phases["forward"].start_bytes == 4 * mib
        assert phases["forward"].end_bytes == phases["forward"].start_bytes
        casts = sum(
            group.count for group in phases["forward"].groups if "_to_copy" in group.origin.operator
        )
        assert casts == 1


def casts_of(program):
    """How many casts a program makes."""
    simulation = run(program)
    return sum("_to_copy" in each.operator for each in simulation.entries.origins)


def test_a_weight_is_cast_once_and_an_input_each_time():
    def program(rec, learns=True):
        import torch

        weight = torch.empty(8, 8, device="cuda", requires_grad=learns)
        entries = torch.empty(8, 8, device="cuda")
        with torch.autocast("cuda", dtype=torch.bfloat16):
            for _ in range(3):
                entries @ weight

    assert casts_of(program) == 1 + 3
    assert casts_of(lambda rec: program(rec, learns=False)) == 3 + 3


def test_saved_inputs_are_cast_ones():
    """The backward pass of a product under autocast reads bf16, and its gradient is in fp32."""
    seen = []

    def program(rec):
        import torch

        weight = torch.empty(8, 8, device="cuda", requires_grad=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            made = torch.empty(4, 8, device="cuda") @ weight
        made.sum().backward()
        seen.append((made.dtype == torch.bfloat16, weight.grad.dtype == torch.float32))

    run(program)
    assert seen == [(True, True)]


def test_nothing_is_left_behind():
    import torch

    before = torch.set_autocast_enabled, torch.clear_autocast_cache

    def program(rec):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            raise KeyError("within")

    with pytest.raises(KeyError):
        run(program)
    assert (torch.set_autocast_enabled, torch.clear_autocast_cache) == before
    assert not torch.is_autocast_enabled("cuda")
    assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
