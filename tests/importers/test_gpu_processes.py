"""`torch.cuda.list_gpu_processes()` as printed (evidence_formats 2.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.readings import holds_together, keys, reader, told

from fiche.importers.gpu_processes import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)

LIST = """\
GPU:0
process       4242 uses     8123.438 MB GPU memory
process      31877 uses    38110.000 MB GPU memory
GPU:1
no processes are running
"""


def test_each_process_of_its_device():
    reading = read(LIST)
    assert told(reading) == [
        ("process.used_gpu_memory", "current", 0, "8123.438 MB"),
        ("process.used_gpu_memory", "current", 0, "38110.000 MB"),
    ]
    value = reading.observations[0].value
    assert value.rounding == "nearest-3-digits"
    assert value.low <= 8123 * (1 << 20) + 459_000 <= value.high
    assert [seen.marks["pid"] for seen in reading.observations] == [4242, 31877]
    assert {"unit_label_is_binary", "processes_present"} <= keys(reading)


def test_no_process_is_no_zero():
    reading = read("GPU:1\nno processes are running\n")
    assert reading.observations == ()
    assert "container" in reading.not_observed[0].reason


def test_inside_a_log():
    text = "step 1\n[rank0]: GPU:0\n[rank0]: process       4242 uses     8123.438 MB GPU memory\nstep 2\n"
    reading = read(text)
    assert told(reading) == told(read(LIST))[:1]
    assert reading.observations[0].pointer.line == 3
    assert MEMBER.accepts(text.encode(), "") == 80


def test_repeated_lists_are_a_series():
    again = LIST.replace("8123.438", "9000.500")
    assert told(read(LIST + again))[0][1::2] == ("sampled_max", "9000.500 MB")


def test_no_list():
    with pytest.raises(Refused, match="F424"):
        read("GPU:0 is busy\n")
    assert MEMBER.accepts(b"GPU:0 is busy\n", "") == 0


@given(st.integers(0, len(LIST) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    holds_together(read, LIST[:at] + put + LIST[at + cut :])
