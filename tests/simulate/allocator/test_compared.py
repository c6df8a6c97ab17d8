"""Recorded traces against the replay of what they asked for."""

import hashlib
import pickle
from pathlib import Path

import pytest
import run_cases
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from importers.snapshots import MIB, Machine, block, segment, snapshot
from simulate.allocator.streams_of_events import drawn_events, events_of
from simulate.allocator.tracing import traced

from fiche.kernel.diagnostic import Refused
from fiche.simulate.allocator import AllocatorSettings, SettingsError, replay
from fiche.simulate.allocator.compared import compared
from fiche.simulate.allocator.recorded import recorded
from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, FREE

GROWING = "expandable_segments:True"
BASE = 1 << 40


def told(content, device=0, settings=None):
    return recorded(content, hashlib.sha256(content).hexdigest(), device, settings)


def by_hand():
    """As a published sample of a snapshot has it: it begins with 4 MiB in use that it does not show."""
    machine = Machine(segments={BASE: 20 * MIB}, live={BASE: (4 * MIB, [])})
    far, side, small = BASE + 256 * MIB, BASE + 512 * MIB, BASE + 768 * MIB
    machine.grow(far, 64 * MIB)
    machine.alloc(far, 64 * MIB - 100)
    machine.ask(far)
    machine.grow(side, 32 * MIB)
    machine.alloc(side, 32 * MIB)
    machine.complete(far)
    machine.shrink(far)
    machine.grow(small, 2 * MIB)
    machine.alloc(small, 1000)
    machine.ask(side)
    for entry in machine.entries:
        entry["stream"] = 21 if entry["addr"] == side else 0
    segments = machine.held()
    segments[1]["stream"] = 21
    return machine, segments


def test_a_trace_becomes_events():
    machine, segments = by_hand()
    trace = told(pickle.dumps(snapshot(segments, [machine.entries])))
    events = trace.events
    assert list(events.ops) == [ALLOC, ALLOC, ALLOC, FREE, EMPTY_CACHE, ALLOC]
    assert list(events.num_bytes) == [4 * MIB, 64 * MIB - 100, 32 * MIB, 0, 0, 1000]
    assert list(events.streams) == [0, 0, 21, 0, 0, 0]
    # A block is free for others when its free is completed: entry 5, not 2.
    assert [*trace.entries] == [0, 1, 4, 5, 6, 8]
    assert [n // MIB for n in trace.reserved] == [20, 84, 116, 116, 52, 54]
    assert [one.num_bytes for one in trace.old] == [20 * MIB]
    assert (trace.before, trace.end_bytes) == (1, 54 * MIB)


def test_a_trace_that_begins_in_mid_life_is_followed_from_what_was_held():
    machine, segments = by_hand()
    found = compared(told(pickle.dumps(snapshot(segments, [machine.entries]))))
    assert (found.agreed, found.events) == (5, 5)
    assert (found.placed, found.allocations) == (3, 3)
    assert found.first is None
    assert found.unseen == 1
    assert found.recorded_end_bytes == found.replayed_end_bytes == 54 * MIB
    assert found.words.startswith("after 5 of 5 events the reserved bytes are the recorded ones")
    assert "1 block(s) were allocated before the trace began" in found.words


def test_the_first_divergence_is_named():
    """The driver is asked for 64 MiB for a request of 16: no allocator of this kind does that."""
    machine = Machine()
    machine.grow(BASE, 64 * MIB)
    machine.alloc(BASE, 16 * MIB)
    machine.free(BASE)
    found = compared(told(pickle.dumps(snapshot(machine.held(), [machine.entries]))))
    assert found.first is not None
    assert found.first.words == (
        f"after entry 1 (an allocation) {64 * MIB} bytes were reserved, and {16 * MIB} in the replay"
    )
    assert (found.agreed, found.events, found.placed) == (0, 2, 1)
    assert found.first.words in found.words


def same(content, **more):
    found = compared(told(content, **more))
    assert found.first is None, found.words
    assert found.agreed == found.events
    assert found.placed == found.allocations
    assert found.recorded_end_bytes == found.replayed_end_bytes
    return found


@pytest.mark.parametrize("text", ["", GROWING, "max_split_size_mb:32"])
@given(events=drawn_events(most=40))
@settings(max_examples=40)
def test_a_whole_trace_is_replayed_to_the_byte_and_the_address(text, events):
    chosen = AllocatorSettings.of(text)
    made = traced(events, chosen)
    assume(made.entries)
    content = made.dumped(allocator_settings={"PYTORCH_CUDA_ALLOC_CONF": text})
    found = same(content)
    assert found.unseen == 0
    # The events that were read are those that were done.
    read = told(content).events
    assert max(replay(read, chosen).reserved, default=0) == max(replay(events, chosen).reserved)


@given(events=drawn_events(most=40), share=st.integers(1, 9))
@settings(max_examples=60)
def test_a_trace_may_begin_anywhere(events, share):
    """What was held when it began is found again, although the trace does not show it."""
    whole = traced(events, AllocatorSettings())
    assume(whole.entries)
    first = len(whole.entries) * share // 10
    # A free that was asked for before the window is completed in it; a segment has its block in it.
    while first and whole.entries[first - 1]["action"] in ("segment_alloc", "free_requested"):
        first -= 1
    same(whole.dumped(first))


def test_another_device_is_read_apart():
    made = traced(events_of(("a", 5), ("b", 30), "-a", "empty"), AllocatorSettings(), device=2)
    assert same(made.dumped(), device=2).device == 2


def test_settings_may_be_told_where_the_snapshot_is_silent():
    """A capacity bounds nothing here: what did not fit shows in the trace."""
    content = traced(events_of(("a", 16), ("b", 16)), AllocatorSettings.of(GROWING)).dumped()
    with pytest.raises(SettingsError, match="expandable_segments was True in the end"):
        told(traced_flag(content))
    same(content, settings=AllocatorSettings.of(GROWING, 1))


def traced_flag(content):
    told_by = pickle.loads(content)
    told_by["allocator_settings"]["expandable_segments"] = True
    return pickle.dumps(told_by)


def test_what_cannot_be_followed_is_refused_in_words():
    held = segment(BASE, 20 * MIB, [block(BASE, 5 * MIB, 5 * MIB)])
    machine = Machine()
    machine.note("snapshot", 0, 0)
    with pytest.raises(ValueError, match="no trace was recorded for device 0"):
        told(pickle.dumps(snapshot([held])))
    growing = pickle.dumps(
        snapshot(
            [held | {"is_expandable": True}],
            [machine.entries],
            allocator_settings={"PYTORCH_ALLOC_CONF": GROWING},
        )
    )
    with pytest.raises(ValueError, match="20971520 bytes were reserved before the trace"):
        told(growing)
    free = Machine(segments={}, live={BASE: (5 * MIB, [])})
    free.free(BASE)
    with pytest.raises(ValueError, match="lies in no segment"):
        told(
            pickle.dumps(
                snapshot(
                    [segment(BASE + MIB, 20 * MIB, [block(BASE + MIB, 9 * MIB, 9 * MIB)])],
                    [free.entries],
                )
            )
        )
    with pytest.raises(Refused, match="F46"):
        told(b"no snapshot")


def test_private_pools_are_said_to_be_there():
    machine = Machine()
    machine.grow(BASE, 20 * MIB)
    machine.alloc(BASE, 5 * MIB)
    segments = machine.held(segment_pool_id=(0, 1))
    found = compared(told(pickle.dumps(snapshot(segments, [machine.entries]))))
    assert "private pools" in found.words


def test_the_cases_runner_compares_each_device(tmp_path, capsys):
    machine, segments = by_hand()
    good = pickle.dumps(snapshot(segments, [machine.entries, []]))
    Path(tmp_path / "good.pickle").write_bytes(good)
    Path(tmp_path / "bad.pickle").write_bytes(b"\x80\x04.")
    assert run_cases.main(["allocator", str(tmp_path)]) == 0
    assert "1 passed, 0 failed, 1 not covered" in capsys.readouterr().out
    machine.entries[0]["size"] = 128 * MIB
    machine.entries[6]["size"] = 128 * MIB
    Path(tmp_path / "other.pickle").write_bytes(pickle.dumps(snapshot(segments, [machine.entries])))
    assert run_cases.main(["allocator", str(tmp_path)]) == 1
    assert "FAILED other.pickle, device 0: after 2 of 5 events" in capsys.readouterr().out
