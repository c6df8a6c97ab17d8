"""What a program's own Python does with tensors of the GPU that is not there."""

import copy

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


def test_a_deep_copy_takes_as_much_again_and_keeps_what_was_one():
    import torch

    from fiche.simulate.simulated import run

    seen = {}

    def program(rec):
        values = torch.zeros(MIB, dtype=torch.uint8, device="cuda")
        with rec.phase("copy"):
            one, other = copy.deepcopy([values, values])
            seen["device"], seen["shared"] = str(one.device), one is other

    found = run(program)
    (phase,) = found.phases()
    assert (phase.start_bytes, phase.peak_bytes) == (MIB, 2 * MIB)
    assert seen == {"device": "cuda:0", "shared": True}


def test_a_deep_copy_of_a_leaf_is_a_leaf_with_its_gradient():
    import torch

    from fiche.simulate.simulated import run

    seen = {}

    def program(rec):
        leaf = torch.zeros(4, device="cuda", requires_grad=True)
        leaf.sum().backward()
        copied = copy.deepcopy(leaf)
        seen["leaf"], seen["learns"] = copied.is_leaf, copied.requires_grad
        seen["gradient"] = copied.grad is not None and copied.grad is not leaf.grad

    run(program)
    assert seen == {"leaf": True, "learns": True, "gradient": True}
