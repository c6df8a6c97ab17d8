"""Snapshots of torch: replayed against an allocator that kept its own books."""

import gc
import io
import json
import random
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.snapshots import (
    MIB,
    MODEL,
    START_US,
    TORCH,
    TRAIN,
    Machine,
    Writer,
    block,
    busy,
    dumped,
    read,
    segment,
    snapshot,
    told,
)

from fiche.importers import _pickle_scan
from fiche.importers._detect import read as read_any
from fiche.importers._intake import take_in
from fiche.importers._snapshot_entry import entry_text
from fiche.importers.torch_snapshot import MEMBER
from fiche.kernel.diagnostic import Refused


def peaks(machine):
    return [max(level[place] for level in machine.levels) for place in range(3)]


def agrees(reading, machine):
    reserved, requested, allocated = peaks(machine)
    assert told(reading, "reserved_bytes", "peak") == reserved
    assert told(reading, "reserved_bytes", "current") == machine.now()[0]
    assert told(reading, "requested_bytes", "peak") == requested
    assert told(reading, "requested_bytes", "current") == machine.now()[1]
    assert told(reading, "allocated_bytes", "peak") == (allocated, reserved)


WRITERS = {
    "2": lambda value: dumped(value, 2),
    "3": lambda value: dumped(value, 3),
    "4": lambda value: dumped(value, 4),
    "5": lambda value: dumped(value, 5),
    "c++": lambda value: Writer().whole(value),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("own_lists", [False, True])
def test_replayed_levels_are_those_that_the_allocator_had(write, own_lists):
    machine = busy(own_lists=own_lists)
    reading = read(write(snapshot(machine.held(), [machine.entries])))
    agrees(reading, machine)
    assert told(reading, "reserved_bytes", "start") == 0


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("own_lists", [False, True])
def test_a_long_trace_that_is_taken_in_batches_reads_as_a_short_one(write, own_lists, monkeypatch):
    """Above some length entries are handed on while the pickle is built: in order, and all of them."""
    monkeypatch.setattr(_pickle_scan, "_LONG", 1 << 18)
    machine = busy(600, own_lists=own_lists)
    value = snapshot(machine.held(), [machine.entries, [], copies(machine.entries[:3000])])
    content = write(value)
    assert len(content) > _pickle_scan._LONG
    cut = [p for p in scan(content) if p.entries_end]
    assert cut
    reading = read(content)
    agrees(reading, machine)
    monkeypatch.setattr(_pickle_scan, "_LONG", 1 << 40)
    assert not [p for p in scan(content) if p.entries_end]
    assert read(content) == reading


def copies(entries):
    return [dict(entry) for entry in entries]


def scan(content):
    traces = content.find(b"device_traces")
    return _pickle_scan.scanned(content, traces, content.find(b"allocator_settings", traces))


def test_a_window_that_begins_late_still_ends_where_the_segments_are():
    """The ring buffer drops the oldest entries: the levels are those of the window that is left."""
    machine = busy(30)
    for dropped in (1, 17, 100, 250):
        reading = read(dumped(snapshot(machine.held(), [machine.entries[dropped:]])))
        window = [*machine.levels[dropped - 1 :]]
        assert told(reading, "reserved_bytes", "start") == window[0][0]
        assert told(reading, "requested_bytes", "start") == window[0][1]
        assert told(reading, "reserved_bytes", "peak") == max(level[0] for level in window)
        assert told(reading, "requested_bytes", "peak") == max(level[1] for level in window)


def test_frees_of_what_was_allocated_before_the_window_are_said():
    machine = Machine()
    machine.grow(1 << 32, 20 * MIB)
    machine.alloc(1 << 32, MIB)
    machine.free(1 << 32)
    reading = read(dumped(snapshot(machine.held(), [machine.entries[2:]])))
    assert any(w.startswith("frees_without_alloc: 1 ") for w in reading.warnings)
    assert told(reading, "requested_bytes", "start") == MIB
    groups = reading.further["largest_at_peak"][0]["groups"]
    assert [(g["file"], g["bytes"]) for g in groups] == [("allocated before the window", MIB)]


def test_segments_that_grow_page_by_page_are_reserved_memory():
    machine = Machine()
    for page in range(4):
        machine.grow((1 << 32) + page * 2 * MIB, 2 * MIB, "segment_map")
    machine.shrink((1 << 32) + 6 * MIB, "segment_unmap")
    mapped = segment(1 << 32, 6 * MIB, [], is_expandable=True)
    reading = read(dumped(snapshot([mapped], [machine.entries])))
    assert told(reading, "reserved_bytes", "peak") == 8 * MIB
    assert told(reading, "reserved_bytes", "start") == 0
    assert reading.further["devices"][0]["expandable_segments"] == 1


def test_devices_and_streams_are_kept_apart():
    one, two = busy(10), busy(20, device=3)
    traces = [one.entries, [], [], two.entries]
    held = [*one.held(), *two.held(stream=77)]
    reading = read(dumped(snapshot(held, traces)))
    assert told(reading, "reserved_bytes", "peak") == peaks(one)[0]
    assert told(reading, "reserved_bytes", "peak", 3) == peaks(two)[0]
    streams = [device["streams"] for device in reading.further["devices"]]
    assert [[s["stream"] for s in some] for some in streams] == [[0], [77]]


def test_a_device_without_a_trace_has_levels_and_no_peak():
    machine = busy(3)
    other = segment(1 << 40, 2 * MIB, [block(1 << 40, 512, 4)], device=1)
    reading = read(dumped(snapshot([*machine.held(), other], [machine.entries, []])))
    assert told(reading, "allocated_bytes", "current", 1) == 512
    assert told(reading, "requested_bytes", "current", 1) == 4
    assert told(reading, "reserved_bytes", "peak", 1) is None
    assert any(w.startswith("no_trace_for_device_1") for w in reading.warnings)


@pytest.mark.parametrize("state", ["active_pending_free", "active_awaiting_free"])
def test_what_waits_to_be_freed_is_active_and_not_allocated(state):
    held = segment(1 << 32, 2 * MIB, [block(1 << 32, 1024, 1000, state)])
    reading = read(dumped(snapshot([held])))
    assert told(reading, "allocated_bytes", "current") == 0
    assert told(reading, "active_bytes", "current") == 1024
    assert told(reading, "requested_bytes", "current") == 1000


def test_an_oom_entry_is_a_failure_and_never_a_need():
    machine = busy(3)
    machine.note("oom", 7 * MIB, 512 * MIB)
    machine.alloc((1 << 32) + 63 * MIB, 64)
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    (failure,) = reading.failures
    assert failure.message_kind == "allocator_oom"
    assert failure.quantities["requested"].value == 512 * MIB
    assert failure.quantities["free"].value == 7 * MIB
    assert failure.pointer.path == f"device_traces/0/{len(machine.entries) - 2}"
    assert failure.pointer.line is None
    assert told(reading, "requested_bytes", "peak") < 512 * MIB


def test_private_pools_and_annotations_are_told_apart():
    pool = segment(1 << 32, 4 * MIB, [block(1 << 32, MIB, MIB)], segment_pool_id=(0, 3))
    plain = segment(1 << 33, 2 * MIB, [])
    words = [{"name": "step 1", "stage": "START", "device": 0, "time_us": START_US}]
    reading = read(dumped(snapshot([pool, plain], external_annotations=words)))
    assert reading.further["private_pools"] == [
        {"device": 0, "pool": [0, 3], "segments": 1, "reserved": 4 * MIB, "allocated": MIB, "active": MIB}
    ]  # fmt: skip
    assert reading.further["annotations"] == words
    assert any(w.startswith("private_pools") for w in reading.warnings)


def test_newer_keys_do_no_harm_and_an_overflow_is_said():
    machine = busy(5)
    for entry in machine.entries:
        entry["pool_id"] = (0, 0)
    told_so = {
        "trace_alloc_overflowed": True,
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    }
    reading = read(dumped(snapshot(machine.held(), [machine.entries], allocator_settings=told_so)))
    agrees(reading, machine)
    assert any(w.startswith("trace_overflowed") for w in reading.warnings)
    assert reading.facts["allocator.settings"].value == "expandable_segments:True"


def test_older_snapshots_lack_settings_annotations_times_and_frames():
    machine = busy(5, frames=False, times=False)
    for entry in machine.entries:
        del entry["compile_context"], entry["user_metadata"]
    value = {"segments": machine.held(), "device_traces": [machine.entries]}
    reading = read(dumped(value))
    agrees(reading, machine)
    assert reading.further["devices"][0]["requested_peak"]["us"] is None


def oldest(history):
    return {
        "device": 0,
        "address": 1 << 32,
        "total_size": 2 * MIB,
        "stream": 0,
        "segment_type": "small",
        "allocated_size": 4096,
        "active_size": 4096,
        "blocks": [
            {"size": 4096, "state": "active_allocated", **history},
            {"size": 2 * MIB - 4096, "state": "inactive"},
        ],
    }


def test_the_bare_list_of_segments_has_no_peak():
    reading = read(dumped([oldest({})]))
    assert reading.shape == "list-of-segments"
    assert told(reading, "allocated_bytes", "current") == 4096
    assert told(reading, "requested_bytes", "current") is None
    assert any(w.startswith("no_trace:") for w in reading.warnings)
    history = {"history": [{"addr": 1 << 32, "real_size": 4000, "frames": [MODEL]}]}
    assert told(read(dumped([oldest(history)])), "requested_bytes", "current") == 4000


def test_an_action_of_a_newer_version_is_said_and_moves_nothing():
    machine = busy(5)
    machine.note("defragment", 0, 999 * MIB)
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    agrees(reading, machine)
    assert any(w.startswith("unknown_action: 1 ") for w in reading.warnings)


def test_a_trace_that_cannot_belong_to_its_segments_yields_no_peak():
    machine = busy(5)
    reading = read(dumped(snapshot([], [machine.entries])))
    assert told(reading, "reserved_bytes", "current") == 0
    assert told(reading, "reserved_bytes", "peak") is None
    assert any(w.startswith("trace_disagrees") for w in reading.warnings)


def test_sums_of_a_segment_that_do_not_agree_are_said():
    odd = {**segment(1 << 32, 2 * MIB, [block(1 << 32, 512, 4)]), "allocated_size": 1024}
    reading = read(dumped(snapshot([odd])))
    assert any("allocated_size 1024" in w for w in reading.warnings)


def test_the_two_peaks_are_two_instants():
    """Requested bytes peak early, reserved ones late: neither difference is one of their peaks (C4)."""
    machine = Machine()
    machine.grow(1 << 32, 10 * MIB)
    machine.alloc(1 << 32, 8 * MIB)
    machine.free(1 << 32)
    machine.grow(1 << 33, 2 * MIB)
    machine.alloc(1 << 33, 2 * MIB)
    (device,) = read(dumped(snapshot(machine.held(), [machine.entries]))).further["devices"]
    assert (device["requested_peak"]["bytes"], device["requested_peak"]["us"]) == (8 * MIB, 10)
    assert (device["reserved_peak"]["bytes"], device["reserved_peak"]["us"]) == (12 * MIB, 40)
    assert device["reserved_then"] == 10 * MIB
    assert device["requested_then"] == 0


def test_the_largest_at_the_peak_are_grouped_by_the_programs_own_frame():
    machine = Machine()
    machine.grow(1 << 32, 64 * MIB)
    machine.alloc(1 << 32, MIB, (TORCH, MODEL, TRAIN))
    machine.alloc((1 << 32) + 2 * MIB, 3 * MIB, (TORCH, MODEL))
    machine.alloc((1 << 32) + 8 * MIB, 2 * MIB, (TORCH,))
    machine.free((1 << 32) + 8 * MIB)
    (told_at,) = read(dumped(snapshot(machine.held(), [machine.entries]))).further[
        "largest_at_peak"
    ]
    assert [(g["file"], g["line"], g["count"], g["bytes"]) for g in told_at["groups"]] == [
        ("/srv/job/model.py", 41, 2, 4 * MIB),
        (TORCH["filename"], 125, 1, 2 * MIB),
    ]
    assert told_at["peak"] == 6 * MIB
    assert told_at["not_told"] == 0


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_the_groups_at_the_peak_add_up_to_it(seed):
    machine = grown(random.Random(seed))
    first = random.Random(seed).randrange(len(machine.entries))
    reading = read(dumped(snapshot(machine.held(), [machine.entries[first:]])))
    (told_at,) = reading.further["largest_at_peak"]
    assert told_at["not_told"] == 0
    window = [machine.levels[first - 1] if first else (0, 0, 0), *machine.levels[first:]]
    assert told_at["peak"] == max(level[1] for level in window)
    low, high = told(reading, "allocated_bytes", "peak")
    assert low == max(level[2] for level in window)
    assert high == max(level[0] for level in window)


def grown(choose):
    machine = Machine()
    for number in range(choose.randrange(1, 8)):
        machine.grow((number + 1) << 32, 64 * MIB)
    free = [base + place * MIB for base in machine.segments for place in range(64)]
    for _ in range(choose.randrange(1, 300)):
        act = choose.randrange(4)
        if act < 2:
            address = choose.choice(free)
            if address not in machine.live and address not in machine.pending:
                machine.alloc(
                    address, choose.randrange(1, MIB), choose.choice(((MODEL,), (TRAIN,)))
                )
        elif act == 2 and machine.live:
            machine.ask(choose.choice([*machine.live]))
        elif machine.pending:
            machine.complete(choose.choice([*machine.pending]))
    return machine


def test_a_timeline_is_bounded_and_keeps_its_maxima():
    machine = busy(400)
    (line,) = read(dumped(snapshot(machine.held(), [machine.entries]))).further["timeline"]
    assert len(line["us"]) == len(line["reserved"]) == len(line["requested"]) <= 600
    assert max(line["reserved"]), max(line["requested"]) == peaks(machine)[:2]
    assert line["us"] == sorted(line["us"])


def test_what_is_read_can_be_written_as_json():
    machine = busy(4)
    machine.entries[3]["user_metadata"] = "step \udc80"
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    json.dumps(reading.further).encode("utf-8")
    assert reading.further["labels"] == ["step ?"]


def test_the_content_chooses_this_kind_and_collection_is_put_back():
    content = dumped(snapshot(busy(3).held()))
    assert gc.isenabled()
    assert read_any(content, "0" * 64, "x").kind == "torch_snapshot"
    assert gc.isenabled()
    assert MEMBER.accepts(content, "") == 92
    assert MEMBER.accepts(b"CUDA out of memory", "") == 0


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ({}, "F463", "no list of segments"),
        ([], "F463", "an empty list"),
        ("segments total_size", "F463", "a str"),
        ({"segments": 4}, "F463", "no list of segments"),
        ({"segments": [4]}, "F463", "a int where a dictionary"),
        ({"segments": [{}]}, "F463", "list of blocks"),
        ({"segments": [{"blocks": [{"size": 1}]}]}, "F463", "known state"),
        ({"segments": [{"blocks": [], "total_size": -4}]}, "F463", "total_size is no whole"),
        ({"segments": [{"blocks": [], "total_size": 1.5}]}, "F463", "total_size is no whole"),
        ({"segments": [], "device_traces": 4}, "F463", "no list of one a device"),
        ({"segments": [], "device_traces": [4]}, "F463", "a trace is a int"),
        ({"segments": [], "device_traces": [[4]]}, "F463", "an entry of a trace is a int"),
        ({"segments": [], "device_traces": [[{}]]}, "F463", "needs an action"),
        (
            {"segments": [], "device_traces": [[{"action": "alloc", "size": -1, "addr": 1}]]},
            "F463",
            "below zero",
        ),
        ({"host_segments": [], "host_traces": []}, "F464", "pinned host memory only"),
    ],
)
def test_what_is_no_snapshot_is_refused_with_its_place(value, code, words):
    with pytest.raises(Refused) as caught:
        read(dumped(value))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert words in diagnostic.message
    assert diagnostic.hint


def test_host_memory_beside_a_devices_is_left_out_and_said():
    machine = busy(3)
    value = snapshot(machine.held(), [machine.entries], host_segments=[{}], host_traces=[])
    reading = read(dumped(value))
    agrees(reading, machine)
    assert any(w.startswith("host_memory_left_out") for w in reading.warnings)


def test_a_segment_among_its_own_blocks_and_shared_traces_end():
    held = segment(1 << 32, 2 * MIB, [block(1 << 32, 512, 4)])
    held["blocks"].append(held)
    with pytest.raises(Refused, match="F463"):
        read(dumped(snapshot([held])))
    machine = busy(3)
    with pytest.raises(Refused, match="F463"):
        read(dumped(snapshot(machine.held(), [machine.entries] * 50)))


@given(st.binary(max_size=40), st.integers(0, 10**6), st.sampled_from([*WRITERS]))
@settings(max_examples=300, deadline=None)
def test_changed_bytes_are_read_or_refused(noise, place, writer):
    content = bytearray(CONTENTS[writer])
    place %= len(content)
    content[place : place + len(noise)] = noise
    read_or_refused(bytes(content))


CONTENTS = {
    name: write(snapshot(busy(4).held(), [busy(4).entries])) for name, write in WRITERS.items()
}


def read_or_refused(content):
    try:
        reading = read(content)
    except Refused as refused:
        codes = {d.code for d in refused.diagnostics}
        assert codes <= {"F460", "F461", "F462", "F463", "F464", "F465"}
    else:
        json.dumps(reading.further, allow_nan=False).encode("utf-8")


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_changed_values_are_read_or_refused(data):
    """Mutations that keep the pickle whole: a value of another sort anywhere in a snapshot."""
    machine = busy(2)
    value = snapshot(machine.held(), [machine.entries], external_annotations=[{"name": "a"}])
    value = deepcopy(value)  # its frames are those of all machines
    for _ in range(data.draw(st.integers(1, 3))):
        spot = value
        while isinstance(spot, dict | list) and spot:
            keys = [*spot] if isinstance(spot, dict) else [*range(len(spot))]
            parent, key = spot, data.draw(st.sampled_from(keys))
            spot = spot[key]
            if data.draw(st.integers(0, 3)) == 0:
                break
        parent[key] = data.draw(
            st.sampled_from(
                [None, -1, 1 << 62, 1 << 64, 1.5, True, "x", [], {}, [[]], (1, 2), value]
            )
        )
    read_or_refused(dumped(value))


def test_words_inside_a_snapshot_make_it_no_log():
    machine = busy(3)
    machine.entries[2]["user_metadata"] = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.13 GiB. GPU 3 has a total "
        "capacity of 23.64 GiB of which 894.44 MiB is free."
    )
    content = dumped(snapshot(machine.held(), [machine.entries]))
    reading = read_any(content, "0" * 64, "oom.log")
    assert reading.kind == "torch_snapshot"
    assert reading.failures == ()


def test_a_secret_among_the_labels_is_said():
    machine = busy(3)
    machine.entries[2]["user_metadata"] = "export HF_TOKEN=hf_" + "aB3dE5gH7j" * 3 + "kLmN"
    for protocol in (2, 4):
        content = dumped(snapshot(machine.held(), [machine.entries]), protocol)
        warnings = take_in(io.BytesIO(content), "s.pickle", None).reading.warnings
        assert [w for w in warnings if w.startswith("secret_in_file: ") and "in a text" in w]


def outcome(content, long, monkeypatch):
    monkeypatch.setattr(_pickle_scan, "_LONG", long)
    try:
        return read(content)
    except Refused as refused:
        return refused.diagnostics[0].code


@pytest.mark.parametrize("writer", WRITERS)
def test_damage_in_a_long_trace_is_met_with_batches_as_without(writer, monkeypatch):
    """Learnt shapes and handed-on batches are ways to be quick: they let nothing through or by."""
    monkeypatch.setattr(_pickle_scan, "_LEARNT_FROM", 4096)
    machine = busy(150)
    content = WRITERS[writer](snapshot(machine.held(), [machine.entries]))
    choose = random.Random(writer)
    for _ in range(30):
        changed = bytearray(content)
        place = choose.randrange(len(changed))
        changed[place] ^= 1 << choose.randrange(8)
        short, long = (outcome(bytes(changed), limit, monkeypatch) for limit in (1 << 40, 1 << 12))
        assert short == long


def test_a_snapshot_of_nothing_is_read_and_says_so():
    reading = read(dumped({"segments": [], "device_traces": [[], []], "allocator_settings": {}}, 4))
    assert (reading.observations, reading.failures) == ((), ())
    assert any(warning.startswith("nothing_recorded") for warning in reading.warnings)


def test_a_text_pickle_is_known_by_its_name_and_refused():
    text = b"(i__builtin__\nprint\n."
    assert MEMBER.accepts(text, "snapshot.pickle") == 60
    assert MEMBER.accepts(text, "notes.txt") == 0


def test_two_lists_that_share_their_parts_are_never_compared():
    """The same shape built twice: each step of a comparison doubles the next."""

    def endless():
        value = []
        for _ in range(100):
            value = [value, value]
        return value

    segments = [
        {"device": 0, "total_size": 512, "blocks": []},
        {"device": endless(), "blocks": []},
        {"device": endless(), "blocks": []},
    ]
    content = dumped(snapshot(segments))
    assert "device list" not in entry_text(content, "", "segments/0")
    assert entry_text(content, "", "segments/1").startswith("device 2")
    with pytest.raises(Refused, match="F463"):
        read(content)


@pytest.mark.parametrize("word", [(1, 2), 5, 2.5, None, [1], {"a": "b"}])
def test_a_label_is_a_text(word):
    machine = busy(2)
    machine.entries[1]["user_metadata"] = word
    machine.entries[2]["user_metadata"] = "forward"
    reading = read(dumped(snapshot(machine.held(), [machine.entries])))
    assert reading.further["labels"] == ["forward"]
