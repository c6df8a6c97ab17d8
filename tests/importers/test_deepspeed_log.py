"""DeepSpeed's lines about memory (evidence_formats 4)."""

import pytest
from importers.training import (
    DAMAGES,
    GIB,
    bounds,
    facts,
    in_json,
    ranks,
    read,
    refusal,
    seen,
    told,
    wrapped,
)

from fiche.importers.deepspeed_log import MEMBER

FRONT = "[2024-06-11 09:14:22,107] [INFO] [utils.py:802:see_memory_usage] "
SEE = "MA 14.96 GB         Max_MA 16.2 GB         CA 18.34 GB         Max_CA 18 GB "
LOG = f"""{FRONT}Before initializing optimizer states
{FRONT}{SEE}
{FRONT}CPU Virtual Memory:  used = 41.77 GB, percent = 8.3%
"""
STATUS = (
    "RANK=3 MEMSTATS before step device=cuda:3 current alloc=10.1234GB (delta=-0.1234GB max=12.0000GB) "
    "current cache=13.0000GB (delta=0.0000GB max=13.5000GB)\n"
)


@pytest.mark.parametrize("damage", [lambda text: text, in_json, *DAMAGES])
def test_a_call_gives_levels_and_peaks_since_the_call_before(damage):
    reading = read(MEMBER, damage(LOG))
    assert seen(reading) == [
        ("allocated_bytes", "current", "14.96"),
        ("allocated_bytes", "peak", "16.2"),
        ("reserved_bytes", "current", "18.34"),
        ("reserved_bytes", "peak", "18"),
        ("host_used", "current", "41.77"),
    ]
    assert {o.window for o in reading.observations if o.stat == "peak"} == {"since_previous_line"}
    assert told(reading, "rank_0_only")
    assert told(reading, "unit_label_is_binary")


def test_the_largest_cache_is_rounded_to_a_whole_number():
    peak = read(MEMBER, LOG).observations[3]
    assert bounds(peak) == (17 * GIB + GIB // 2, 18 * GIB + GIB // 2)


def test_dropped_zeros_leave_the_step_at_two_decimals():
    peak = read(MEMBER, LOG).observations[1]
    assert peak.value.rounding == "nearest-2-digits"


def test_the_label_is_the_line_before_of_the_same_function():
    text = LOG.replace("states\n", "states\nloading kernels, some other process says\n")
    assert {o.label for o in read(MEMBER, text).observations} == {
        "Before initializing optimizer states"
    }


def test_newer_versions_print_without_a_logger():
    reading = read(
        MEMBER, f"After step\n{SEE}\nCPU Virtual Memory:  used = 41.77 GB, percent = 8.3%\n"
    )
    assert {o.label for o in reading.observations} == {"After step"}
    assert ranks(reading) == {0, None}


def test_a_launchers_word_is_no_part_of_the_label():
    reading = read(MEMBER, f"worker-0: After step\nworker-0: {SEE}\n")
    assert {o.label for o in reading.observations} == {"After step"}


def test_a_wrapped_line_is_joined():
    assert len(read(MEMBER, wrapped(LOG, 100)).observations) == 5


def test_status_lines_name_rank_and_device():
    reading = read(MEMBER, STATUS)
    assert ranks(reading) == {3}
    assert {o.device_index for o in reading.observations} == {3}
    fall = next(o for o in reading.observations if o.stat == "delta")
    assert fall.value.low < fall.value.value < fall.value.high < 0
    assert reading.observations[0].label == "before step"


def test_timers():
    text = (
        "[2024-06-11 09:15:40,002] [INFO] [timer.py:260:stop] epoch=0/micro_step=20/global_step=10, "
        "RunningAvgSamplesPerSec=10.412, CurrSamplesPerSec=9.5, MemAllocated=26.19GB, MaxMemAllocated=61.4GB\n"
        "after init   | mem_allocated: 0.0527 GB | max_mem_allocated: 0.0600 GB | cache_allocated: 0.0566 GB | "
        "max_cache_allocated: 0.0700 GB\n"
    )
    assert seen(read(MEMBER, text)) == [
        ("allocated_bytes", "current", "26.19GB"),
        ("allocated_bytes", "peak", "61.4GB"),
        ("allocated_bytes", "current", "0.0527GB"),
        ("allocated_bytes", "peak", "0.0600GB"),
        ("reserved_bytes", "current", "0.0566GB"),
        ("reserved_bytes", "peak", "0.0700GB"),
    ]


def test_lines_of_different_kinds_do_not_reach_into_each_other():
    reading = read(MEMBER, STATUS + LOG)
    assert sum(o.rank == 3 for o in reading.observations) == 6
    assert len(reading.observations) == 11


def test_what_the_run_states_compares_with_a_fiche():
    logger = "[2024-06-11 09:14:00,485] [INFO] "
    text = LOG + (
        f"{logger}[logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.14.0, git-hash=unknown\n"
        f"{logger}[config.py:1000:print]   world_size ................... 8\n"
        f"{logger}[config.py:1000:print]   zero_optimization_stage ...... 3\n"
    )
    assert facts(read(MEMBER, text)) == {
        "extensions.deepspeed": "0.14.0",
        "placement.devices": "8",
        "placement.sharding": "zero3",
    }


def test_a_log_without_these_lines():
    assert MEMBER.accepts(b"MA 14.96 GB", "x") == 0
    assert refusal(MEMBER, "DeepSpeed info: version=0.14.0\n") == "F424"
