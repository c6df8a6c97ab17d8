"""Megatron's lines about memory and the JSON of its tests (evidence_formats 4)."""

import json

import pytest
from importers.training import (
    DAMAGES,
    MIB,
    bounds,
    facts,
    in_json,
    ranks,
    read,
    refusal,
    seen,
    told,
    wrapped,
)

from fiche.importers.megatron_log import MEMBER
from fiche.kernel.diagnostic import Refused

FULL = (
    "[Rank 8] (after 10 iterations) memory (MB) | allocated: 38266.1884765625 | max allocated: "
    "61842.70703125 | reserved: 66170.0 | max reserved: 66172.0\n"
)
ROUNDED = (
    "[Rank 0] (after 2 iterations) memory (MB) | allocated: 3826.19 | max allocated: 61842.71 | reserved: "
    "66170.00 | max reserved: 66170.00 | total device memory used: 70210.25\n"
)
THEORY = (
    "Theoretical memory footprints: weight and optimizer=38110.52 MB, activation=21450.75 MB, "
    "total=59561.27 MB\n"
)
BRIDGE = (
    "[Rank 1] (after 2 iterations) memory (GB) | mem-allocated-gigabytes: 63.66 | mem-inactive-gigabytes: 0.0 "
    "| mem-max-reserved-gigabytes: 182.2 | mem-alloc-retires: 4 | mem-allocated-count: 433"
)


@pytest.mark.parametrize("damage", [lambda text: text, in_json, wrapped, *DAMAGES])
def test_older_versions_print_fractions_in_full(damage):
    reading = read(MEMBER, damage(FULL))
    assert seen(reading) == [
        ("allocated_bytes", "current", "38266.1884765625"),
        ("allocated_bytes", "peak", "61842.70703125"),
        ("reserved_bytes", "current", "66170.0"),
        ("reserved_bytes", "peak", "66172.0"),
    ]
    assert ranks(reading) == {8}
    assert {bounds(o)[1] - bounds(o)[0] for o in reading.observations} == {0}
    assert {o.label for o in reading.observations} == {"after 10 iterations"}


def test_newer_versions_round_to_two_decimals_and_may_add_the_device():
    reading = read(MEMBER, ROUNDED)
    assert {o.value.rounding for o in reading.observations} == {"nearest-2-digits"}
    device = reading.observations[-1]
    assert (device.counter, device.scope) == ("device_used", "device")


def test_the_oldest_versions_name_no_rank():
    text = FULL.replace("[Rank 8] (after 10 iterations)", "after 10 iterations").replace(
        "reserved", "cached"
    )
    reading = read(MEMBER, text)
    assert ranks(reading) == {None}
    assert {o.counter for o in reading.observations} == {"allocated_bytes", "reserved_bytes"}
    assert told(reading, "rank_not_named")


def test_a_figure_of_one_decimal_that_is_no_whole_block_was_rounded():
    reading = read(MEMBER, FULL.replace("38266.1884765625", "38266.2"))
    assert reading.observations[0].value.rounding == "nearest-1-digits"


def test_footprints_are_computed():
    reading = read(MEMBER, THEORY + FULL)
    assert [p.value.text for p in reading.planned] == ["38110.52 MB", "21450.75 MB", "59561.27 MB"]
    assert reading.not_observed[0].text == THEORY.strip()
    assert len(reading.observations) == 4


def test_footprints_alone_are_a_reading_without_observations():
    reading = read(MEMBER, THEORY.replace(", activation=21450.75 MB, total=59561.27 MB", ""))
    assert not reading.observations
    assert len(reading.planned) == 1


def test_the_bridge_counts_in_powers_of_ten_with_five_digits():
    reading = read(MEMBER, BRIDGE + "\n")
    allocated, inactive, reserved = reading.observations
    assert bounds(allocated) == (63_659_500_000, 63_660_500_000)
    assert bounds(reserved) == (182_195_000_000, 182_205_000_000)
    assert inactive.counter == "inactive_split_bytes"
    assert reading.counters == {"num_alloc_retries": 4}
    assert told(reading, "unit_label_is_decimal")


def test_two_ranks_may_share_a_line():
    reading = read(MEMBER, BRIDGE + BRIDGE.replace("Rank 1", "Rank 3") + "\n")
    assert [o.rank for o in reading.observations] == [1, 1, 1, 3, 3, 3]


def test_the_json_of_a_test():
    scalars = {"start_step": 1, "end_step": 2, "step_interval": 1}
    document = {
        "iteration-time": {**scalars, "values": {"1": 12.5}},
        "mem-allocated-bytes": {**scalars, "values": {"1": 15871131648.0, "2": "nan"}},
        "mem-max-allocated-bytes": {
            "start_step": 0,
            "step_interval": 5,
            "values": [1024.0, 2048.0],
        },
    }
    reading = read(MEMBER, json.dumps(document, indent=1))
    assert [
        (o.stat, o.value.value, o.marks["step"], o.pointer.path) for o in reading.observations
    ] == [
        ("current", 15871131648, 1, "/mem-allocated-bytes/values/1"),
        ("peak", 1024, 0, "/mem-max-allocated-bytes/values/0"),
        ("peak", 2048, 5, "/mem-max-allocated-bytes/values/1"),
    ]


def test_a_document_that_breaks_off():
    assert refusal(MEMBER, '{"mem-allocated-bytes": {"values": {"1": 15871') == "F428"


def test_what_the_run_states_compares_with_a_fiche():
    text = (
        "using world size: 16, data-parallel size: 1, context-parallel size: 2, hierarchical "
        "context-parallel sizes: Nonetensor-model-parallel size: 4, encoder-tensor-model-parallel size: 0, "
        "pipeline-model-parallel size: 2, encoder-pipeline-model-parallel size: 0\n"
        "using torch.bfloat16 for parameters ...\n"
    )
    assert facts(read(MEMBER, text + FULL)) == {
        "placement.devices": "16",
        "placement.data_parallel": "1",
        "placement.context_parallel": "2",
        "placement.tensor_parallel": "4",
        "placement.pipeline_parallel": "2",
        "formats.compute": "bf16",
    }


def test_a_layers_activations_are_computed():
    text = "Activation memory footprint per transformer layer (precise, without SP): 812.5 MB\n"
    (plan,) = read(MEMBER, text).planned
    assert (plan.value.value, plan.kind_of_origin) == (int(812.5 * MIB), "estimated")


def test_a_log_without_these_lines():
    assert refusal(MEMBER, "iteration 10/ 5000 | lm loss: 1.0\n") == "F424"


@pytest.mark.parametrize("columns", range(30, 100, 7))
def test_a_name_may_lose_its_blank_to_a_terminal(columns):
    lines = "\n".join(FULL[at : at + columns].rstrip() for at in range(0, len(FULL), columns))
    try:
        reading = MEMBER.read(lines.encode(), "ab" * 32)
    except Refused:
        return
    assert {o.counter for o in reading.observations} <= {"allocated_bytes", "reserved_bytes"}
