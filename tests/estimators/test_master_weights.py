"""Master weights: stated, or kept by the engine beside 16-bit weights (B6, formula sheet 2.5)."""

import pytest
from trained import LLAMA_PARAMETERS, llama, training
from workloads import workload

from fiche.estimators import load_items
from fiche.estimators.master_weights import MEMBER
from fiche.kernel.doors import Estimator
from fiche.kernel.trace import conditions
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
FULL = {"method__kind": "full", "optimizer__name": "adam"}
STATES = ("weights", "gradients", "optimizer_state", "master_weights")


def masters(**told):
    load = training(of=llama(), **FULL, **told)
    return MEMBER.estimate(load, None)[0] if MEMBER.applies(load) else None


@pytest.mark.parametrize("engine", ["megatron", "deepspeed"])
def test_an_engine_that_keeps_them_in_fp32(engine):
    node = masters(engine__name=engine, formats__loaded="bf16")
    assert (node.low, node.high) == (4 * LLAMA_PARAMETERS,) * 2


def test_weights_in_fp32_are_their_own_masters():
    node = masters(engine__name="megatron", formats__loaded="fp32")
    assert (node.low, node.high) == (0, 0)


def test_plain_pytorch_keeps_none():
    assert masters(engine__name="transformers", formats__loaded="bf16") is None


def test_a_stated_format_stands():
    stated = workload(
        operation="training",
        method__trainable_parameters=1000,
        formats__master="fp32",
        formats__storage="bf16",
    )
    assert MEMBER.applies(stated)
    assert MEMBER.estimate(stated, None)[0].low == 4000


def test_its_format_is_asked_where_only_bits_are_strange():
    stated = workload(
        operation="training", method__trainable_parameters=1000, formats__master="weird"
    )
    (condition,) = conditions(MEMBER.estimate(stated, None)[0])
    assert condition.topic == "master_format"


def states(**told):
    """Bytes a parameter of weights, gradients, states and masters together, on one device."""
    load = training(of=llama(), **FULL, **told)
    items = [item for item in load_items(load, None, ESTIMATORS) if item.name in STATES]
    assert all(item.node.exact for item in items)
    return sum(item.node.low for item in items)


@pytest.mark.parametrize(
    ("told", "bytes_a_parameter"),
    [
        ({"formats__loaded": "fp32", "training__autocast": "bf16"}, 16),
        ({"formats__loaded": "bf16", "engine__name": "transformers"}, 8),
        ({"formats__loaded": "bf16", "engine__name": "megatron"}, 18),
        ({"formats__loaded": "fp32", "engine__name": "megatron"}, 16),
    ],
)
def test_model_states_a_parameter(told, bytes_a_parameter):
    """Formula sheet 2.5; Megatron Core's table of its distributed optimizer."""
    assert states(**told) == bytes_a_parameter * LLAMA_PARAMETERS


@pytest.mark.parametrize("ways", [2, 8])
def test_the_distributed_optimizer_of_megatron(ways):
    """6 + 12 / d bytes a parameter."""
    told = {
        "formats__loaded": "bf16",
        "engine__name": "megatron",
        "placement__sharding": "zero1",
        "placement__data_parallel": ways,
    }
    assert states(**told) == 6 * LLAMA_PARAMETERS + 12 * LLAMA_PARAMETERS // ways
