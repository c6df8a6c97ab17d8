"""Scratch of the update: one copy of a state with foreach (formula sheet 2.5; torch 2.13)."""

import pytest
from trained import LLAMA_PARAMETERS, llama, training
from workloads import workload

from fiche.estimators.optimizer_workspace import MEMBER

LARGEST = 128256 * 4096


def scratch(name="adamw", **told):
    told = {"method__kind": "full", "formats__loaded": "bf16", "optimizer__name": name, **told}
    load = training(of=llama(), **told)
    assert MEMBER.applies(load)
    (node,) = MEMBER.estimate(load, None)
    return node.low, node.high


@pytest.mark.parametrize(
    ("foreach", "expected"),
    [
        ("yes", (2 * LLAMA_PARAMETERS, 2 * LLAMA_PARAMETERS)),
        ("no", (0, 2 * LARGEST)),
        ("", (0, 2 * LLAMA_PARAMETERS)),
    ],
)
def test_one_copy_with_foreach_and_one_tensor_without(foreach, expected):
    told = {"training__foreach": foreach} if foreach else {}
    assert scratch(**told) == expected


def test_a_fused_step_holds_no_copy():
    assert scratch("adamw_torch_fused") == (0, 2 * LARGEST)


def test_an_optimizer_without_a_rule_has_no_figure():
    for name in ("adafactor", "adamw_8bit", "my-own"):
        load = training(method__kind="full", optimizer__name=name)
        assert not MEMBER.applies(load)


def test_states_in_the_host_are_updated_there():
    load = training(method__kind="full", optimizer__name="adamw", placement__offload="optimizer")
    assert not MEMBER.applies(load)


def test_only_during_the_step_and_never_in_a_floor():
    assert MEMBER.phases == ("first_step", "optimizer_step")
    assert not MEMBER.resident
    assert not MEMBER.applies(workload(operation="training", optimizer__name="adamw"))
