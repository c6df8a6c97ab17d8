"""`amd-smi ... --json`: a list, or gpu_data; metric, static, monitor, process (evidence_formats 7)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.amd_smi_json import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB = 1 << 20


def mb(value):
    return {"value": value, "unit": "MB"}


METRIC = {
    "gpu": 0,
    "usage": {
        "gfx_activity": {"value": 99, "unit": "%"},
        "umc_activity": {"value": 31, "unit": "%"},
    },
    "mem_usage": {
        "total_vram": mb(196592),
        "used_vram": mb(141311),
        "free_vram": mb(55281),
        "total_visible_vram": mb(196592),
        "total_gtt": mb(774144),
        "used_gtt": mb(21),
    },
}
FIGURES = [
    ("vram.used", "current", 0, "141311 MB"),
    ("vram.total", "total", 0, "196592 MB"),
    ("vram.free", "free", 0, "55281 MB"),
]


@pytest.mark.parametrize("document", [[METRIC], {"gpu_data": [METRIC]}, [{"gpu_data": [METRIC]}]])
def test_a_list_or_gpu_data(document):
    reading = read(json.dumps(document))
    assert told(reading) == FIGURES
    value = reading.observations[0].value
    assert (value.value, value.low, value.high) == (141311 * MIB, 141310 * MIB, 141312 * MIB)
    assert [aside.text for aside in reading.not_observed] == ["memory Activity (umc_activity): %"]
    assert "unit_label_is_binary" in keys(reading)


def test_the_path_of_a_value():
    reading = read(json.dumps({"gpu_data": [METRIC]}))
    assert reading.observations[0].pointer.path == "/gpu_data/0/mem_usage/used_vram"


def test_static_tells_name_driver_and_total():
    static = {
        "gpu": 1,
        "asic": {"market_name": "AMD Instinct MI300X"},
        "bus": {"bdf": "0000:26:00.0"},
        "driver": {"name": "amdgpu", "version": "6.12.12"},
        "vram": {"type": "HBM3", "size": mb(196592)},
    }
    reading = read(json.dumps([static]))
    assert told(reading) == [("vram.total", "total", 1, "196592 MB")]
    assert totals(reading) == [(1, "196592 MB", "AMD Instinct MI300X", None)]
    assert facts(reading)["driver"] == "6.12.12"


def test_a_watched_monitor_is_a_series():
    rows = [
        {"timestamp": 1752135631 + n, "gpu": gpu, "vram_used": mb(used), "vram_total": mb(196300)}
        for n, used in enumerate((283, 5000, 900))
        for gpu in (0, 1)
    ]
    reading = read(json.dumps(rows))
    assert told(reading)[0] == ("vram.used", "sampled_max", 0, "5000 MB")
    assert (reading.further["samples"], reading.further["sample_period_s"]) == (3, 1)


def test_processes():
    usage = {"gtt_mem": {"value": 0, "unit": "B"}, "vram_mem": {"value": 2040109466, "unit": "B"}}
    process = {"process_info": {"name": "python3", "pid": 2266127, "memory_usage": usage}}
    reading = read(json.dumps([{**METRIC, "process_list": [process]}]))
    (seen,) = (seen for seen in reading.observations if seen.scope == "process")
    assert (seen.value.value, seen.value.rounding) == (2_040_109_466, "exact")
    assert seen.marks == {"pid": 2266127, "process": "python3"}
    assert totals(reading)[0][3] is None


def test_a_missing_value_is_no_zero():
    reading = read(
        json.dumps([{"gpu": 0, "mem_usage": {"used_vram": "N/A", "total_vram": mb("N/A")}}])
    )
    assert all(seen.value.unavailable for seen in reading.observations)
    assert "device_memory_unavailable" in keys(reading)


def test_a_number_without_a_unit_is_no_figure():
    reading = read(json.dumps([{"gpu": 0, "mem_usage": {"used_vram": 17, "total_vram": "283 MB"}}]))
    assert [seen.value.unavailable for seen in reading.observations] == [True, False]


def test_refusals():
    with pytest.raises(Refused, match="F428"):
        read(json.dumps([METRIC])[:-3])
    with pytest.raises(Refused, match="F429"):
        read('[{"cpu": 0}]')
    with pytest.raises(Refused, match="F424"):
        read('[{"gpu": 0, "usage": {}}]')


def test_accepts():
    assert MEMBER.accepts(json.dumps([METRIC]).encode(), "") == 93
    assert MEMBER.accepts(b'{"gpu": "A100", "loss": 1}', "") == 0


TEXT = json.dumps([METRIC])


@given(st.integers(0, len(TEXT) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, TEXT[:at] + put + TEXT[at + cut :])
