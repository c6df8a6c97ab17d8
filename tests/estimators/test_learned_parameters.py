"""Adapters count beside the base model, and never instead of it (B6)."""

from workloads import workload

from fiche.estimators.learned_parameters import MEMBER
from fiche.kernel.trace import conditions

QLORA = {"operation": "adaptation", "method__kind": "qlora"}


def test_adapters_have_their_own_format():
    told = {**QLORA, "method__trainable_parameters": 1000, "formats__learned": "fp32"}
    (node,) = MEMBER.estimate(workload(**told), None)
    assert (node.id, node.low) == ("learned_parameters", 4000)


def test_their_count_and_format_are_asked():
    (node,) = MEMBER.estimate(workload(**QLORA), None)
    assert [c.topic for c in conditions(node)] == ["trained_parameters", "learned_format"]


def test_a_full_fine_tune_and_a_training_add_none():
    """There the weights themselves are learned, and are counted already."""
    assert MEMBER.applies(workload(**QLORA))
    assert not MEMBER.applies(workload(operation="adaptation", method__kind="full"))
    assert not MEMBER.applies(workload(operation="training"))
    assert not MEMBER.applies(workload(operation="generation"))
