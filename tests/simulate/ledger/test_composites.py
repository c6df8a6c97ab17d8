import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch


def program(mode, dtype="bfloat16", autocast=False):
    """What a pass without gradients does, in one of PyTorch's two modes for it."""

    def run(rec=None):
        import contextlib

        import torch

        functional = torch.nn.functional
        told = {"device": "cuda", "dtype": getattr(torch, dtype)}
        entries = torch.empty(512, 256, **told)
        heads = torch.empty(1, 8, 1024, 64, **told)
        layer = torch.nn.Linear(256, 1024, **told)
        targets = torch.zeros(512, dtype=torch.long, device="cuda")
        with (
            rec.phase("forward") if rec else contextlib.nullcontext(),
            getattr(torch, mode)(),
            torch.autocast("cuda", torch.bfloat16, enabled=autocast),
        ):
            made = layer(functional.rms_norm(entries, (256,)))
            seen = functional.scaled_dot_product_attention(heads, heads, heads, is_causal=True)
            loss = functional.cross_entropy(made, targets)
            again = torch.einsum("ab,cb->ac", entries, functional.silu(entries))
            return seen, again, float(loss)

    return run


@pytest.mark.parametrize(("dtype", "autocast"), [("bfloat16", False), ("float32", True)])
def test_inference_mode_is_seen_as_no_grad_is(dtype, autocast):
    told = {"dtype": dtype, "autocast": autocast}
    assert most(program("inference_mode", **told)) == most(program("no_grad", **told))
    assert applied(program("inference_mode", **told)) == applied(program("no_grad", **told))


def test_a_linear_layer_takes_its_result_and_the_workspace():
    def run(rec):
        import torch

        layer = torch.nn.Linear(256, 1024, device="cuda", dtype=torch.bfloat16)
        entries = torch.empty(512, 256, device="cuda", dtype=torch.bfloat16)
        with rec.phase("forward"), torch.inference_mode():
            return layer(entries)

    assert most(run) == 512 * 1024 * 2 + 8_519_680


def test_on_the_host_nothing_is_entered():
    def run(rec):
        import torch

        entries = torch.empty(512, 256)
        with rec.phase("forward"), torch.inference_mode():
            torch.nn.functional.scaled_dot_product_attention(entries, entries, entries)
            return torch.nn.functional.cross_entropy(entries, torch.zeros(512).long())

    assert most(run) == 0


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_rows_out_of_order_are_copied_for_weights_that_learn(mode):
    def run(rec):
        import torch

        layer = torch.nn.Linear(128, 36, bias=False, device="cuda")
        entries = torch.empty(2, 128, 512, device="cuda").transpose(1, 2)
        with rec.phase("forward"), getattr(torch, mode)():
            return layer(entries)

    assert most(run) == 1024 * 128 * 4 + 1024 * 36 * 4 + 8_519_680
