"""axolotl's metrics and lines of memory (evidence_formats 4)."""

import json

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

from fiche.importers.axolotl_log import MEMBER

OLD_KEYS = (
    "{'loss': 1.3021, 'memory/max_mem_active(gib)': 18.42, 'memory/max_mem_allocated(gib)': 18.31, "
    "'memory/device_mem_reserved(gib)': 20.6, 'epoch': 0.1}\n"
)
NEW_KEYS = (
    "{'loss': '1.2277', 'memory/max_active (GiB)': '18.42', 'memory/max_allocated (GiB)': '18.31', "
    "'memory/device_reserved (GiB)': '20.6', 'tokens_per_second_per_gpu': '2810.22', 'epoch': '0.2'}\n"
)
METRICS = [
    ("active_bytes", "peak", "18.42"),
    ("allocated_bytes", "peak", "18.31"),
    ("reserved_bytes", "peak", "20.6"),
]
FRONT = (
    "[2025-10-07 13:02:18,660] [DEBUG] [axolotl.utils.bench.log_gpu_memory_usage:119] [PID:4410] "
)
ACTIVE = f"{FRONT}cuda memory active: 4.871GB (+4.871GB allocated, +5.062GB reserved)\n"
USAGE = (
    "[2023-08-22 13:02:18,660] [INFO] [axolotl.load_model:853] [PID:4410] [RANK:1] GPU memory usage after "
    "adapters: 25.701GB (+0.079GB cache, +1.045GB misc)\n"
)


@pytest.mark.parametrize("damage", [lambda text: text, wrapped, in_json, *DAMAGES])
@pytest.mark.parametrize("text", [OLD_KEYS, NEW_KEYS])
def test_both_spellings_are_peaks_since_the_metrics_before(text, damage):
    reading = read(MEMBER, damage(text))
    assert seen(reading) == METRICS
    assert {o.value.rounding for o in reading.observations} == {"nearest-2-digits"}
    assert {o.window for o in reading.observations} == {"since_previous_line"}
    assert ranks(reading) == {0}
    assert told(reading, "rank_0_only")


def test_a_figure_written_as_text_has_four_digits():
    peak = read(MEMBER, NEW_KEYS.replace("'18.42'", "'118.5'")).observations[0]
    assert peak.value.rounding == "nearest-1-digits"


def test_a_trainers_state():
    state = {
        "log_history": [{"step": 10, "memory/max_active (GiB)": 18.5}, {"step": 20, "loss": 1.0}]
    }
    (peak,) = read(MEMBER, json.dumps(state)).observations
    assert (peak.pointer.path, peak.marks["step"]) == (
        "/log_history/0/memory~1max_active (GiB)",
        10,
    )


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_the_newer_line_holds_three_peaks_and_no_sum(damage):
    reading = read(MEMBER, damage(ACTIVE))
    assert seen(reading) == [
        ("active_bytes", "peak", "4.871GB"),
        ("allocated_bytes", "peak", "4.871GB"),
        ("reserved_bytes", "peak", "5.062GB"),
    ]
    assert (reading.backend, reading.shape) == ("cuda", "text-lines")
    assert facts(reading)["engine.name"] == "axolotl"


def test_the_newer_line_under_words_of_its_own():
    text = f"{FRONT}Memory usage after model load 4.871GB (+4.871GB allocated, +5.062GB reserved)\n"
    reading = read(MEMBER, text)
    assert {o.label for o in reading.observations} == {"Memory usage after model load"}


def test_the_older_line_adds_what_the_allocator_holds_and_what_the_device_shows():
    usage, cache, held, misc = read(MEMBER, USAGE).observations
    assert (usage.counter, usage.stat, usage.label, usage.rank) == (
        "allocated_bytes",
        "current",
        "after adapters",
        1,
    )
    low, high = bounds(held)
    assert (held.counter, held.marks["derived"]) == ("reserved_bytes", True)
    assert low < 25.78 * GIB < high
    assert (cache.scope, misc.scope, misc.stat) == ("process_allocator", "device", "delta")


def test_on_a_mac_the_figures_are_levels():
    text = ACTIVE.replace("cuda", "mps").replace(", +5.062GB reserved", "")
    reading = read(MEMBER, text)
    assert {o.stat for o in reading.observations} == {"current"}
    assert reading.backend == "mps"


def test_where_the_words_do_not_say_what_the_figures_are():
    reading = read(MEMBER, ACTIVE.replace("cuda", "npu"))
    assert not reading.observations
    assert reading.not_observed


def test_words_of_other_programs_are_left_alone():
    assert MEMBER.accepts(b"GPU memory usage is high\nmemory usage peak: 3.0GB\n", "x") == 0
    assert refusal(MEMBER, "GPU memory usage is high\n") == "F424"


def test_a_state_that_breaks_off():
    assert refusal(MEMBER, '{"log_history": [{"memory/max_active (GiB)": 18.') == "F428"


def test_a_platform_that_an_earlier_line_named():
    later = f"{FRONT}after adapters 1.500GB (+2.500GB allocated)\n"
    text = ACTIVE.replace("cuda", "mps").replace(", +5.062GB reserved", "") + later
    assert {o.stat for o in read(MEMBER, text).observations} == {"current"}
    alone = read(MEMBER, later)
    assert not alone.observations
    assert alone.not_observed
