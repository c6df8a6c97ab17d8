"""Successful runs: counters that cannot all be true, outputs that did not pass (C3, C6, C14)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    MACHINE,
    TO_CONFIRM,
    allocated,
    finding,
    memory,
    outside,
    peak,
    piece,
    reserved,
    run,
    says,
    total,
    used,
    verdict,
    workload,
)
from evaluate.build import candidate as a_candidate

from fiche.kernel.record import replace

PEAK, MORE = 21 * 10**9, 22 * 10**9


def record(*seen, **changes):
    loop = run(*seen, **changes)
    return piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[loop])


@pytest.mark.parametrize(
    "part",
    [
        reserved(MORE),
        allocated(MORE),
        peak("memory_reserved", MORE, stat="current"),
        peak("memory_reserved", MORE, stat="start"),
        peak("process_device_used", MORE, stat="sampled_max"),
        outside(MORE),
    ],
)
def test_a_part_of_the_process_above_the_whole_of_it_is_a_conflict(part):
    """The whole never holds less than a part of it does: one of the counters is wrong."""
    found = finding(memory(), [record(used(PEAK), part)])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, f"peaked at {PEAK} B at most, and its {part.counter} was at least|{MORE}")


@pytest.mark.parametrize(
    "other",
    [
        reserved(PEAK),
        reserved(None),
        peak("memory_reserved", MORE, stat="delta"),
        replace(peak("other_processes_used", MORE, stat="current"), scope="device"),
        replace(peak("device_total", MORE, stat="total"), scope="device"),
        replace(peak("tokens", None, stat="current"), number=10**12, unit="tokens"),
    ],
)
def test_what_is_no_level_of_this_process_contradicts_nothing(other):
    assert verdict(memory(), [record(used(PEAK), other)]) is ADMISSIBLE


def test_a_level_of_another_device_contradicts_nothing():
    """C9."""
    assert verdict(memory(), [record(used(PEAK), reserved(MORE, device=1))]) is ADMISSIBLE
    alone = [used(PEAK, device=1), reserved(MORE, device=1)]
    assert finding(memory(), [record(*alone)]).reason == "conflict"


def test_an_upper_bound_of_the_allocator_contradicts_nothing():
    """C6: under cudaMallocAsync the reserved peak may be above what was ever held at once."""
    load = workload(allocator__backend="cudaMallocAsync")
    on = a_candidate(load=load)
    bound = record(used(PEAK), reserved(MORE), load=load)
    assert verdict(memory(), [bound], on) is ADMISSIBLE
    live = record(used(PEAK), allocated(MORE), load=load)
    assert finding(memory(), [live], on).reason == "conflict"


def test_an_output_that_did_not_pass_shows_no_working_load():
    """C14: memory can be bought with a wrong result."""
    for told, expected in (
        ("checked, not passed: same tokens", TO_CONFIRM),
        ("checked, passed: same tokens", ADMISSIBLE),
        ("checked, passed: not passed before", ADMISSIBLE),
        ("", ADMISSIBLE),
    ):
        found = finding(memory(), [record(used(PEAK), output_check=told)])
        assert found.verdict is expected
        assert expected is ADMISSIBLE or says(found, "did not pass")
