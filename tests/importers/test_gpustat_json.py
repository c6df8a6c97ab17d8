"""`gpustat --json`: NVML's first version, floored (gpustat 1.1, `core.py`)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.gpustat_json import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB = 1 << 20


def document(used=38511, **more):
    gpu = {
        "index": 0,
        "uuid": "GPU-1",
        "name": "NVIDIA L40S",
        "utilization.gpu": 97,
        "memory.used": used,
        "memory.total": 46068,
        "processes": [
            {"username": "a", "command": "python", "gpu_memory_usage": 38110, "pid": 31877},
            {"username": "b", "command": "x", "gpu_memory_usage": None, "pid": 7},
        ],
    }
    told_ = {"hostname": "node7", "driver_version": "535.183.01"}
    return {**told_, "query_time": "2025-02-11T15:42:07.123456", "gpus": [{**gpu, **more}]}


def test_figures():
    reading = read(json.dumps(document(), indent=4))
    assert told(reading) == [
        ("memory.used", "current", 0, "38511 MB"),
        ("memory.total", "total", 0, "46068 MB"),
        ("process.used_gpu_memory", "current", 0, "38110 MB"),
        ("process.used_gpu_memory", "current", 0, "None"),
    ]
    value = reading.observations[0].value
    assert (value.low, value.high) == (38511 * MIB, 38512 * MIB - 1)
    assert reading.observations[0].pointer.path == "/gpus/0/memory.used"
    assert facts(reading)["driver"] == "535.183.01"
    assert totals(reading) == [(0, "46068 MB", "NVIDIA L40S", None)]
    assert {"used_includes_reserve", "process_memory_unavailable"} <= keys(reading)


def test_a_document_a_line_is_a_series():
    reading = read("\n".join(json.dumps(document(used)) for used in (4, 38511, 900)))
    assert told(reading)[0] == ("memory.used", "sampled_max", 0, "38511 MB")


def test_an_idle_card_bounds_what_others_hold():
    reading = read(json.dumps(document(4, processes=[])))
    assert totals(reading)[0][3] == (0, 5 * MIB - 1)


def test_refusals():
    with pytest.raises(Refused, match="F428"):
        read(json.dumps(document())[:-3])
    with pytest.raises(Refused, match="F429"):
        read('{"gpus": 1}')
    with pytest.raises(Refused, match="F429"):
        read('{"gpus": [{}]}')
    with pytest.raises(Refused, match="F424"):
        read('{"gpus": []}')


def test_accepts():
    assert MEMBER.accepts(json.dumps(document()).encode(), "") == 93
    assert MEMBER.accepts(b'{"gpus": 8}', "") == 0


TEXT = json.dumps(document())


@given(st.integers(0, len(TEXT) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, TEXT[:at] + put + TEXT[at + cut :])
