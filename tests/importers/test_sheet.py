"""What a log says stays bounded, and no extreme reading of a series is lost."""

import pytest

from fiche.importers._lines import Line
from fiche.importers._sheet import MAX_SERIES, Sheet
from fiche.kernel.address import Pointer
from fiche.kernel.rounding import exact_bytes, unavailable
from fiche.kernel.series import told

DIGEST = "ab" * 32


def at(line):
    return Pointer(sha256=DIGEST, line=line)


def read(values, stat="peak"):
    sheet = Sheet(DIGEST)
    for line, value in enumerate(values, 1):
        figure = unavailable("N/A") if value is None else exact_bytes(value)
        sheet.see(at(line), "level", figure, scope="device", stat=stat, marks={"step": line})
    return sheet.reading("some_log", "x")


def shown(reading):
    (row,) = told([(str(n), o) for n, o in enumerate(reading.observations)], 40)
    return row.seen.pointer.line, row.series.count


@pytest.mark.parametrize("place", [1, 150, 200, 201, 333, 500])
@pytest.mark.parametrize(("stat", "extreme"), [("peak", 99), ("free", 1)])
def test_the_extreme_of_a_long_series_is_kept_wherever_it_stands(place, stat, extreme):
    values = [50] * 500
    values[place - 1] = extreme
    reading = read(values, stat)
    assert len(reading.observations) <= MAX_SERIES + 2
    assert shown(reading) == (place, 500)
    assert reading.further["series"] == {"level": 500}


def test_a_short_series_is_whole_and_says_nothing_of_itself():
    reading = read(range(MAX_SERIES))
    assert len(reading.observations) == MAX_SERIES
    assert (reading.further, reading.warnings) == ({}, ())


def test_what_has_no_figure_is_never_the_extreme():
    assert shown(read([None] * 250 + [7] + [None] * 250, "free")) == (251, 501)


def test_plans_stand_apart():
    sheet = Sheet(DIGEST)
    for origin in ("measured", "runtime_reported", "estimated", "budget"):
        sheet.see(at(1), origin, exact_bytes(1), scope="device", stat="current", origin=origin)
    reading = sheet.reading("some_log", "x")
    assert [o.counter for o in reading.observations] == ["measured", "runtime_reported"]
    assert [o.counter for o in reading.planned] == ["estimated", "budget"]


def test_the_speaker_of_a_line_is_its_rank_unless_told_otherwise():
    line = Line(b"[rank3]: level 7", 0, 16, 9, 1)
    sheet = Sheet(DIGEST)
    sheet.see(line, "level", exact_bytes(7), scope="device", stat="current")
    sheet.see(line, "level", exact_bytes(7), scope="device", stat="current", rank="main")
    assert [o.rank for o in sheet.reading("some_log", "x").observations] == [3, "main"]


def test_the_card_of_the_catalog_is_no_printed_name():
    with pytest.raises(AssertionError, match="device"):
        Sheet(DIGEST).fact(at(1), "gpu", "NVIDIA L4")


def test_a_fact_told_twice_otherwise_is_a_doubt():
    sheet = Sheet(DIGEST)
    for value in ("550", "550", "560"):
        sheet.fact(at(1), "driver", value)
    reading = sheet.reading("some_log", "x")
    assert reading.facts["driver"].value == "550"
    assert len(reading.warnings) == 1
