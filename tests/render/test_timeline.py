"""The picture of a memory window: each peak at its own instant, nothing cut off."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers import simulations
from importers.snapshots import MIB, START_US, Machine, block, busy, dumped, read, segment, snapshot

from fiche.languages import spoken as language
from fiche.render.timeline import timeline_svg
from fiche.report.timeline import timelines

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


# --- Simulations, and labels beside a trace -------------------------------------------------------


def simulated(**changes):
    made = simulations.document()
    made["timeline"] |= changes
    return simulations.read(made)


def test_a_simulation_has_the_same_picture_with_its_phases():
    (picture,) = timelines(simulated(), "w", WORDS)
    assert [curve.kind for curve in picture.curves] == ["reserved", "allocated"]
    assert [(band.label, band.key) for band in picture.bands] == [
        ("model init", ""),
        ("prefill", ""),
        ("decode", ""),
    ]
    for peak, curve in zip(picture.peaks, picture.curves, strict=True):
        assert peak.y == min(y for _, y in curve.points)


def test_names_stand_above_every_level():
    (picture,) = timelines(simulated(), "w", WORDS)
    assert min(y for curve in picture.curves for _, y in curve.points) >= 78 + 24


def narrow(*widths):
    """Stretches of so many events, one behind the other."""
    told, event = [], 0
    names = ("forward", "loss", "backward", "optimizer_step")
    for place, width in enumerate(widths):
        name = names[place % len(names)]
        told.append(
            {"name": name, "pass": "first", "from_event": event, "to_event": event + width - 1}
        )
        event += width
    return told


def test_a_name_without_room_is_a_number_that_a_line_explains():
    (picture,) = timelines(simulated(phases=narrow(160, 12, 170, 14)), "w", WORDS)
    assert [band.label for band in picture.bands] == ["forward", "1", "backward", "2"]
    assert picture.keys == ("1 loss · 2 optimizer step",)
    root = ElementTree.fromstring(timeline_svg(simulated(phases=narrow(160, 12, 170, 14))))
    assert root.get("viewBox") == "0 0 1000 420"
    assert picture.keys[0] in [text.text for text in root.iter(f"{SVG}text")]


def test_a_name_that_comes_again_keeps_its_number():
    (picture,) = timelines(simulated(phases=narrow(*[9] * 12)), "w", WORDS)
    keys = [band.key for band in picture.bands]
    assert keys == keys[:4] * 3
    assert all(band.left <= band.right for band in picture.bands)


def test_a_phase_around_others_is_told_by_them():
    around = {"name": "first_step", "pass": "first", "from_event": 0, "to_event": 80}
    (picture,) = timelines(simulated(phases=[around, *narrow(40, 41)]), "w", WORDS)
    assert [band.name for band in picture.bands] == ["forward", "loss"]


def test_a_simulation_without_events_has_no_picture():
    empty = simulated(allocated=[], reserved=[], phases=[])
    assert timelines(empty, "w", WORDS) == ()
    with pytest.raises(ValueError, match="recorded window"):
        timeline_svg(empty)


def labels(*told):
    start = START_US
    return [
        {"name": name, "stage": stage, "device": device, "time_us": start + at}
        for name, stage, device, at in told
    ]


def windowed(*told):
    machine = two_peaks()
    return read(
        dumped(
            snapshot(machine.held(), [machine.entries], external_annotations=labels(*told)),
        )
    )


def test_labels_of_the_program_are_bands_of_a_snapshot():
    first = two_peaks().entries[0]["time_us"] - START_US
    reading = windowed(
        ("step", "START", 0, first),
        ("forward", "START", 0, first + 100),
        ("forward", "END", 0, first + 900_000),
        ("backward", "START", 0, first + 900_000),
        ("backward", "END", 0, first + 1_900_000),
        ("step", "END", 0, first + 1_990_000),
    )
    (picture,) = timelines(reading, "w", WORDS)
    assert [band.name for band in picture.bands] == ["forward", "backward"]
    assert picture.bands[0].right == picture.bands[1].left


def test_a_label_of_another_device_or_without_an_end_is_no_band():
    reading = windowed(("a", "START", 1, 5), ("a", "END", 1, 9), ("b", "START", 0, 5))
    (picture,) = timelines(reading, "w", WORDS)
    assert picture.bands == ()
    assert "labels" not in reading.further["timeline"][0]


def test_a_tick_at_the_edge_moves_its_label_inwards():
    from fiche.render.timeline import _inside
    from fiche.report.letters import width

    assert _inside(500, "100 000") == 500
    assert _inside(984, "100 000") + width("100 000", 15) // 2 == 998
