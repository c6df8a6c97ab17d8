"""`nvidia-smi dmon`: columns by header, missing cells, activity apart from memory (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import holds_together, keys, reader, told

from fiche.importers.nvidia_smi_dmon import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB = 1 << 20

COMBINED = """\
# gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk    fb  bar1
# Idx     W     C     C     %     %     %     %   MHz   MHz    MB    MB
    0    71    40     -    99    75     0     0   877  1380 14202     4
    1    68    38     -    98    70     0     0   877  1380 13950     4
    0    70    41     -    97    77     0     0   877  1380 15001     4
"""
DATED = """\
#Date       Time        gpu     fb   bar1   ccpm
#YYYYMMDD   HH:MM:SS    Idx     MB     MB     MB
 20250603   10:11:12      0   1031      4      0
 20250603   10:11:14      0  18204      4      0
"""


def test_a_combined_form_is_read_by_its_header():
    reading = read(COMBINED)
    assert told(reading) == [
        ("fb", "sampled_max", 0, "15001"),
        ("fb", "sampled_max", 1, "13950"),
    ]
    value = reading.observations[0].value
    assert (value.low, value.high) == (15000 * MIB, 15002 * MIB)
    assert [aside.text for aside in reading.not_observed] == ["mem %"]
    assert {"sampled", "unit_label_is_binary"} <= keys(reading)
    assert reading.further["samples"] == 2


def test_one_row_is_a_current_level():
    assert told(read("".join(COMBINED.splitlines(keepends=True)[:3]))) == [
        ("fb", "current", 0, "14202")
    ]


def test_dates_tell_the_period():
    reading = read(DATED)
    assert told(reading) == [("fb", "sampled_max", 0, "18204")]
    assert reading.further["sample_period_s"] == 2


def test_a_missing_cell_is_no_zero():
    rows = "# gpu    fb\n# Idx    MB\n    0     -\n    0     -\n"
    reading = read(rows)
    assert reading.observations[0].value.unavailable
    assert "samples_missing" in keys(reading)


def test_columns_may_change_in_between():
    other = "# gpu   bar1    fb\n# Idx     MB    MB\n    0      7 20000\n"
    assert told(read(DATED + other)) == [("fb", "sampled_max", 0, "20000")]


def test_commas_of_the_csv_form():
    text = "#gpu, fb, bar1\n#Idx, MB, MB\n0, 1031, 4\n0, 900, 4\n"
    assert told(read(text)) == [("fb", "sampled_max", 0, "1031")]


@pytest.mark.parametrize(
    "prefix", ["svc-1  | ", "2026-01-15T03:22:41.1187734Z ", "[rank0]: ", "> "]
)
def test_a_prefix_on_every_line(prefix):
    text = "".join(prefix + line + "\n" for line in COMBINED.splitlines())
    assert told(read(text)) == told(read(COMBINED))


def test_damage_on_the_way():
    assert told(read(COMBINED.replace("\n", "\r\n"))) == told(read(COMBINED))
    assert told(read("starting\nloss 1 2 3 4 5 6 7 8 9 10 11 12 13\n" + COMBINED)) == told(
        read(COMBINED)
    )
    assert told(read(COMBINED + "    0    70    41 ")) == told(read(COMBINED))


def test_without_memory_there_is_nothing_to_read():
    with pytest.raises(Refused, match="F424"):
        read("# gpu    sm   mem\n# Idx     %     %\n    0    97    77\n")
    with pytest.raises(Refused, match="F424"):
        read("Not supported on the device(s)\nFailed to process command line\n")


def test_accepts():
    assert MEMBER.accepts(COMBINED.encode(), "") == 90
    assert (
        MEMBER.accepts(b"# gpu  pid  type  fb command\n# Idx # C/G MB name\n 0 1 C 4 a\n", "") == 0
    )
    assert MEMBER.accepts(b"# gpu usage\nnothing\n", "") == 0


@given(st.integers(0, len(COMBINED) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, COMBINED[:at] + put + COMBINED[at + cut :])
