"""Modules of fake tensors that are moved or converted, with what hangs on their parameters."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def test_gradients_go_along_with_the_parameters():
    """A gradient of 1 MiB beside a weight of 1 MiB, then half of each, then none on the device."""
    levels = []

    def program(rec):
        import torch

        layer = torch.nn.Linear(512, 512, bias=False, device="cuda")
        layer.weight.sum().backward()
        gradient = layer.weight.grad
        levels.append(rec.ledger.live_bytes[0])
        layer.half()
        levels.append(rec.ledger.live_bytes[0])
        assert layer.weight.grad is gradient
        assert gradient.dtype is torch.float16
        layer.cpu()
        levels.append(rec.ledger.live_bytes[0])
        layer.cuda().weight.sum().backward()
        levels.append(rec.ledger.live_bytes[0])

    run(program)
    assert levels == [2 * MIB, MIB, 0, MIB]


@pytest.mark.parametrize("moved", ["cuda", "half"])
def test_hooks_of_a_parameter_stay(moved):
    """An optimizer that steps within the backward pass is hung on parameters, often before they move."""
    called = []

    def program(rec):
        import torch

        layer = torch.nn.Linear(8, 8, device="cpu" if moved == "cuda" else "cuda")
        layer.weight.register_hook(lambda gradient: called.append("arrives"))
        layer.weight.register_post_accumulate_grad_hook(lambda weight: called.append("is there"))
        getattr(layer, moved)()
        layer.weight.sum().backward()

    run(program)
    assert called == ["arrives", "is there"]


def test_two_tensors_can_be_swapped():
    """As quantisers do; a parameter stays the object that it was, with the other's 1 MiB."""
    levels = []

    def program(rec):
        import torch

        layer = torch.nn.Linear(1024, 512, bias=False, device="cuda")
        weight, other = layer.weight, torch.nn.Parameter(torch.empty(512, 512, device="cuda"))
        levels.append(rec.ledger.live_bytes[0])
        torch.utils.swap_tensors(weight, other)
        del other
        levels.append(rec.ledger.live_bytes[0])
        assert layer.weight is weight
        assert tuple(weight.shape) == (512, 512)

    run(program)
    assert levels == [3 * MIB, MIB]
