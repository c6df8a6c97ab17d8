"""What holds of every replay, and the replay against an allocator without any cleverness."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate.allocator.plain_allocator import plain_replay
from simulate.allocator.streams_of_events import MIB, all_freed, drawn_events

from fiche.simulate.allocator import AllocatorSettings, replay
from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, Events, rounded

TEXTS = ["", "expandable_segments:True", "max_split_size_mb:20", "max_split_size_mb:32"]
TEXTS += ["expandable_segments:True,max_split_size_mb:32", "large_segment_size_mb:12"]
TEXTS += ["garbage_collection_threshold:0.3,per_process_memory_fraction:0.5"]
CAPACITIES = st.sampled_from([None, 30 * MIB, 64 * MIB, 100 * MIB, 1000 * MIB])


def made(text, capacity=None):
    return AllocatorSettings.of(text, capacity)


@pytest.mark.parametrize(
    "text", [text for text in TEXTS if "garbage" not in text and "large" not in text]
)
@given(events=drawn_events(), capacity=CAPACITIES, share=st.sampled_from(["1", "0.7"]))
@settings(max_examples=100)
def test_the_replay_is_that_of_an_allocator_without_cleverness(text, events, capacity, share):
    chosen = made(f"per_process_memory_fraction:{share},{text}", capacity)
    told = replay(events, chosen)
    assert [*zip(told.allocated, told.reserved, strict=True)] == plain_replay(events, chosen)


@pytest.mark.parametrize("text", TEXTS)
@given(events=drawn_events(), capacity=CAPACITIES)
@settings(max_examples=40)
def test_what_is_in_use_is_reserved_and_fits(text, events, capacity):
    chosen = made(text, capacity)
    told = replay(events, chosen)
    most = [capacity, chosen.allowed_bytes]
    for allocated, reserved in zip(told.allocated, told.reserved, strict=True):
        assert 0 <= allocated <= reserved
        assert all(reserved <= one for one in most if one is not None)
    if told.shortage is None:
        assert len(told.reserved) == len(events)


@pytest.mark.parametrize("text", TEXTS)
@given(events=drawn_events())
@settings(max_examples=40)
def test_reserved_bytes_fall_only_where_the_cache_is_emptied(text, events):
    told = replay(events, made(text))
    before = 0
    for op, reserved in zip(events.ops, told.reserved, strict=True):
        assert reserved >= before or op == EMPTY_CACHE
        assert reserved == before or op in (ALLOC, EMPTY_CACHE)
        before = reserved


@pytest.mark.parametrize("text", TEXTS)
@given(events=drawn_events(streams=3))
@settings(max_examples=40)
def test_all_that_is_freed_goes_back_to_the_driver(text, events):
    told = replay(all_freed(events), made(text))
    assert (told.allocated_bytes, told.reserved_bytes, told.segments) == (0, 0, ())


@pytest.mark.parametrize("text", TEXTS)
@given(events=drawn_events())
@settings(max_examples=40)
def test_equal_streams_make_equal_levels(text, events):
    one, other = (replay(events, made(text, 200 * MIB)) for _ in range(2))
    assert (one.reserved, one.allocated) == (other.reserved, other.allocated)
    assert one.segments == other.segments


@pytest.mark.parametrize("text", TEXTS)
@given(events=drawn_events())
@settings(max_examples=40)
def test_segments_add_up_to_the_levels(text, events):
    told = replay(events, made(text))
    assert sum(one.num_bytes for one in told.segments) == told.reserved_bytes
    assert sum(one.allocated_bytes for one in told.segments) == told.allocated_bytes
    assert all(
        one.num_bytes >= one.allocated_bytes + one.largest_free_bytes for one in told.segments
    )
    emptied = Events()
    emptied.extend(events)
    emptied.empty_cache()
    left = replay(emptied, made(text))
    assert left.reserved_bytes == told.allocated_bytes + told.unreleasable_bytes


@given(events=drawn_events(empties=False))
@settings(max_examples=40)
def test_allocated_bytes_are_at_least_the_requests_in_blocks_of_512(events):
    told = replay(events)
    live = {}
    for op, name, asked, allocated in zip(
        events.ops, events.ids, events.num_bytes, told.allocated, strict=True
    ):
        if op == ALLOC:
            live[name] = rounded(asked)
        else:
            del live[name]
        assert sum(live.values()) <= allocated


@given(amounts=st.lists(st.integers(1, 60 * MIB), max_size=30))
@settings(max_examples=40)
def test_without_frees_expandable_segments_hold_no_page_too_many(amounts):
    events = Events()
    for number, asked in enumerate(amounts):
        events.alloc(number, asked)
    told = replay(events, made("expandable_segments:True"))
    small = sum(rounded(n) for n in amounts if rounded(n) <= MIB)
    large = sum(rounded(n) for n in amounts if rounded(n) > MIB)
    pages = -(-small // (2 * MIB)) * 2 * MIB + -(-large // (20 * MIB)) * 20 * MIB
    assert told.reserved_bytes == pages
    assert told.allocated_bytes == small + large
