"""A log of several programs: one reading, in the order of its lines, nothing counted twice."""

import pytest

from fiche.importers._joined import joined
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Failure, Observation, Reading, Run
from fiche.kernel.record import replace
from fiche.kernel.rounding import exact_bytes

DIGEST = "ab" * 32


def at(line):
    return Pointer(sha256=DIGEST, line=line)


def seen(value, line, **more):
    return Observation(
        counter="free",
        scope="device",
        stat="free",
        kind_of_origin="measured",
        pointer=at(line),
        value=exact_bytes(value),
        **more,
    )


def failed(line, **quantities):
    return Failure(
        pointer=at(line),
        message_kind="allocator_oom",
        memory="device",
        backend="cuda",
        quantities=quantities,
    )


def test_observations_stand_in_the_order_of_the_log():
    one = Reading(kind="vllm_log", shape="v1", observations=(seen(1, 9), seen(2, 3)))
    two = Reading(kind="other", shape="x", observations=(seen(3, 5), seen(1, 9)))
    assert [s.pointer.line for s in joined(one, two).observations] == [3, 5, 9]


def test_two_devices_of_one_line_with_equal_figures_stay_two():
    both = (seen(1, 9, device_index=0), seen(1, 9, device_index=1))
    one = Reading(kind="ollama_log", shape="x", observations=both)
    assert len(joined(one, Reading(kind="other", shape="x")).observations) == 2


def test_a_failure_that_both_read_keeps_the_fuller_figures():
    one = Reading(kind="vllm_log", shape="v1", failures=(failed(4), failed(8)))
    two = Reading(kind="torch_oom", shape="x", failures=(failed(4, requested=exact_bytes(7)),))
    assert [len(f.quantities) for f in joined(one, two).failures] == [1, 0]


def test_the_first_ones_facts_win_and_runs_keep_their_own_ids():
    run = Run(id="failure-1", outcome="failure", whole_loop=False, phases=())
    fact = {"driver": Fact(value="550", address=at(1))}
    other = {"driver": Fact(value="560", address=at(2)), "os": Fact(value="x", address=at(2))}
    one = Reading(kind="a", shape="x", backend="cuda", runs=(run,), facts=fact)
    two = Reading(kind="b", shape="x", runs=(run,), facts=other, duplicate_messages=2)
    both = joined(one, two)
    assert [r.id for r in both.runs] == ["failure-1", "failure-1-2"]
    assert (both.facts["driver"].value, both.facts["os"].value) == ("550", "x")
    assert (both.kind, both.backend, both.duplicate_messages) == ("a", "cuda", 2)
    assert joined(both, Reading(kind="c", shape="x")).further["joined_kinds"] == ("b", "c")


def counted(count, line, **more):
    return Failure(
        pointer=at(line),
        message_kind="oom_counter",
        memory="device",
        backend="cuda",
        count=count,
        **more,
    )


@pytest.mark.parametrize(
    ("counter", "kept", "repeats"),
    [
        (counted(1, 9, device_index=0), 1, 1),
        (counted(2, 9, device_index=0), 2, 0),  # another failure is in it
        (counted(1, 2, device_index=0), 2, 0),  # counted before the message
        (counted(1, 9, device_index=1), 2, 0),
    ],
)
def test_a_count_of_failures_whose_messages_stand_above_is_no_other_failure(counter, kept, repeats):
    run = Run(id="failure-1", outcome="failure", whole_loop=False, phases=(), failure=counter)
    message = replace(failed(4), device_index=0)
    one = Reading(kind="torch_oom", shape="x", failures=(message,))
    two = Reading(kind="torch_memory_summary", shape="y", failures=(counter,), runs=(run,))
    for both in (joined(one, two), joined(two, one)):
        assert (len(both.failures), both.duplicate_messages) == (kept, repeats)
        assert len(both.runs) == kept - 1
