"""`nvidia-smi pmon`: per process, by header (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import holds_together, keys, reader, told

from fiche.importers.nvidia_smi_pmon import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

ROWS = """\
# gpu         pid   type     sm    mem    enc    dec    jpg    ofa     fb   ccpm    command
# Idx           #    C/G      %      %      %      %      %      %     MB     MB    name
    0      31877     C     97     44      -      -      -      -  18110      0    python
    0      31900     G      -      -      -      -      -      -    120      0    Web Content
    1          -     -      -      -      -      -      -      -      -      -    -
    0      31877     C     98     45      -      -      -      -  18200      0    python
"""
OLD = """\
# gpu        pid  type    fb   command
# Idx          #   C/G    MB   name
    0       5123     C   455   python
    0       5200   C+G     -   explorer.exe
"""


def test_the_largest_of_each_process():
    reading = read(ROWS)
    assert told(reading) == [("fb", "sampled_max", 0, "18200"), ("fb", "sampled_max", 0, "120")]
    assert [seen.marks for seen in reading.observations] == [
        {"pid": 31877, "process": "python", "type": "C"},
        {"pid": 31900, "process": "Web Content", "type": "G"},
    ]
    assert {seen.scope for seen in reading.observations} == {"process"}
    assert {"sampled", "unit_label_is_binary"} <= keys(reading)
    assert reading.further["samples"] == 2
    assert [aside.text for aside in reading.not_observed] == ["mem %"]


def test_the_old_form_and_a_missing_figure():
    reading = read(OLD)
    assert told(reading) == [("fb", "current", 0, "455"), ("fb", "current", 0, "-")]
    assert "process_memory_unavailable" in keys(reading)


@pytest.mark.parametrize("prefix", ["svc-1  | ", "2026-01-15T03:22:41.1187734Z ", "[rank0]: "])
def test_a_prefix_on_every_line(prefix):
    text = "".join(prefix + line + "\n" for line in ROWS.splitlines())
    assert told(read(text)) == told(read(ROWS))


def test_without_memory_there_is_nothing_to_read():
    with pytest.raises(Refused, match="F424"):
        read("# gpu  pid  type  sm  command\n# Idx  #  C/G  %  name\n  0  12  C  4  python\n")


def test_accepts():
    assert MEMBER.accepts(ROWS.encode(), "") == 90
    assert MEMBER.accepts(b"# gpu  fb\n# Idx MB\n 0 1\n", "") == 0


@given(st.integers(0, len(ROWS) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, ROWS[:at] + put + ROWS[at + cut :])
