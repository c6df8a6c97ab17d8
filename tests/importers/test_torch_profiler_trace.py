"""Chrome traces: levels after memory events, per device, without parsing the whole (evidence_formats 3)."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers import _trace_events
from fiche.importers.torch_profiler_trace import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
L4 = {"id": 0, "name": "NVIDIA L4", "totalGlobalMem": 23570153472}


def memory(ts, allocated, reserved, device=0, kind=1, order=0):
    told = {"Total Reserved": reserved, "Total Allocated": allocated, "Bytes": 128}
    told |= {"Device Id": device, "Device Type": kind, "Addr": 1, "Ev Idx": order}
    event = {
        "ph": "i",
        "cat": "cpu_instant_event",
        "s": "t",
        "name": "[memory]",
        "pid": 1,
        "tid": 1,
    }
    return {**event, "ts": ts, "args": told}


OPERATOR = {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "ts": 1.5, "args": {"Ev Idx": 1}}
EVENTS = [
    OPERATOR,
    memory(5109.0, 1024, 0, device=-1, kind=0),
    memory(5230.25, 900, 1500),
    memory(5180.5, 700, 1500),
    memory(5300.0, 400, 1600),
    memory(5190.0, 12, 20, device=1),
    OPERATOR,
]


def trace(events=EVENTS, devices=(L4,), indent=None, **more):
    head = {"schemaVersion": 1, "deviceProperties": list(devices), "profile_memory": 1, **more}
    value = {**head, "traceEvents": events, "traceName": "trace.json"}
    return json.dumps(value, indent=indent).encode()


def read(text):
    return MEMBER.read(text, DIGEST)


def levels(reading):
    return {
        (o.counter.partition(".")[2], o.stat, o.device_index): o.value.value
        for o in reading.observations
    }


EXPECTED = {
    ("total_allocated", "peak", 0): 900,
    ("total_allocated", "current", 0): 400,
    ("total_reserved", "peak", 0): 1600,
    ("total_reserved", "current", 0): 1600,
    ("total_allocated", "peak", 1): 12,
    ("total_allocated", "current", 1): 12,
    ("total_reserved", "peak", 1): 20,
    ("total_reserved", "current", 1): 20,
    ("totalGlobalMem", "total", 0): 23570153472,
}


@pytest.mark.parametrize("indent", [None, 1])
def test_levels_per_device_whatever_the_order(indent):
    reading = read(trace(indent=indent))
    assert levels(reading) == EXPECTED
    assert {o.window for o in reading.observations if o.stat != "total"} == {"trace"}
    assert reading.backend == "cuda"
    assert [told.text for told in reading.not_observed] == ["Device Type 0, Device Id -1"]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_large_trace_is_not_parsed_whole_and_says_the_same(indent, monkeypatch):
    monkeypatch.setattr(_trace_events, "_WHOLE", 0)
    assert levels(read(trace(indent=indent))) == EXPECTED


def test_keys_may_stand_in_any_order(monkeypatch):
    text = json.dumps(json.loads(trace()), sort_keys=True).encode()
    monkeypatch.setattr(_trace_events, "_WHOLE", 0)
    assert levels(read(text)) == EXPECTED


def test_what_the_trace_says_of_the_machine():
    text = trace(cuda_runtime_version=12040, distributedInfo={"backend": "nccl", "rank": 3})
    reading = read(text)
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts == {"devices.0.name": "NVIDIA L4", "device": "NVIDIA L4", "runtime": "12.4"}
    (total,) = reading.capacities
    assert (total.counter, total.value.value, total.device_index, total.device_name) == (
        "torch_total_memory",
        23570153472,
        0,
        "NVIDIA L4",
    )
    assert {o.rank for o in reading.observations if o.stat == "peak"} == {3}


def test_cards_of_several_names_are_no_single_device():
    reading = read(trace(devices=[L4, {**L4, "id": 1, "name": "NVIDIA T4"}]))
    assert "device" not in reading.facts
    assert len(reading.capacities) == 2


def test_rocm_calls_its_devices_cuda():
    assert read(trace(devices=[{**L4, "name": "AMD Instinct MI300X"}])).backend == "rocm"


def test_a_place_is_a_line_and_a_byte():
    text = trace(indent=1)
    peak = read(text).observations[0].pointer
    offset = int(peak.path.removeprefix("byte "))
    assert text[offset:].startswith(b'"[memory]"')
    assert peak.line == text[:offset].count(b"\n") + 1


def test_without_memory_events_the_devices_are_all_there_is():
    reading = read(trace([OPERATOR]))
    assert set(levels(reading)) == {("totalGlobalMem", "total", 0)}
    assert any(text.startswith("no_memory_events:") for text in reading.warnings)


def test_an_old_version_prints_no_totals():
    event = memory(1.0, 5, 5)
    event["args"] = {"Bytes": 5, "Device Id": 0, "Device Type": 1}
    reading = read(trace([event]))
    assert any(text.startswith("totals_missing:") for text in reading.warnings)
    with pytest.raises(Refused, match="F424"):
        read(trace([event], devices=[]))


def test_host_events_alone_are_no_evidence():
    reading = read(trace(EVENTS[:2], devices=[]))
    assert reading.observations == ()
    assert len(reading.not_observed) == 1
    with pytest.raises(Refused, match="F424"):
        read(trace([OPERATOR], devices=[]))


@pytest.mark.parametrize("whole", [1 << 30, 0])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_a_trace_that_breaks_off_is_refused(whole, share, monkeypatch):
    monkeypatch.setattr(_trace_events, "_WHOLE", whole)
    text = trace()
    with pytest.raises(Refused, match="F428"):
        read(text[: int(len(text) * share)])
    with pytest.raises(Refused, match="F428"):
        read(text[: text.rindex(b"},") + 1])


def test_names_that_crowd_together_cost_no_more_than_their_bytes(monkeypatch):
    monkeypatch.setattr(_trace_events, "_WHOLE", 0)
    crowd = [{"a": ["[memory]"] * 150} for _ in range(200)]
    assert levels(read(trace([*crowd, *EVENTS]))) == EXPECTED


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (trace(), 92),
        (trace(devices=[]), 92),
        (b'{"traceEvents": [{"name": "x"}]}', 0),
        (b'[{"name": "[memory]"}]', 0),
        (b"\x80\x04traceEvents", 0),
    ],
)
def test_how_sure_it_is(text, score):
    assert MEMBER.accepts(text, "") == score


@given(
    st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(0, 1 << 40)), min_size=1), st.randoms()
)
def test_order_in_the_file_changes_nothing(pairs, shuffle: random.Random):
    events = [memory(place, *pair, order=place) for place, pair in enumerate(pairs)]
    shuffle.shuffle(events)
    found = levels(read(trace(events)))
    assert found["total_allocated", "peak", 0] == max(pair[0] for pair in pairs)
    assert found["total_reserved", "current", 0] == pairs[-1][1]


@pytest.mark.torch
def test_a_true_trace_of_the_host_is_taken_apart(tmp_path):
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        torch.randn(64, 64).sum()
    path = tmp_path / "trace.json"
    profiled.export_chrome_trace(str(path))
    text = path.read_bytes()
    assert MEMBER.accepts(text, "") == 92
    found = list(_trace_events.events(text))
    assert max(event.totals[0] for event in found) >= 64 * 64 * 4
    assert {event.device_type for event in found} == {0}


@given(st.data())
def test_damage_never_breaks_the_reader(data):
    text = bytearray(trace())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_trace_events, "_WHOLE", data.draw(st.sampled_from([0, 1 << 30])))
        try:
            reading = read(bytes(text))
        except Refused:
            return
    assert all(o.value.value >= 0 for o in reading.observations)
