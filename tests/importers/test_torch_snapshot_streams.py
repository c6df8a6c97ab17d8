"""Levels by stream: replayed against an allocator that kept books of each of its streams."""

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.snapshots import (
    MIB,
    MODEL,
    START_US,
    TRAIN,
    Machine,
    Writer,
    busy,
    dumped,
    read,
    snapshot,
)

from fiche.cli.snapshot_text import snapshot_lines
from fiche.importers import _pickle_scan
from fiche.importers._pickle_rows import COLUMNS
from fiche.importers._snapshot_columns import Columns
from fiche.importers._snapshot_streams import UNKNOWN, StreamColumn

STACK = [MODEL, TRAIN]
STREAMS = (0, 21, 0x7F0055550000)
WRITERS = {
    "2": lambda value: dumped(value, 2),
    "3": lambda value: dumped(value, 3),
    "4": lambda value: dumped(value, 4),
    "5": lambda value: dumped(value, 5),
    "c++": lambda value: Writer().whole(value),
}


@dataclass
class Streamed(Machine):
    """A machine whose segments belong to streams; `books` are {stream: (reserved, requested)} an entry."""

    stream: int = 0
    owner: dict = field(default_factory=dict)
    books: list = field(default_factory=list)

    def grow(self, address, size, action="segment_alloc"):
        self.owner[address] = self.stream
        super().grow(address, size, action)

    def note(self, action, address, size, frames=STACK, **more):
        start = address - address % (1 << 32)
        more.setdefault("stream", self.owner.get(start, 0))
        super().note(action, address, size, frames, **more)
        asked = {**self.live, **self.pending}
        self.books.append(
            {
                stream: (
                    sum(s for at, s in self.segments.items() if self.owner[at] == stream),
                    sum(
                        s
                        for at, (s, _) in asked.items()
                        if self.owner[at - at % (1 << 32)] == stream
                    ),
                )
                for stream in {*self.owner.values()}
            }
        )

    def held(self, **more):
        """The segments at the end, each of its own stream."""
        return [{**one, "stream": self.owner[one["address"]]} for one in super().held(**more)]


def grown(choose, steps=200, streams=STREAMS, **how):
    """Streams that grow, allocate, free late and shrink by chance, each in segments of its own."""
    machine = Streamed(**how)
    for _ in range(steps):
        act, shared = choose.randrange(9), [*machine.segments]
        if not shared or (act == 0 and len(shared) < 12):
            machine.stream = choose.choice(streams)
            # The driver may give one stream the address that another one gave back.
            base = choose.choice([n << 32 for n in range(1, 30) if n << 32 not in machine.segments])
            machine.grow(base, choose.randrange(1, 40) * 2 * MIB)
        elif act < 2:
            base = choose.choice(shared)
            if not any(base == at - at % (1 << 32) for at in (*machine.live, *machine.pending)):
                machine.shrink(base)
        elif act < 6:
            address = choose.choice(shared) + choose.randrange(4) * MIB // 2
            if address not in machine.live and address not in machine.pending:
                machine.alloc(address, choose.randrange(1, MIB // 2), ())
        elif act < 8 and machine.live:
            machine.ask(choose.choice([*machine.live]))
        elif machine.pending:
            machine.complete(choose.choice([*machine.pending]))
    return machine


def expected(machine, first=0):
    """{stream: [(peak, entry, us)] of reserved and requested}, told by the books from entry `first`."""
    moving = {e["stream"] for e in machine.entries[first:] if e["action"] != "free_requested"}
    streams = {one["stream"] for one in machine.held()} | moving
    before = machine.books[first - 1] if first else {}
    told = {}
    for stream in streams if len(streams) > 1 else ():
        told[stream] = []
        for which in (0, 1):
            start = before.get(stream, (0, 0))[which]
            levels = [book.get(stream, (0, 0))[which] for book in machine.books[first:]]
            peak = max(start, *levels)
            entry = -1 if peak == start else levels.index(peak)
            told[stream].append((start, peak, entry, 10 * max(entry, 0)))
    return told


def found(reading, device=0):
    (listed,) = [d["streams"] for d in reading.further["devices"] if d["device"] == device]
    keys = ("reserved_peak", "requested_peak")
    return {
        one["stream"]: [tuple(one[key].values()) for key in keys]
        for one in listed
        if "reserved_peak" in one
    }


def warned(reading):
    return [w for w in reading.warnings if w.startswith("streams_")]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("own_lists", [False, True])
def test_levels_of_each_stream_are_those_that_the_allocator_had(write, own_lists):
    machine = grown(random.Random(3), 900, own_lists=own_lists)
    reading = read(write(snapshot(machine.held(), [machine.entries])))
    assert len(found(reading)) == len(STREAMS)
    assert found(reading) == expected(machine)
    assert warned(reading) == []


@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_a_window_that_begins_late_ends_at_the_levels_of_each_stream(seed, extra, late):
    machine = grown(random.Random(seed), 120, streams=[*STREAMS, 7, 8, 9][: 2 + extra])
    first = late % len(machine.entries)
    reading = read(dumped(snapshot(machine.held(), [machine.entries[first:]])))
    assert found(reading) == expected(machine, first)
    assert warned(reading) == []


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("own_lists", [False, True])
def test_batches_are_replayed_as_single_entries_are(write, own_lists, monkeypatch):
    monkeypatch.setattr(_pickle_scan, "_LEARNT_FROM", 4096)
    monkeypatch.setattr(_pickle_scan, "_LONG", 4096)
    alone, take = [], Columns.take_batch

    def noted(columns, batch, path):
        alone.append(len(batch.columns[COLUMNS.index("stream")]) == 1)
        take(columns, batch, path)

    monkeypatch.setattr(Columns, "take_batch", noted)
    machine = grown(random.Random(5), 6000, own_lists=own_lists)
    # A first part of one stream alone, then several: the column begins as one number.
    early = Streamed(own_lists=own_lists)
    early.grow(1 << 40, 64 * MIB)
    for number in range(1500):
        early.alloc((1 << 40) + number * 1024, 1000, ())
        early.free((1 << 40) + number * 1024)
    early.shrink(1 << 40)
    entries = [*early.entries, *machine.entries]
    for number, entry in enumerate(entries):
        entry["time_us"] = START_US + 10 * number
        entry["compile_context"] = "".join(("N", "/A"))
        entry["frames"] = entry.pop("frames")
    content = write(snapshot(machine.held(), [entries]))
    in_batches = read(content)
    monkeypatch.setattr(_pickle_scan, "_LONG", 1 << 40)
    assert read(content) == in_batches
    machine.entries = entries
    machine.books[:0] = early.books
    machine.owner |= early.owner
    assert found(in_batches) == expected(machine)
    assert {*alone} == ({True, False} if write in (WRITERS["4"], WRITERS["5"]) else set())


def test_a_device_of_one_stream_says_nothing_of_peaks_of_its_own():
    one, two = grown(random.Random(1), streams=(5,)), grown(random.Random(2), device=1)
    reading = read(dumped(snapshot([*one.held(), *two.held()], [one.entries, two.entries])))
    assert found(reading, 0) == {}
    assert found(reading, 1) == expected(two)


def test_a_stream_that_gave_everything_back_still_has_its_peak():
    machine = Streamed()
    machine.grow(1 << 32, 8 * MIB)
    machine.stream = 21
    machine.grow(2 << 32, 64 * MIB)
    machine.alloc(2 << 32, 3 * MIB, ())
    machine.free(2 << 32)
    machine.shrink(2 << 32)
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert found(reading)[21] == [(0, 64 * MIB, 1, 10), (0, 3 * MIB, 2, 20)]
    assert found(reading)[0] == [(0, 8 * MIB, 0, 0), (0, 0, -1, 0)]
    assert "stream 21" in "".join(snapshot_lines(reading))


def several():
    machine = Streamed()
    for number, stream in enumerate(STREAMS, 1):
        machine.stream = stream
        machine.grow(number << 32, 32 * MIB)
        machine.alloc(number << 32, number * MIB, ())
        machine.alloc((number << 32) + 16 * MIB, MIB, ())
        machine.free((number << 32) + 16 * MIB)
    return machine


@pytest.mark.parametrize("place", range(12))
def test_an_entry_without_a_stream_leaves_all_peaks_of_streams_out(place):
    machine = several()
    for odd in ("lacks", None, "0", 1.0, True, [1]):
        entries = [dict(entry) for entry in machine.entries]
        entries[place]["stream"] = odd
        if odd == "lacks":
            del entries[place]["stream"]
        reading = read(dumped(snapshot(machine.held(), [entries])))
        if entries[place]["action"] == "free_requested":
            assert found(reading) == expected(machine)
            assert warned(reading) == []
        else:
            assert found(reading) == {}
            (warning,) = warned(reading)
            assert warning.startswith("streams_not_told: ")
        assert reading.further["devices"][0]["reserved_peak"]["bytes"] == 96 * MIB


def test_a_segment_without_a_stream_leaves_them_out_too():
    machine = several()
    held = machine.held()
    del held[0]["stream"]
    reading = read(dumped(snapshot(held, [machine.entries])))
    assert found(reading) == {}
    assert len(warned(reading)) == 1


def test_memory_that_another_stream_frees_leaves_both_out():
    machine = several()
    machine.entries[4]["stream"] = 21  # freed, on the entry of another stream
    assert machine.entries[4]["action"] == "free_completed"
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert [*found(reading)] == [STREAMS[2]]
    assert found(reading)[STREAMS[2]] == expected(machine)[STREAMS[2]]
    (warning,) = warned(reading)
    assert warning.startswith("streams_disagree: ")
    assert "stream(s) 0, 21 are left out" in warning


@pytest.mark.parametrize("entry", [0, 1])
def test_memory_that_a_segment_of_another_stream_holds_leaves_both_out(entry):
    machine = several()
    machine.entries[entry]["stream"] = 21
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert [*found(reading)] == [STREAMS[2]]
    assert len(warned(reading)) == 1


def test_a_stream_that_gains_what_it_does_not_hold_leaves_all_out():
    """Whose the memory is instead cannot be told: any other stream may have begun with more."""
    machine = several()
    machine.grow(9 << 32, 2 * MIB, "segment_map")
    machine.entries[-1]["stream"] = 5
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert found(reading) == {}
    assert warned(reading)[0].startswith("streams_disagree: ")


def test_pages_of_a_stream_are_its_reserved_memory():
    machine = several()
    machine.grow(9 << 32, 2 * MIB, "segment_map")
    machine.shrink(9 << 32, "segment_unmap")
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert found(reading) == expected(machine)
    assert found(reading)[STREAMS[2]][0][1] == 34 * MIB


def test_hundreds_of_streams_are_not_told_apart():
    machine = Streamed()
    for number in range(1, 400):
        machine.stream = number
        machine.grow(number << 32, 2 * MIB)
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert found(reading) == {}
    assert len(warned(reading)) == 1
    assert len(reading.further["devices"][0]["streams"]) == 50


def test_a_line_a_stream_where_there_are_several():
    machine = several()
    machine.free(2 << 32)
    machine.shrink(2 << 32)
    printed = "".join(snapshot_lines(read(dumped(snapshot(machine.held(), [machine.entries])))))
    assert "    stream 0  reserved 32.00 MiB now, 32.00 MiB at most at 0 s\n" in printed
    assert "    stream 21  reserved 0.00 MiB now, 32.00 MiB at most at 0.00005 s\n" in printed
    held = [{**one, "stream": 3} for one in busy(3).held()]
    assert "stream" not in "".join(snapshot_lines(read(dumped(snapshot(held, [busy(3).entries])))))


@given(st.lists(st.tuples(st.lists(st.integers(0, 3), min_size=1), st.integers(0, 2))))
def test_the_column_holds_what_was_put_in(parts):
    column, wanted = StreamColumn(), []
    for values, how in parts:
        before = len(wanted)
        if how == 0:
            column.take(values, len(values))
            wanted += values
        elif how == 1:
            column.take(values[:1], len(values))
            wanted += values[:1] * len(values)
        else:
            column.take(values, len(values))
            column.cut(before)
            column.add(None if values[0] == 3 else values[0])
            wanted.append(None if values[0] == 3 else values[0])
        assert len(column) == len(wanted)
    names = dict(enumerate(column.names)) | {UNKNOWN: None}
    assert [names[place] for place in column.each()] == wanted
    if len({*wanted}) > 1:
        assert column.only is None
