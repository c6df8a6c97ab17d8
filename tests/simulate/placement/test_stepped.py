"""Which parameters a flat partition touches."""

from types import SimpleNamespace

from fiche.simulate.placement.stepped import Stepped, shares


def test_a_parameter_that_crosses_a_border_is_with_both_ranks():
    assert shares([6, 6, 4], partition=8, ranks=2) == [[0, 1], [1, 2]]


def test_a_parameter_larger_than_a_partition_is_with_all_it_reaches():
    assert shares([2, 20, 2], partition=6, ranks=4) == [[0, 1], [1], [1], [1, 2]]


def test_a_parameter_that_ends_at_a_border_is_with_one():
    assert shares([4, 4], partition=4, ranks=2) == [[0], [1]]


def test_padding_belongs_to_nobody():
    assert shares([3], partition=2, ranks=4) == [[0], [0], [], []]


def test_a_step_is_the_software_s_and_all_else_the_optimizer_s():
    steps = []
    learned = [SimpleNamespace(grad=1)]
    within = SimpleNamespace(param_groups=["groups"])
    stepped = Stepped(within, lambda: steps.append("one"), learned)
    stepped.step()
    stepped.zero_grad(set_to_none=False)
    assert steps == ["one"]
    assert stepped.param_groups == ["groups"]
    assert learned[0].grad is None
