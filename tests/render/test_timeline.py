"""The picture of a memory window: each peak at its own instant, nothing cut off."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.snapshots import MIB, Machine, block, busy, dumped, read, segment, snapshot

from fiche.render.timeline import timeline_svg
from fiche.report.timeline import timelines
from fiche.report.words import language

SVG = "{http://www.w3.org/2000/svg}"
WORDS = language("en").phrases


def drawn(machine):
    return timelines(read(dumped(snapshot(machine.held(), [machine.entries]))), "w", WORDS)


def two_peaks(first=8, second=2, gap=2_000_000):
    machine = Machine()
    machine.grow(1 << 32, 10 * MIB)
    machine.alloc(1 << 32, first * MIB)
    machine.free(1 << 32)
    machine.grow(1 << 33, 2 * MIB)
    machine.alloc(1 << 33, second * MIB)
    for entry in machine.entries[-2:]:
        entry["time_us"] += gap
    return machine


def test_each_peak_stands_at_its_own_instant():
    (picture,) = drawn(two_peaks())
    reserved, requested = picture.peaks
    assert reserved.label.replace("\xa0", " ") == "peak reserved: 12.00 MiB at 2.000 s"
    assert requested.label.replace("\xa0", " ") == "peak requested: 8.00 MiB at 0.00001 s"
    assert requested.x < reserved.x
    assert reserved.y < requested.y
    for peak, curve in zip(picture.peaks, picture.curves, strict=True):
        assert peak.y == min(y for _, y in curve.points)


def test_marks_of_the_axes_are_round_and_inside():
    (picture,) = drawn(two_peaks())
    assert [tick.label for tick in picture.ys] == ["0", "5", "10", "15"]
    assert picture.up == "MiB"
    assert [tick.label for tick in picture.xs] == ["0", "0.5", "1", "1.5", "2"]


def test_a_trace_without_times_is_drawn_by_entries():
    (picture,) = drawn(busy(5, times=False))
    assert picture.across == WORDS["timeline_entries"]
    assert "at entry " in picture.peaks[0].label


def test_the_file_is_well_formed_and_says_its_peaks_in_words():
    reading = read(dumped(snapshot(two_peaks().held(), [two_peaks().entries])))
    root = ElementTree.fromstring(timeline_svg(reading))
    assert root.get("role") == "img"
    assert "peak requested" in root.find(f"{SVG}title").text
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert len([text for text in texts if text.startswith("peak ")]) == 2
    assert "seconds since the first recorded entry" in texts


def test_devices_stand_one_under_the_other():
    one, two = busy(10), busy(20, device=1)
    reading = read(dumped(snapshot([*one.held(), *two.held()], [one.entries, two.entries])))
    root = ElementTree.fromstring(timeline_svg(reading))
    assert len(root.findall(f"{SVG}g")) == 2
    assert root.get("viewBox") == "0 0 1000 800"


def test_nothing_is_drawn_where_no_window_was_recorded():
    reading = read(dumped(snapshot([segment(1 << 32, 2 * MIB, [block(1 << 32, 512, 4)])])))
    assert timelines(reading, "w", WORDS) == ()
    with pytest.raises(ValueError, match="recorded window"):
        timeline_svg(reading)


@given(st.integers(1, 10), st.integers(1, 2), st.integers(0, 10**13))
@settings(max_examples=60, deadline=None)
def test_labels_and_lines_stay_inside_the_picture(first, second, gap):
    machine = two_peaks(first, second, gap)
    (picture,) = drawn(machine)
    for peak in picture.peaks:
        width = 8 * len(peak.label)
        left = peak.x - {"start": 0, "middle": width // 2, "end": width}[peak.anchor]
        assert left >= 0
        assert left + width <= 1000
    for curve in picture.curves:
        assert all(0 <= x <= 1000 and 0 <= y <= 400 for x, y in curve.points)
    assert 2 <= len(picture.xs) <= 8
    assert 2 <= len(picture.ys) <= 8


def test_the_picture_of_a_long_window_stays_small():
    machine = busy(800)
    text = timeline_svg(read(dumped(snapshot(machine.held(), [machine.entries]))))
    assert len(text) < 60_000
    assert not re.search(r"\d\.\d{4}", re.sub(r"<title>.*?</title>|<text.*?</text>", "", text))
