"""Gradients: computed only where learned parameters and their format are stated (B6)."""

import pytest
from workloads import workload

from fiche.estimators.gradients import MEMBER
from fiche.kernel.trace import conditions

LORA = {"operation": "adaptation", "method__kind": "lora"}


def gradients(**told):
    (node,) = MEMBER.estimate(workload(**told), None)
    return node


def test_stated_counts_and_format_are_multiplied():
    node = gradients(**LORA, method__trainable_parameters=1000, formats__gradient="fp32")
    assert (node.id, node.low, node.high) == ("gradients", 4000, 4000)


def test_a_full_fine_tune_learns_all_parameters():
    node = gradients(
        operation="adaptation",
        method__kind="full",
        model__parameters=10,
        formats__gradient="bf16",
    )
    assert node.low == 20


@pytest.mark.parametrize(
    ("told", "topics"),
    [
        ({}, ["trained_parameters", "gradient_format"]),
        ({"method__trainable_parameters": 1000}, ["gradient_format"]),
        ({"formats__gradient": "fp32"}, ["trained_parameters"]),
        ({"model__parameters": 10, "formats__gradient": "fp32"}, ["trained_parameters"]),
    ],
)
def test_nothing_is_assumed_of_a_training(told, topics):
    """B6: choosing "training" adds questions, not a factor."""
    node = gradients(operation="training", **told)
    assert node.high is None
    assert [condition.topic for condition in conditions(node)] == topics


def test_they_may_not_count_in_a_floor():
    """An optimizer that steps inside backward frees them one by one."""
    assert not MEMBER.resident


def test_a_generation_has_none():
    assert not MEMBER.applies(workload(operation="generation"))
    assert MEMBER.applies(workload(operation="training"))
