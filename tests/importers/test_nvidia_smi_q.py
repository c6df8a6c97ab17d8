"""`nvidia-smi -q` as text: blocks told apart, slices, processes, other sections (evidence_formats 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.nvidia import report
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.nvidia_smi_q import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
FIRST, SECOND = "00000000:01:00.0", "00000000:41:00.0"


def figures(reading, bus, mig=None):
    return {
        seen.counter: seen.value.text
        for seen in reading.observations
        if seen.marks.get("bus_id") == bus
        and seen.marks.get("mig") == mig
        and seen.scope == "device"
    }


def test_only_the_frame_buffer_is_read():
    """BAR1 and Conf Compute print the same words."""
    reading = read(report())
    assert figures(reading, FIRST) == {
        "memory.used": "37 MiB",
        "memory.total": "81920 MiB",
        "memory.free": "80989 MiB",
        "memory.reserved": "893 MiB",
    }
    assert figures(reading, SECOND)["memory.used"] == "30510 MiB"
    assert all(seen.device_index is None for seen in reading.observations)


@pytest.mark.parametrize(
    "prefix",
    [
        "svc-1  | ",
        "2026-01-15T03:22:41.118{n}Z ",
        "{n}.4s\t{n}\t",
        "[pod/train-0/main] ",
        "> ",
        '{{"log":"',
        "    ",
    ],
)
def test_lines_with_a_prefix_keep_their_blocks(prefix):
    lines = report().split("\n")
    text = "\n".join(f"{prefix.format(n=10 ** (n % 4))}{line}" for n, line in enumerate(lines))
    plain = read(report())
    reading = read(text)
    assert [(s.counter, s.value.text) for s in reading.observations] == [
        (s.counter, s.value.text) for s in plain.observations
    ]
    assert [s.marks.get("mig") for s in reading.observations] == [
        s.marks.get("mig") for s in plain.observations
    ]


def test_totals_are_counted_where_all_devices_are_listed():
    """`-i 1` lists one of several, and nobody knows which index it has."""
    assert [index for index, *_ in totals(read(report()))] == [0, 1]
    assert "index_by_order" in keys(read(report()))
    one = report().replace("Attached GPUs                             : 2", "Attached GPUs : 4")
    assert [index for index, *_ in totals(read(one))] == [None, None]
    assert facts(read(report()))["devices.1.name"] == "NVIDIA A100-SXM4-80GB"


def test_a_slice_is_a_device_of_its_own():
    reading = read(report())
    slice_ = figures(reading, FIRST, {"gi": 3, "ci": 0, "dev": 0})
    assert slice_["memory.total"] == "40192 MiB"
    assert [text for _, text, _, _ in totals(reading)] == ["81920 MiB", "81920 MiB"]
    assert "mig" in keys(reading)


def test_processes_and_their_missing_memory():
    processes = [seen for seen in read(report()).observations if seen.scope == "process"]
    assert [(seen.marks["pid"], seen.marks["type"]) for seen in processes] == [
        (31877, "C"),
        (31999, "C+G"),
    ]
    assert processes[0].marks["process"] == "/usr/bin/python3: worker"
    assert processes[0].value.text == "30498 MiB"
    assert processes[1].value.unavailable
    assert {"process_memory_unavailable", "processes_present"} <= keys(read(report()))


def test_no_process_means_that_others_are_bounded():
    first, second = (others for *_, others in totals(read(report())))
    assert first == (0, 38 << 20)
    assert second is None


def test_facts_and_activity():
    reading = read(report())
    assert facts(reading)["driver"] == "535.104.05"
    assert facts(reading)["device"] == "NVIDIA A100-SXM4-80GB"
    assert facts(reading)["ecc"] == "on"
    assert "mig" not in facts(reading)  # it differs
    assert "Utilization: Memory" in [aside.text for aside in reading.not_observed]


def test_several_reports_are_a_series():
    loop = (
        report(37) + report(70, "Thu Jul 10 08:20:36 2025") + report(50, "Thu Jul 10 08:20:41 2025")
    )
    reading = read(loop)
    assert figures(reading, FIRST)["memory.used"] == "70 MiB"
    assert (reading.further["samples"], reading.further["sample_period_s"]) == (3, 5)
    assert reading.further["observed_at"] == "Thu Jul 10 08:20:31 2025"


OLD = """\
==============NVSMI LOG==============

Timestamp                           : Tue Aug 15 16:00:35 2017
Driver Version                      : 375.66

Attached GPUs                       : 1
GPU 0000:01:00.0
    FB Memory Usage
        Total                       : 1995 MiB
        Used                        : 1934 MiB
        Free                        : 61 MiB
    BAR1 Memory Usage
        Total                       : 256 MiB
        Used                        : 5 MiB
        Free                        : 251 MiB
"""


def test_an_old_report_counts_the_reserve_as_used():
    reading = read(OLD)
    assert [text for *_, text in told(reading)] == ["1934 MiB", "1995 MiB", "61 MiB"]
    assert "used_includes_reserve" in keys(reading)


def test_damage_on_the_way():
    whole = told(read(report()))
    assert told(read(report().replace("\n", "\r\n"))) == whole
    assert told(read("".join(line.strip() + "\n" for line in report().split("\n")))) == whole
    assert told(read("$ nvidia-smi -q\n\n" + report())) == whole
    assert told(read(report().replace("Used", "\x1b[1mUsed\x1b[0m"))) == whole


def test_nothing_of_memory_in_it():
    with pytest.raises(Refused, match="F424"):
        read(
            "==============NVSMI LOG==============\n\nGPU 00000000:01:00.0\n    Clocks\n        SM : 1\n"
        )


def test_accepts():
    assert MEMBER.accepts(report().encode(), "") == 92
    assert MEMBER.accepts(b"x\n" * 30 + report().encode(), "") == 50
    assert MEMBER.accepts(b"nothing", "") == 0


@given(st.integers(0, len(report()) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    text = report()
    holds_together(read, text[:at] + put + text[at + cut :])
