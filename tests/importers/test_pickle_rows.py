"""Batches of like entries that are written anew: what is read is what it is without, whatever is in them."""

import pickletools
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.snapshots import Writer, busy, dumped, read, snapshot

from fiche.importers import _pickle_scan
from fiche.importers._pickle_rows import COLUMNS, Batch, Rows
from fiche.importers._snapshot_columns import Columns
from fiche.kernel.diagnostic import Refused

BATCH = 1000  # entries, as Python's pickler writes them
START = b"ue(}"


def own(word):
    """A text that is no other's: the pickler writes it out, and puts it into the memo."""
    return "".join((word[:1], word[1:]))


@pytest.fixture(name="tried")
def _tried(monkeypatch):
    """Short files are read as long ones are; told is whether each batch was written anew."""
    monkeypatch.setattr(_pickle_scan, "_LEARNT_FROM", 4096)
    monkeypatch.setattr(_pickle_scan, "_LONG", 4096)
    tried, written = [], Rows.written

    def noted(rows, batch):
        found = written(rows, batch)
        tried.append(found is not None)
        return found

    monkeypatch.setattr(Rows, "written", noted)
    return tried


def entries(rounds=430, **how):
    machine = busy(rounds, own_lists=True, **how)
    for entry in machine.entries:
        entry["compile_context"] = own("N/A")
        entry["frames"] = entry.pop("frames")
    return machine


def outcome(content):
    try:
        return read(content)
    except Refused as refused:
        return refused.diagnostics[0].code


def both(content):
    """What is read in batches, and what without."""
    in_batches = outcome(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pickle_scan, "_LONG", 1 << 40)
        return in_batches, outcome(content)


def agrees(content):
    in_batches, without = both(content)
    assert in_batches == without
    return in_batches


def test_like_entries_are_written_anew_and_say_the_same(tried):
    machine = entries()
    assert len(machine.entries) > 4 * BATCH
    reading = agrees(dumped(snapshot(machine.held(), [machine.entries])))
    assert reading.further["devices"][0]["entries"] == len(machine.entries)
    assert tried.count(True) >= 2


VARIATIONS = {
    "streams of some kinds": lambda entry, n: {"stream": (0, 7, 0x7F0055550000)[n % 3]},
    "labels that are shared": lambda entry, n: {"user_metadata": ("forward", "")[n % 2]},
    "stacks that are empty": lambda entry, n: {"frames": [] if n % 5 == 0 else entry["frames"]},
    "stacks that are deeper": lambda entry, n: {"frames": [*entry["frames"]] * (n % 40)},
    "a pool behind the frames": lambda entry, n: {"pool_id": tuple([0, 0])},  # noqa: C409
    "a number behind the frames": lambda entry, n: {"more": n, "last": own("text")},
    "nothing in a key": lambda entry, n: {"more": None, "last": True},
}


@pytest.mark.parametrize("name", VARIATIONS)
def test_what_torch_may_put_into_entries_is_taken_so_too(name, tried):
    machine = entries()
    for number, entry in enumerate(machine.entries):
        entry.update(VARIATIONS[name](entry, number))
    agrees(dumped(snapshot(machine.held(), [machine.entries]), 5))
    assert True in tried


ODD_ONES = {
    "an oom": {"action": "oom", "device_free": 5},
    "an action of a newer version": {"action": "defragment"},
    "a label of its own": {"user_metadata": "a label that is written out in this entry"},
    "another context": {"compile_context": "0/0"},
    "another pool": {"pool_id": (0, 3)},
    "a size below zero": {"size": -4},
    "a size of 64 bits": {"size": 1 << 62},
    "an address that is a text": {"addr": "0x10"},
    "no time": {"time_us": None},
    "frames that are none": {"frames": None},
    "a stack of lists": {"frames": [[], [[]]]},
    "a key more": {"next": [{"of": "it"}]},
}


@pytest.mark.parametrize("name", ODD_ONES)
def test_an_entry_unlike_the_others_among_them_is_read_as_it_is(name, tried):
    machine = entries()
    machine.entries[2 * BATCH + 500].update(ODD_ONES[name])
    agrees(dumped(snapshot(machine.held(), [machine.entries])))
    assert True in tried


def test_what_odd_entries_put_into_the_memo_is_counted(tried):
    """Batches behind an odd one are written anew again, and refer to lists of frames that they do not hold."""
    machine = entries(700)
    kept = machine.entries[100]["frames"]
    for number, entry in enumerate(machine.entries):
        if number % 7 == 0:
            entry["frames"] = kept
        if number in (1500, 3700):
            entry["more"] = [{"a new stack": own("word " * 9)}, (1, 2)]
    agrees(dumped(snapshot(machine.held(), [machine.entries])))
    assert tried[-1]
    assert tried.count(False) in (2, 3)


def test_traces_of_two_devices_are_kept_apart(tried):
    machine = entries()
    second = [dict(entry) for entry in machine.entries[: 3 * BATCH + 10]]
    reading = agrees(dumped(snapshot(machine.held(), [machine.entries, second])))
    assert [d["entries"] for d in reading.further["devices"]] == [
        len(machine.entries),
        len(second),
    ]
    assert tried.count(True) >= 4


def test_the_other_writer_and_older_protocols_are_read_as_before(tried):
    machine = entries()
    value = snapshot(machine.held(), [machine.entries])
    for content in (Writer().whole(value), dumped(value, 2), dumped(value, 3)):
        agrees(content)
    assert True not in tried


WHOLE = dumped(snapshot(entries(300).held(), [entries(300).entries]))


def reframed(content, least, shift=0):
    """The same opcodes in frames of `least` bytes or a little more, or (`shift`) frames that end elsewhere."""
    starts = [at for op, _, at in pickletools.genops(content) if op.name not in ("PROTO", "FRAME")]
    heads = {at for op, _, at in pickletools.genops(content) if op.name == "FRAME"}
    opcodes = [
        content[one : other - 9 if other - 9 in heads else other]
        for one, other in pairwise([*starts, len(content)])
    ]
    frames, held = [], b""
    for opcode in opcodes:
        held += opcode
        if len(held) >= least + shift and len(frames) == 3:
            held, left = held[: -shift or None], held[len(held) - shift :]
            frames, held = [*frames, held], left
        elif len(held) >= least:
            frames, held = [*frames, held], b""
    frames.append(held)
    return content[:2] + b"".join(
        b"\x95" + len(frame).to_bytes(8, "little") + frame for frame in frames if frame
    )


@pytest.mark.parametrize("least", [40_000, 70_000, 100_000, 1 << 22])
def test_frames_may_end_anywhere_between_opcodes(least, tried):
    assert agrees(reframed(WHOLE, least)).further == read(WHOLE).further
    assert True in tried


def test_frames_of_a_few_bytes_are_read_the_slow_way(tried):
    assert agrees(reframed(WHOLE, 50)).further
    assert True not in tried
    assert agrees(WHOLE).further == read(reframed(WHOLE, 50)).further


@pytest.mark.parametrize("shift", [1, 2, 3, 4])
def test_a_frame_that_ends_inside_an_opcode_is_refused(shift, tried):
    """Or read, where the frame ends just behind a smaller opcode."""
    one, other = both(reframed(WHOLE, 45_000, shift))
    assert one == other == "F461" or one.further == other.further == read(WHOLE).further


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damage_is_met_as_without(data):
    """Of two faults the first in the file may be told: an entry that is none, opcodes that make no value."""
    changed = bytearray(WHOLE)
    choose = random.Random(data.draw(st.integers(0, 1 << 40)))
    first = WHOLE.index(START)
    for _ in range(choose.randrange(1, 3)):
        place = choose.randrange(first, len(changed) - 200)
        match choose.randrange(3):
            case 0:
                changed[place] ^= 1 << choose.randrange(8)
            case 1:
                changed[place : place + 3] = b""
            case _:
                other = choose.randrange(first, len(changed) - 200)
                changed[place : place + 120] = changed[other : other + 120]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pickle_scan, "_LEARNT_FROM", 4096)
        patch.setattr(_pickle_scan, "_LONG", 4096)
        one, other = both(bytes(changed))
        assert one == other or (one, other) == ("F463", "F461")


@pytest.mark.parametrize("opcodes", [b"cos\nsystem\n", b"\x93", b"R", b"K\x01Q", b"\x82\x01"])
def test_code_is_refused_wherever_it_stands(opcodes, tried):
    """At the first entry of a batch that is otherwise like the others, and inside the last one."""
    for place in (WHOLE.rindex(START) + 3, WHOLE.rindex(b"u}\x94(") + 1):
        changed = bytearray(WHOLE)
        changed[place : place + len(opcodes)] = opcodes
        assert outcome(bytes(changed)) == "F460"
    assert True in tried


def test_what_the_rest_of_a_file_holds_is_told_before_what_failed_to_load(tried):
    """An entry that is none in the first batch, and code behind the last: the code is named."""
    machine = entries()
    machine.entries[3]["size"] = -1
    content = dumped(snapshot(machine.held(), [machine.entries]), 4)
    assert outcome(content) == "F463"
    changed = bytearray(content)
    changed[content.rindex(START) + 3] = 0x93
    assert outcome(bytes(changed)) == "F460"


def test_columns_make_the_entries_that_they_were_made_of():
    wanted = [
        {
            "action": "alloc",
            "addr": n,
            "size": n,
            "time_us": 1,
            "stream": 7,
            "frames": [],
            "user_metadata": "x",
        }
        for n in range(3)
    ]
    assert [*wanted[0]] == [*COLUMNS]
    columns = [[entry[key] for entry in wanted] for key in COLUMNS]
    assert Batch(columns=(*columns[:-1], ["x"])).entries() == wanted
    columns[COLUMNS.index("stream")] = [7]
    assert Batch(columns=(*columns,)).entries() == wanted


def test_a_stack_is_held_once_however_often_it_is_written(tried, monkeypatch):
    taken, take = [], Columns.take_batch

    def noted(columns, batch, path):
        taken.extend(batch.columns[COLUMNS.index("frames")])
        take(columns, batch, path)

    monkeypatch.setattr(Columns, "take_batch", noted)
    machine = entries(600)
    read(dumped(snapshot(machine.held(), [machine.entries])))
    stacks = {tuple(frame["line"] for frame in entry["frames"]) for entry in machine.entries}
    assert len(taken) == tried.count(True) * BATCH >= 3 * BATCH
    assert len({*map(id, taken)}) == len(stacks)
