"""Gradients: computed only where learned parameters and their format are stated (B6)."""

import pytest
from trained import LLAMA_PARAMETERS, llama, training
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


@pytest.mark.parametrize(
    ("told", "bytes_a_parameter"),
    [
        ({"formats__loaded": "bf16"}, 2),
        ({"formats__loaded": "fp32", "training__autocast": "bf16"}, 4),
        ({"formats__loaded": "bf16", "engine__name": "megatron"}, 4),
        ({"formats__loaded": "bf16", "formats__gradient": "fp32"}, 4),
        ({}, 2),  # the files say bf16
    ],
)
def test_gradients_follow_their_parameter_unless_stated(told, bytes_a_parameter):
    """Formula sheet 2.5: autograd's own format; fp32 beside 16 bits in Megatron."""
    (node,) = MEMBER.estimate(training(of=llama(), method__kind="full", **told), None)
    assert (node.low, node.high) == (bytes_a_parameter * LLAMA_PARAMETERS,) * 2


def test_they_are_alive_from_the_backward_pass_on():
    assert MEMBER.phases == ("first_step", "backward", "optimizer_step")
