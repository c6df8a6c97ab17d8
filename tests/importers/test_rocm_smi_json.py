"""`rocm-smi --json`: bytes as strings, words in front, a document a line (evidence_formats 7)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.rocm_smi_json import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

CARD = {
    "GPU use (%)": "99",
    "GPU Memory Allocated (VRAM%)": "72",
    "GPU Memory Read/Write Activity (%)": "31",
    "VRAM Total Memory (B)": "206141652992",
    "VRAM Total Used Memory (B)": "148176044032",
    "VIS_VRAM Total Memory (B)": "206141652992",
    "GTT Total Memory (B)": "811748818944",
    "GTT Total Used Memory (B)": "22982656",
    "Card Series": "AMD Instinct MI300X",
    "Card Model": "0x74a1",
}


def output(used="148176044032", **more):
    return {"card0": {**CARD, "VRAM Total Used Memory (B)": used}, **more}


def test_vram_only():
    reading = read(json.dumps(output(system={"Driver version": "6.12.12"})))
    assert told(reading) == [
        ("vram.used", "current", 0, "148176044032"),
        ("vram.total", "total", 0, "206141652992"),
    ]
    value = reading.observations[0].value
    assert value.low == value.high == 148_176_044_032
    assert totals(reading) == [(0, "206141652992", "AMD Instinct MI300X", None)]
    assert reading.capacities[0].counter == "rocm_smi_total"
    assert facts(reading)["driver"] == "6.12.12"
    assert reading.backend == "rocm"
    assert reading.observations[0].pointer.path == "/card0/VRAM Total Used Memory (B)"


def test_percentages_are_no_bytes():
    texts = [aside.text for aside in read(json.dumps(output())).not_observed]
    assert texts == [
        "card0 GPU Memory Allocated (VRAM%): 72",
        "card0 GPU Memory Read/Write Activity (%): 31",
    ]


def test_warnings_of_the_tool_stand_in_front():
    text = "WARNING: AMD GPU device(s) is/are in a low-power state.\n\n" + json.dumps(
        output(), indent=1
    )
    reading = read(text)
    assert told(reading) == told(read(json.dumps(output())))
    assert reading.observations[0].pointer.line == 3
    assert "words_in_front" in keys(reading)


def test_a_document_a_line_is_a_series():
    lines = [json.dumps(output(used)) for used in ("9", "148176044032", "77")]
    reading = read("\n".join(lines) + "\n")
    assert told(reading)[0] == ("vram.used", "sampled_max", 0, "148176044032")
    assert reading.observations[0].pointer.line == 2
    cut = read("\n".join(lines) + '\n{"card0": {"VRAM')
    assert "truncated" in keys(cut)
    with pytest.raises(Refused, match="F428"):
        read('{"card0": {"VRAM\n' + "\n".join(lines))


def test_processes_are_of_no_card_in_particular():
    system = {"PID4242": "python3, 1, 148000000000, 0, unknown", "PID7": "a, b, 2, 5, 0, 0"}
    reading = read(json.dumps(output(system=system)))
    processes = [seen for seen in reading.observations if seen.scope == "process"]
    assert [(p.marks["pid"], p.marks["process"], p.value.value) for p in processes] == [
        (4242, "python3", 148_000_000_000),
        (7, "a, b", 5),
    ]
    assert {seen.device_index for seen in processes} == {None}


def test_a_missing_value_is_no_zero():
    reading = read(json.dumps({"card0": {**CARD, "VRAM Total Used Memory (B)": "N/A"}}))
    assert reading.observations[0].value.unavailable
    assert "device_memory_unavailable" in keys(reading)


def test_refusals():
    with pytest.raises(Refused, match="F428"):
        read(json.dumps(output())[:-9])
    with pytest.raises(Refused, match="F429"):
        read('{"card": {}}')
    with pytest.raises(Refused, match="F424"):
        read('{"card0": {"GPU use (%)": "1"}}')
    with pytest.raises(Refused, match="F428"):
        read("[" * 100_000)


def test_accepts():
    assert MEMBER.accepts(json.dumps(output()).encode(), "") == 93
    assert MEMBER.accepts(b'{"cards": 1}', "") == 0


TEXT = json.dumps(output(system={"PID4242": "python3, 1, 148000000000, 0, unknown"}))


@given(st.integers(0, len(TEXT) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, TEXT[:at] + put + TEXT[at + cut :])
