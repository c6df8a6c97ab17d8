import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch


def program(dtype, function):
    def run(rec):
        import torch

        entries = torch.empty(1024, 1024, device="cuda", dtype=getattr(torch, dtype))
        with rec.phase("forward"):
            return getattr(torch.nn.functional, function)(entries, -1, dtype=torch.float32)

    return run


@pytest.mark.parametrize("function", ["softmax", "log_softmax"])
def test_fp16_is_read_as_it_is_and_bf16_is_copied(function):
    assert most(program("float16", function)) == 4 * 2**20
    assert most(program("bfloat16", function)) == 8 * 2**20


def test_its_gradient_is_in_fp16():
    seen = []

    def run():
        import torch

        entries = torch.empty(4, 8, device="cuda", dtype=torch.float16, requires_grad=True)
        torch.softmax(entries, -1, dtype=torch.float32).sum().backward()
        seen.append(entries.grad.dtype == torch.float16)

    assert applied(run)["half_softmax"] == (1, 0)
    assert seen == [True]
