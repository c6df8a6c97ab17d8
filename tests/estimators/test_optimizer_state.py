"""Optimizer states: no name of an optimizer stands for a constant (B6)."""

import pytest
from workloads import workload

from fiche.estimators.optimizer_state import MEMBER
from fiche.kernel.trace import conditions, formula

ADAMW = {
    "operation": "training",
    "optimizer__name": "adamw",
    "optimizer__states_per_parameter": 2,
    "formats__optimizer_state": "fp32",
    "method__trainable_parameters": 1000,
}


def states(**told):
    (node,) = MEMBER.estimate(workload(**told), None)
    return node


def test_two_states_of_four_bytes_for_each_learned_parameter():
    node = states(**ADAMW)
    assert (node.id, node.low, node.high) == ("optimizer_state", 8000, 8000)
    assert "optimizer.states_per_parameter" in formula(node)


@pytest.mark.parametrize(
    ("missing", "topic"),
    [
        ("optimizer__states_per_parameter", "optimizer_states"),
        ("formats__optimizer_state", "optimizer_format"),
        ("method__trainable_parameters", "trained_parameters"),
    ],
)
def test_each_missing_part_is_asked(missing, topic):
    node = states(**{key: value for key, value in ADAMW.items() if key != missing})
    assert node.high is None
    assert [condition.topic for condition in conditions(node)] == [topic]


def test_a_master_copy_is_named_as_left_out():
    assert "a master copy of the weights" in states(**ADAMW).left_out


def test_only_where_something_is_learned():
    assert not MEMBER.applies(workload(operation="generation"))
    assert MEMBER.applies(workload(operation="adaptation"))
