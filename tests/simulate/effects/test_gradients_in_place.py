"""What the engine holds alone it adds to; what anything else holds stays as it is."""

import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch

MIB = 2**20


def backward(function):
    def run(rec):
        import torch

        entries = torch.empty(1024, 1024, device="cuda", requires_grad=True)
        made = function(torch, entries)
        gradient = torch.empty_like(made)
        with rec.phase("backward"):
            made.backward(gradient)

    return run


def test_a_second_gradient_is_added_to_the_first():
    """Two products of the same input: both gradients are alive, and the sum is in one of them."""
    assert most(backward(lambda torch, x: x * 2.0 + x * 3.0)) == 8 * MIB


def test_a_gradient_that_two_share_is_not_changed():
    """The first gradient to arrive is the caller's own: beside it are the second one and the sum."""
    assert most(backward(lambda torch, x: x + x * 2.0)) == 8 * MIB


def test_a_gradient_seen_through_a_view_is_not_changed():
    """A product turned twice is seen through views, which hold what they see: a third, for the sum."""
    turned = most(backward(lambda torch, x: x * 3.0 + (x.t() * 2.0).t()))
    assert turned == 12 * MIB


def test_parts_are_put_into_zeros_that_nobody_else_has():
    """A gradient of 4 MiB is made of zeros and stays the only one."""

    def picked(torch, entries):
        return entries.gather(1, torch.zeros(1024, 1, dtype=torch.long, device="cuda"))

    assert most(backward(picked)) == 4 * MIB


def test_a_function_of_the_program_makes_results_of_its_own():
    def program():
        import torch

        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2.0

            @staticmethod
            def backward(ctx, gradient):
                return gradient * 1.0 + gradient * 1.0

        Twice.apply(torch.empty(8, device="cuda", requires_grad=True)).sum().backward()

    assert "gradients_in_place" not in applied(program)


def test_a_forward_pass_adds_as_it_is_written():
    def program():
        import torch

        entries = torch.empty(8, device="cuda")
        return entries * 2.0 + entries * 3.0

    assert "gradients_in_place" not in applied(program)


def test_a_weight_that_embeds_and_ends_gets_its_gradients_added_in_a_third():
    """The gradient of a linear layer is a view, and its base is held: the engine adds out of place."""

    def run(rec):
        import torch

        embedding = torch.nn.Embedding(4096, 1024, device="cuda")
        last = torch.nn.Linear(1024, 4096, bias=False, device="cuda")
        last.weight = embedding.weight
        ids = torch.zeros(1, 8, dtype=torch.long, device="cuda")
        loss = last(torch.sin(embedding(ids))).sum()
        with rec.phase("backward"):
            loss.backward()

    # What the forward pass kept, some 0.2 MB, goes and comes by then.
    matrix, workspace = 4096 * 1024 * 4, 8_519_680
    assert most(run) == pytest.approx(3 * matrix + workspace, abs=200_000)
    assert "gradients_in_place" not in applied(lambda: run(_Quiet()))


class _Quiet:
    """A recorder that records nothing."""

    def phase(self, name):
        import contextlib

        return contextlib.nullcontext()
