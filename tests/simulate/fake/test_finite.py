"""A loop that stops where its loss is not finite goes on, and the answer says why."""

import pytest

pytestmark = pytest.mark.torch


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def test_a_loss_is_taken_to_be_finite_and_that_is_said():
    seen = []

    def program(rec):
        import torch

        loss = torch.randn(8, device="cuda").mean()
        if not torch.isfinite(loss):
            raise RuntimeError("diverged")
        seen.append(bool(torch.isnan(loss) or loss.isinf()))

    simulation = run(program)
    assert seen == [False]
    assert {"asked": "whether numbers are finite", "told": "they are", "by": "assumed"} in (
        simulation.answers
    )


def test_known_values_are_looked_at():
    def program(rec):
        import torch

        known = torch.tensor([1.0, float("inf")], device="cuda")
        assert torch.isinf(known).tolist() == [False, True]

    assert run(program).answers == ()
