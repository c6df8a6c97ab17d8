"""LLaMA-Factory's log of a trainer (evidence_formats 4)."""

import json

import pytest
from importers.training import bounds, crlf, ranks, read, refusal, seen, told

from fiche.importers.llamafactory_log import MEMBER


def entry(step, allocated, reserved, **more):
    told_so = {"current_steps": step, "vram_allocated": allocated, "vram_reserved": reserved}
    return json.dumps({**told_so, **more}) + "\n"


LOG = entry(10, 21.07, 22.4) + '{"current_steps": 15, "loss": 1.0}\n' + entry(20, 21.12, 22.83)


@pytest.mark.parametrize("damage", [lambda text: text, crlf])
def test_both_peaks_of_every_step(damage):
    reading = read(MEMBER, damage(LOG))
    assert seen(reading) == [
        ("allocated_bytes", "peak", "21.07"),
        ("reserved_bytes", "peak", "22.4"),
        ("allocated_bytes", "peak", "21.12"),
        ("reserved_bytes", "peak", "22.83"),
    ]
    assert [(o.pointer.line, o.marks["step"]) for o in reading.observations] == [
        (1, 10),
        (1, 10),
        (3, 20),
        (3, 20),
    ]
    assert ranks(reading) == {0}
    assert told(reading, "unit_not_printed")


def test_a_dropped_zero_leaves_two_decimals():
    low, high = bounds(read(MEMBER, LOG).observations[1])
    assert low < 22.396 * 2**30
    assert high > 22.404 * 2**30
    assert high - low < 0.0101 * 2**30


def test_what_the_device_does_not_count_is_missing():
    reading = read(MEMBER, entry(10, 3.5, -0.0))
    assert [o.counter for o in reading.observations] == ["allocated_bytes"]
    assert told(reading, "not_available")


def test_a_line_that_breaks_off_is_left_out():
    reading = read(MEMBER, LOG + entry(30, 29.99, 30.0)[:-20])
    assert len(reading.observations) == 4
    assert told(reading, "truncated")


def test_a_log_without_memory():
    assert refusal(MEMBER, '{"current_steps": 15, "loss": 1.0}\n') == "F424"
