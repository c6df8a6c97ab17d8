"""Workspace: in no formula, so a question, unless the reserve names it (B6, B7)."""

from workloads import case, reserve, workload

from fiche.estimators.workspace import MEMBER
from fiche.kernel.unit import BYTE


def test_no_formula_gives_it():
    """B6: no universal constant, no hidden multiplier."""
    where = case() if MEMBER.per_case else None
    (node,) = MEMBER.estimate(workload(operation="training", model__parameters=7), where)
    assert (node.id, node.low, node.high, node.unit) == ("limit.workspace", 0, None, BYTE)
    assert node.condition.topic == "need"
    assert node.condition.text.startswith("measure ")


def test_an_item_of_the_reserve_stands_for_it():
    """B7: the reserve is decomposed into named items; none is counted twice."""
    named = workload(operation="training", reserve=[reserve("workspace", 2**30)])
    other = workload(operation="training", reserve=[reserve("cuda-context", 2**30)])
    assert MEMBER.estimate(named, None) == ()
    assert len(MEMBER.estimate(other, None)) == 1


def test_it_may_not_count_in_a_floor():
    assert not MEMBER.resident


def test_every_load_has_some():
    """B8: contexts, library workspaces and scratch exist whatever the operation."""
    assert MEMBER.applies(workload())
    assert MEMBER.applies(workload(operation="generation"))
