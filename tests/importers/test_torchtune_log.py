"""torchtune's memory statistics (evidence_formats 4)."""

import pytest
from importers.training import DAMAGES, GIB, bounds, read, refusal, seen, told

from fiche.importers.torchtune_log import MEMBER

STAGE = """2025-01-17 17:19:44,333 - torchtune.utils._logging - INFO - Memory stats after model init:
\tGPU peak memory allocation: 4.98 GiB
\tGPU peak memory reserved: 5.12 GiB
\tGPU peak memory active: 4.98 GiB
"""
PEAKS = [
    ("allocated_bytes", "peak", "4.98"),
    ("reserved_bytes", "peak", "5.12"),
    ("active_bytes", "peak", "4.98"),
]


@pytest.mark.parametrize("damage", [lambda text: text, *DAMAGES])
def test_three_lines_after_a_stage(damage):
    reading = read(MEMBER, damage(STAGE))
    assert seen(reading) == PEAKS
    assert {o.label for o in reading.observations} == {"Memory stats after model init"}
    assert {o.window for o in reading.observations} == {"since_previous_line"}


def test_older_versions_count_in_powers_of_ten_under_the_same_words():
    new, old = read(MEMBER, STAGE), read(MEMBER, STAGE.replace("GiB", "GB"))
    assert new.observations[0].value.unit_bytes == GIB
    assert bounds(old.observations[0]) == (4_975_000_000, 4_985_000_000)
    assert told(old, "unit_label_is_decimal")


@pytest.mark.parametrize(
    ("number", "count"),
    [
        ("52.001708984375", 55836409856),
        ("47.32469987869263", 50814509568),
        ("13.956437504", 13956437504),
    ],
)
def test_the_metrics_of_a_step_are_whole_blocks_in_one_unit_only(number, count):
    text = f"Step 7 | loss:2.4 lr:2e-05 peak_memory_alloc:{number} \n"
    (peak,) = read(MEMBER, text).observations
    assert (bounds(peak), peak.marks["step"]) == ((count, count), 7)


def test_a_metric_that_fits_neither_unit_is_set_aside():
    reading = read(MEMBER, "Step 7 | loss:2.4 peak_memory_alloc:13.9 \n")
    assert not reading.observations
    assert reading.not_observed[0].text == "peak_memory_alloc: 13.9"


def test_a_generation_says_what_it_used():
    text = "INFO:torchtune.utils._logging:Memory used: 13.96 GB\n"
    (peak,) = read(MEMBER, text).observations
    assert peak.value.value == 13_960_000_000
    assert MEMBER.accepts(b"Memory used: 13.96 GB\n", "x") == 0  # anybody could say that


def test_the_profilers_table_is_no_level():
    text = STAGE + "Name  Self CPU %  Self CUDA  CUDA Mem  Self CUDA Mem  # of Calls\n"
    assert "no level" in read(MEMBER, text).not_observed[0].reason


def test_other_platforms():
    assert read(MEMBER, STAGE.replace("GPU", "XPU")).backend == "xpu"
    assert read(MEMBER, STAGE).backend is None


def test_a_log_without_these_lines():
    assert refusal(MEMBER, "torchtune.utils._logging - INFO - Loss is initialized.\n") == "F424"
