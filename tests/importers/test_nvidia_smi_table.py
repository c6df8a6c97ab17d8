"""The table of nvidia-smi in every layout and damage of evidence_formats 7 (C5, C9, C13)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.nvidia import MIB, NONE, PYTHON, SPARK, XORG, old, wide
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.nvidia_smi_table import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

USED, TOTAL, PROCESS = "memory.used", "memory.total", "process.used_gpu_memory"


def test_the_old_layout_without_instances():
    reading = read(old())
    assert reading.shape == "table-440"
    assert told(reading) == [
        (USED, "current", 0, "46MiB"),
        (TOTAL, "total", 0, "11019MiB"),
        (USED, "current", 1, "14046MiB"),
        (TOTAL, "total", 1, "16160MiB"),
        (PROCESS, "current", 1, "14035MiB"),
        (PROCESS, "current", 1, "11MiB"),
    ]
    marks = [seen.marks for seen in reading.observations if seen.counter == PROCESS]
    assert marks[1] == {
        "pid": 8360,
        "process": "...with blanks in/it's name --type=gpu",
        "type": "C+G",
    }
    assert {"used_includes_reserve", "device_name_cut", "index_order"} <= keys(reading)


def test_a_name_that_a_column_cut_names_no_other_card():
    """`GeForce RTX 208...` is an RTX 2080 or a 2080 Ti, and no 208."""
    reading = read(old())
    assert [name for _, _, name, _ in totals(reading)] == ["GeForce RTX", "Tesla V100"]
    assert reading.further["devices"][0]["name"] == "GeForce RTX 208..."


def test_a_figure_is_one_mib_wide_either_way():
    value = read(wide("38127MiB")).observations[0].value
    assert (value.value, value.low, value.high) == (38127 * MIB, 38126 * MIB, 38128 * MIB)


def test_facts_and_the_ceiling_of_the_driver():
    reading = read(wide())
    assert facts(reading) == {
        "driver": "580.65.06",
        "driver_cuda_ceiling": "13.0",
        "device": "NVIDIA H200",
        "devices.0.name": "NVIDIA H200",
        "devices.0.ecc": "on",
        "ecc": "on",
        "mig": "off",
        "persistence": "on",
    }
    (aside,) = reading.not_observed
    assert "not the runtime" in aside.reason
    assert reading.backend == "cuda"
    assert reading.further["observed_at"] == "Tue Feb 11 15:42:07 2025"


def test_others_are_told_where_nothing_computes():
    assert totals(read(wide("4MiB", NONE))) == [(0, "143771MiB", "NVIDIA H200", (0, 5 * MIB))]
    graphics = totals(read(wide("9MiB", XORG)))
    assert graphics == [(0, "143771MiB", "NVIDIA H200", (3 * MIB, 10 * MIB))]


def test_others_are_not_told_where_something_computes():
    """The table does not say which process is the workload's."""
    reading = read(wide("38127MiB", PYTHON.format(38110)))
    assert totals(reading) == [(0, "143771MiB", "NVIDIA H200", None)]
    assert "processes_present" in keys(reading)


def test_nothing_is_a_need():
    reading = read(wide("38127MiB", PYTHON.format(38110)))
    assert {seen.scope for seen in reading.observations} == {"device", "process"}
    assert {seen.stat for seen in reading.observations} == {"current", "total"}
    assert not reading.runs
    assert not reading.planned


def test_memory_that_host_and_device_share():
    reading = read(SPARK)
    assert told(reading) == [
        (USED, "current", 0, "Not Supported"),
        (TOTAL, "total", 0, "Not Supported"),
        (PROCESS, "current", 0, "19135MiB"),
    ]
    assert reading.observations[0].value.unavailable
    assert totals(reading) == []
    assert "device_memory_unavailable" in keys(reading)


@pytest.mark.parametrize("word", ["N/A", "ERR!", "[Unknown Error]", "Unknown Error"])
def test_any_other_word_is_a_missing_figure(word):
    reading = read(SPARK.replace("Not Supported", word.ljust(13)))
    assert reading.observations[0].value.unavailable


def test_several_tables_are_a_series():
    """`nvidia-smi -l 1`: the largest sample, and the time between two of them."""
    tables = [
        wide("4MiB", NONE, 7),
        wide("38127MiB", PYTHON.format(38110), 8),
        wide("30011MiB", PYTHON.format(29990), 9),
    ]
    reading = read("\n".join(tables))
    assert told(reading) == [
        (USED, "sampled_max", 0, "38127MiB"),
        (TOTAL, "total", 0, "143771MiB"),
        (PROCESS, "sampled_max", 0, "38110MiB"),
    ]
    assert (reading.further["samples"], reading.further["sample_period_s"]) == (3, 1)
    assert reading.further["observed_until"] == "Tue Feb 11 15:42:09 2025"
    assert "sampled" in keys(reading)


def test_a_watch_repeats_the_screen():
    head = "Every 1.0s: nvidia-smi            node7: Tue Feb 11 15:42:07 2025\n\n"
    reading = read("\x1b[H\x1b[J".join(head + wide(f"{n}MiB") for n in (4, 900, 30)))
    assert told(reading)[0] == (USED, "sampled_max", 0, "900MiB")


TABLE = wide("38127MiB", PYTHON.format(38110))
WHOLE = told(read(TABLE))
PREFIXES = [
    "[rank3]: ",
    "svc-1  | ",
    "2026-01-15T03:22:41.1187734Z ",
    "12218.4s\t489\t",
    "> ",
    "# ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_on_every_line(prefix):
    assert told(read("".join(prefix + line + "\n" for line in TABLE.split("\n")))) == WHOLE


def test_damage_on_the_way():
    assert told(read(TABLE.replace("\n", "\r\n"))) == WHOLE
    coloured = TABLE.replace("MiB", "\x1b[31mMiB\x1b[0m").replace("On", "\x1b[1mOn\x1b[0m")
    assert told(read(coloured)) == WHOLE
    assert told(read(json.dumps({"stdout": TABLE, "code": 0}))) == WHOLE
    assert told(read("loading: 10%|#  | 1/6\r" + TABLE)) == WHOLE
    assert told(read(TABLE.replace(" ", "\u00a0"))) == WHOLE


def test_blanks_that_a_page_collapsed_and_words_behind_a_row():
    collapsed = "\n".join(" ".join(line.split()) for line in TABLE.split("\n"))
    assert told(read(collapsed)) == WHOLE
    assert told(read(TABLE.replace("MiB |", "MiB |  # what the server holds"))) == WHOLE


MIG = wide("N/A", PYTHON.format(37)).replace(
    "|      N/A / 143771MiB |", "|                  N/A   |"
)
SHARED = """\
| MIG devices:                                                                            |
| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |
|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |
|==================+==================================+===========+=======================|
|  0    8   0   0  |              15MiB / 11008MiB    | 16      0 |  1   0    1    0    1 |
|                  |               0MiB /  4405MiB    |           |                       |
"""


def test_newer_slices_whose_device_tells_no_memory():
    before, after = MIG.split("| Processes:")
    reading = read(before + SHARED + "| Processes:" + after)
    assert told(reading) == [
        (USED, "current", 0, "N/A"),
        (TOTAL, "total", 0, "N/A"),
        (USED, "current", 0, "15MiB"),
        (TOTAL, "total", 0, "11008MiB"),
        (PROCESS, "current", 0, "37MiB"),
    ]
    assert reading.observations[2].marks == {"mig": {"gi": 8, "ci": 0, "dev": 0}}
    assert reading.capacities == ()


def test_a_table_wrapped_at_80_columns():
    def wrapped(line):
        return "\n".join(line[at : at + 80] for at in range(0, len(line), 80))

    assert told(read("\n".join(wrapped(line) for line in TABLE.split("\n")))) == WHOLE


def test_inside_a_log():
    log = "step 3\n" * 40 + TABLE + "step 4\n" * 40
    assert told(read(log)) == WHOLE
    assert read(log).observations[0].pointer.line == 50
    assert MEMBER.accepts(log.encode(), "a.log") == 50
    assert MEMBER.accepts(TABLE.encode(), "gpu.txt") == 92


def test_a_table_that_breaks_off():
    lines = TABLE.split("\n")
    reading = read("\n".join(TABLE.split("\n") + lines[:9]))
    assert told(reading) == WHOLE
    assert "truncated" in keys(reading)


def test_no_row_of_a_device():
    with pytest.raises(Refused, match="F424"):
        read("+----+\n| NVIDIA-SMI 535.54  Driver Version: 535 |\n")
    with pytest.raises(Refused, match="F424"):
        read("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    assert MEMBER.accepts(b"NVIDIA-SMI has failed because", "") == 0


def test_two_machines_in_one_file():
    other = wide().replace("580.65.06", "535.54.03")
    assert "facts_differ" in keys(read(wide() + other))


@given(st.integers(0, len(TABLE) - 1), st.binary(max_size=6), st.integers(0, 9))
def test_mutations_never_break_it(at, put, cut):
    text = TABLE.encode()
    holds_together(read, text[:at] + put + text[at + cut :])
