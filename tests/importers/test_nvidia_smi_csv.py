"""`nvidia-smi --query-gpu` and `--query-compute-apps` as CSV (evidence_formats 7): names, units, series."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.nvidia_smi_csv import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)
MIB = 1 << 20

ONE = """\
index, name, driver_version, memory.total [MiB], memory.used [MiB], memory.free [MiB]
0, NVIDIA H200, 570.133.20, 143771 MiB, 38127 MiB, 105101 MiB
1, NVIDIA H200, 570.133.20, 143771 MiB, [N/A], [Not Supported]
"""


def test_one_sample_a_device():
    reading = read(ONE)
    assert reading.shape == "query-gpu"
    assert told(reading) == [
        ("memory.used", "current", 0, "38127 MiB"),
        ("memory.total", "total", 0, "143771 MiB"),
        ("memory.free", "free", 0, "105101 MiB"),
        ("memory.used", "current", 1, "[N/A]"),
        ("memory.total", "total", 1, "143771 MiB"),
        ("memory.free", "free", 1, "[Not Supported]"),
    ]
    assert reading.observations[3].value.unavailable
    assert facts(reading)["driver"] == "570.133.20"
    assert totals(reading)[0] == (0, "143771 MiB", "NVIDIA H200", None)


def test_output_that_a_record_keeps_in_a_string():
    docker = "".join(
        json.dumps({"log": line, "stream": "stdout", "time": "2026-01-15T03:22:41.1Z"}) + "\n"
        for line in ONE.splitlines(keepends=True)
    )
    once = json.dumps({"stdout": ONE})
    for text in (docker, once, json.dumps({"step": once}), json.dumps([{"out": ONE, "rc": 0}])):
        reading = read(text)
        assert told(reading) == told(read(ONE))
        assert "truncated" not in keys(reading)


def test_nounits_keeps_the_unit_in_the_header():
    bare = ONE.replace(" MiB,", ",").replace(" MiB\n", "\n")
    reading = read(bare)
    assert told(reading)[0] == ("memory.used", "current", 0, "38127")
    assert reading.observations[0].value.value == 38127 * MIB


def test_without_a_header_nobody_knows_which_figure_is_which():
    text = "".join(line + "\n" for line in ONE.splitlines()[1:])
    assert MEMBER.accepts(text.encode(), "gpu.csv") == 45
    with pytest.raises(Refused, match="F440"):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "24310 MiB, 40960 MiB\n",
        "1031 MiB\n1031 MiB\n1040 MiB\n",
        "0, NVIDIA A100-SXM4-40GB, 40960, 24310\n1, NVIDIA A100-SXM4-40GB, 40960, 4\n",
        "GPU-1a8cc6b1-ccb6-5029-fa69-fff5ded323b9, 114687, /usr/local/bin/python, 19135\n",
        "[N/A], [N/A], 0\n",
    ],
)
def test_other_rows_without_a_header(text):
    assert MEMBER.accepts(text.encode(), "gpu.csv") == 45
    with pytest.raises(Refused, match="F440"):
        read(text)


def test_a_log_is_no_such_csv():
    for text in (
        "Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\nbuffer: 512 MiB\n",
        "step 1, loss 2, 512 MiB\nstep 2, loss 3\n",
        "1, 2, 3\n4, 5, 6\n",
        "",
    ):
        assert MEMBER.accepts(text.encode(), "run.log") == 0


def test_without_any_unit_nothing_is_read():
    text = ONE.replace(" MiB", "").replace(" [MiB]", "")
    with pytest.raises(Refused, match=r"F440.*unit"):
        read(text)


def test_a_series_without_an_index():
    """`--query-gpu=memory.used -l 1`: devices may be mixed, and that is said."""
    reading = read("memory.used [MiB]\n4 MiB\n900 MiB\n38127 MiB\n")
    assert told(reading) == [("memory.used", "sampled_max", None, "38127 MiB")]
    assert {"device_not_named", "sampled"} <= keys(reading)


def test_devices_by_uuid_or_bus():
    reading = read("uuid, memory.used [MiB]\nGPU-11, 4 MiB\nGPU-22, 7 MiB\n")
    assert [seen.marks for seen in reading.observations] == [{"uuid": "GPU-11"}, {"uuid": "GPU-22"}]
    reading = read("pci.bus_id, memory.used [MiB]\n00000000:17:00.0, 4 MiB\n")
    assert reading.observations[0].marks == {"bus_id": "00000000:17:00.0"}


def test_a_period_of_half_a_second():
    lines = ["timestamp, index, memory.used [MiB]"]
    lines += [f"2025/06/03 23:59:5{9 - n}.{5 * n}00, 0, {n} MiB" for n in (1,)]
    lines += ["2025/06/03 23:59:59.900, 0, 2 MiB", "2025/06/04 00:00:00.400, 0, 3 MiB"]
    lines += ["2025/06/04 00:00:00.900, 0, 1 MiB"]
    reading = read("\n".join(lines))
    assert reading.further["sample_period_s"] == 0.5
    assert reading.further["samples"] == 4
    assert told(reading) == [("memory.used", "sampled_max", 0, "3 MiB")]


APPS = """\
gpu_uuid, pid, process_name, used_gpu_memory [MiB]
GPU-1, 114687, /usr/local/bin/python, 19135 MiB
GPU-1, 114690, python -c a, b, 12 MiB
GPU-2, 7, other, [N/A]
"""


def test_processes():
    reading = read(APPS)
    assert reading.shape == "query-compute-apps"
    assert [(seen.marks["pid"], seen.marks["process"]) for seen in reading.observations] == [
        (114687, "/usr/local/bin/python"),
        (114690, "python -c a, b"),
        (7, "other"),
    ]
    assert {seen.scope for seen in reading.observations} == {"process"}
    assert reading.observations[0].value.value == 19135 * MIB
    assert {"process_memory_unavailable"} <= keys(reading)
    assert not reading.capacities


def test_activity_is_no_fill():
    reading = read("index, utilization.memory [%], memory.used [MiB]\n0, 100 %, 5 MiB\n")
    assert "not how full" in reading.not_observed[0].reason
    assert told(reading) == [("memory.used", "current", 0, "5 MiB")]


def test_two_queries_in_one_file():
    reading = read(ONE + APPS)
    assert reading.shape == "query-gpu+query-compute-apps"
    assert len(reading.observations) == 9


def test_a_row_that_breaks_off():
    reading = read(ONE + "1, NVIDIA H2")
    assert told(reading) == told(read(ONE))
    assert "truncated" in keys(reading)


def test_damage_on_the_way():
    whole = told(read(ONE))
    assert told(read(ONE.replace("\n", "\r\n"))) == whole
    assert told(read("\x1b[2J" + ONE.replace("MiB", "\x1b[1mMiB\x1b[0m"))) == whole
    assert told(read("".join("svc-1  | " + line + "\n" for line in ONE.splitlines()))) == whole
    assert told(read(ONE.replace(", ", ","))) == whole


def test_totals_that_change():
    text = (
        "index, memory.total [MiB], memory.used [MiB]\n0, 40960 MiB, 1 MiB\n0, 81920 MiB, 1 MiB\n"
    )
    assert "total_differs" in keys(read(text))
    assert read(text).capacities == ()


def test_accepts():
    assert MEMBER.accepts(ONE.encode(), "x") == 92
    assert MEMBER.accepts(b"a, b, c\n1, 2, 3\n", "x.csv") == 0
    assert MEMBER.accepts(b"step, memory.used\n1, 4\n", "x.csv") == 92  # refused for want of a unit
    with pytest.raises(Refused, match="F424"):
        read("index, memory.used [MiB]\n")


@given(st.integers(0, len(ONE + APPS) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    text = ONE + APPS
    holds_together(read, text[:at] + put + text[at + cut :])
