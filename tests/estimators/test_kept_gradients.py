"""Gradients alive during forward and loss are worth one copy (formula sheet 2.5)."""

import pytest
from trained import LLAMA_PARAMETERS, llama, training
from workloads import case, workload

from fiche.estimators.kept_gradients import MEMBER

COPY = 2 * LLAMA_PARAMETERS


def kept(*, accumulation=None, **told):
    where = case(**({} if accumulation is None else {"accumulation": accumulation}))
    load = training(where, of=llama(), method__kind="full", formats__loaded="bf16", **told)
    (node,) = MEMBER.estimate(load, where)
    return node.low, node.high


@pytest.mark.parametrize(
    ("zero_grad", "accumulation", "expected"),
    [
        ("kept", 1, (COPY, COPY)),
        ("set_to_none", 1, (0, 0)),
        ("set_to_none", 8, (COPY, COPY)),
        ("set_to_none", None, (0, COPY)),
        ("", 1, (0, COPY)),
        ("", 8, (COPY, COPY)),
    ],
)
def test_freed_or_kept_or_those_of_earlier_microbatches(zero_grad, accumulation, expected):
    told = {"training__zero_grad": zero_grad} if zero_grad else {}
    assert kept(accumulation=accumulation, **told) == expected


def test_the_backward_pass_counts_them_as_gradients():
    assert MEMBER.phases == ("forward", "loss")


def test_only_where_they_are_told_or_the_model_is():
    assert not MEMBER.applies(workload(operation="training"))
    assert MEMBER.applies(workload(operation="training", training__zero_grad="kept"))
    assert not MEMBER.applies(workload(operation="generation", training__zero_grad="kept"))


def test_its_id_is_that_of_its_case():
    where = case("usual", accumulation=1)
    (node,) = MEMBER.estimate(training(where, method__kind="full"), where)
    assert node.id == "usual.kept_gradients"
