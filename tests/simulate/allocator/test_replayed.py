"""Worked by hand: what is reserved after each event, in MiB where nothing else is said."""

import time
from array import array

import pytest
from simulate.allocator.streams_of_events import MIB, events_of

from fiche.simulate.allocator import ALGORITHM, AllocatorSettings, replay
from fiche.simulate.ledger.events import Events

GROWING = "expandable_segments:True"


def told(*steps, text="", capacity=None):
    most = None if capacity is None else capacity * MIB
    return replay(events_of(*steps), AllocatorSettings.of(text, most))


def reserved(*steps, **more):
    """Return MiB reserved after each step."""
    return [num_bytes / MIB for num_bytes in told(*steps, **more).reserved]


def repeated(name, count, amount):
    return [(f"{name}{number}", amount) for number in range(count)]


def freed(name, count):
    return [f"-{name}{number}" for number in range(count)]


# --- Amounts ----------------------------------------------------------------------------------


def test_a_byte_takes_a_block_of_512_of_a_segment_of_2_mib():
    run = told(("a", "1"))
    assert (run.allocated_bytes, run.reserved_bytes) == (512, 2 * MIB)


def test_nothing_takes_nothing():
    run = told(("a", 0), "-a")
    assert [*run.allocated, *run.reserved] == [0, 0, 0, 0]


def test_1_mib_is_small_and_a_byte_more_is_large():
    assert reserved(("a", 1)) == [2]
    run = told(("a", str(MIB + 1)))
    assert (run.allocated_bytes, run.reserved_bytes) == (MIB + 512, 20 * MIB)


def test_small_ones_fill_a_segment_before_the_next_is_asked_for():
    assert reserved(("a", 1), ("b", 1), ("c", "512")) == [2, 2, 4]


def test_from_10_mib_on_a_request_has_a_segment_of_its_own_in_steps_of_2():
    assert reserved(("a", str(10 * MIB - 512))) == [20]
    assert reserved(("a", 10)) == [10]
    assert reserved(("a", str(10 * MIB + 1))) == [12]


def test_a_rest_of_1_mib_or_less_stays_with_a_large_block():
    """13 MiB of a segment of 14 leave 1, which is no large block; of 12.5, 1.5 are left and split off."""
    kept, split = told(("a", 13)), told(("a", 12.5))
    assert (kept.allocated_bytes, kept.reserved_bytes) == (14 * MIB, 14 * MIB)
    assert (split.allocated_bytes, split.reserved_bytes) == (12.5 * MIB, 14 * MIB)


def test_a_small_rest_is_split_off_whatever_its_length():
    run = told(("a", str(2 * MIB // 2)), ("b", str(MIB - 512)))
    assert run.allocated_bytes == 2 * MIB - 512
    assert run.segments[0].largest_free_bytes == 512


def test_three_of_5_mib_share_a_segment_and_the_fourth_takes_its_rest():
    assert reserved(*repeated("a", 5, 5)) == [20, 20, 20, 20, 40]


# --- Reuse ------------------------------------------------------------------------------------


def test_a_freed_400_mib_are_split_for_24():
    """discuss.pytorch.org, topic 188639: the program prints 400 MiB reserved."""
    assert reserved(("a", 400), "-a", ("b", 24)) == [400, 400, 400]


def test_the_smallest_block_that_fits_is_taken():
    steps = [("a", 40), ("b", 30), ("c", 60), "-a", "-b", "-c", ("d", 30), ("e", 50), ("f", 40)]
    assert reserved(*steps)[-3:] == [130, 130, 130]


def test_freed_neighbours_become_one():
    steps = [("a", 0.5), ("b", 0.5), ("c", 1), "-a", "-c", "-b", ("d", 1), ("e", 1)]
    run = told(*steps)
    assert run.reserved_bytes == 2 * MIB
    assert told(*steps[:6]).segments[0].largest_free_bytes == 2 * MIB


def test_blocks_of_two_segments_never_become_one():
    assert reserved(("a", 16), ("b", 16), "-a", "-b", ("c", 32))[-1] == 64


def test_a_stream_does_not_take_what_another_freed():
    assert reserved(("a", 30, 1), "-a", ("b", 30, 2), "-b", ("c", 30, 1))[-1] == 60


def test_small_requests_do_not_take_large_blocks():
    """pytorch devlog of 2026-06-01, "the 1 MiB loophole": 22 MiB, and 20 where both are large."""
    for text in ("", GROWING):
        assert reserved(("a", 2), "-a", ("b", 0.5), text=text)[-1] == 22
        assert reserved(("a", 2), "-a", ("b", 2), text=text)[-1] == 20


def test_small_then_large_reserves_twice_as_much():
    """pytorch devlog of 2026-06-01: 8 of 16 MiB, freed, then 4 of 32: 128, then 256 MiB."""
    steps = [*repeated("s", 8, 16), *freed("s", 8), *repeated("l", 4, 32)]
    levels = reserved(*steps)
    assert (levels[7], levels[15], levels[19]) == (128, 128, 256)


def test_large_then_small_reserves_no_more():
    """pytorch devlog of 2026-06-01: 4 of 32 MiB, freed, then 8 of 16: 128 MiB throughout."""
    steps = [*repeated("l", 4, 32), *freed("l", 4), *repeated("s", 8, 16)]
    assert reserved(*steps)[3:] == [128] * 13


# --- Giving back ------------------------------------------------------------------------------


def test_emptying_the_cache_gives_back_segments_without_a_block_in_use():
    assert reserved(("a", 5), ("b", 5), ("c", 30), "-a", "-c", "empty") == [20, 20, 50, 50, 50, 20]


def test_what_cannot_be_given_back_is_told():
    run = told(("a", 5), ("b", 5), ("c", 30), "-a", "-c")
    assert run.unreleasable_bytes == 15 * MIB
    assert run.largest_free_bytes == 30 * MIB


def test_a_request_that_does_not_fit_first_empties_the_cache():
    run = told(("a", 60), "-a", ("b", 80), capacity=100)
    assert [*run.reserved] == [60 * MIB, 60 * MIB, 80 * MIB]
    assert run.retries == 1


def test_a_request_without_room_is_named():
    """A segment in use of 20 MiB cannot be given back: 90 more do not fit into 100."""
    run = told(("a", 5), ("b", 90), "-b", capacity=100)
    assert [*run.reserved] == [20 * MIB]
    assert run.shortage is not None
    assert run.shortage.event == 1
    assert run.shortage.words == (
        "event 1 asks for 94371840 bytes, for which 94371840 must be reserved; 20971520 of 104857600 are, and "
        "5242880 of them are allocated"
    )


def test_the_share_of_a_process_bounds_it_as_the_device_does():
    text = "per_process_memory_fraction:0.5"
    assert told(("a", 50), text=text, capacity=100).shortage is None
    run = told(("a", 51), text=text, capacity=100)
    assert run.shortage is not None
    assert run.shortage.most_bytes == 50 * MIB


def test_a_process_may_be_told_to_give_up_at_once():
    """pytorch #179473: beyond the share, a request is rejected before anything is released."""
    steps = (("a", 30), "-a", ("b", 40))
    text = "per_process_memory_fraction:0.5"
    assert told(*steps, text=text, capacity=100).shortage is None
    run = told(*steps, text=f"{text},throw_on_cudamalloc_oom:True", capacity=100)
    assert run.shortage is not None
    assert (run.retries, run.shortage.reserved_bytes) == (0, 30 * MIB)


def test_garbage_is_collected_from_the_oldest_on():
    """Allowed are 200 MiB, collected is above 100. At the request for 60, a has been free for two searches
    and c for one: a is at least as old as their mean, and enough.
    """
    steps = [("a", 30), ("b", 40), ("c", 50), "-a", "-c", ("d", 50), "-d", ("e", 60)]
    text = "garbage_collection_threshold:0.5,per_process_memory_fraction:0.5"
    assert reserved(*steps, text=text, capacity=400) == [30, 70, 120, 120, 120, 120, 120, 150]
    assert reserved(*steps, capacity=400)[-1] == 180


# --- Blocks that are not split ----------------------------------------------------------------


def test_a_block_above_the_bound_is_used_only_for_a_request_near_it():
    """pytorch #136174: of 1024 MiB that are free, 500 take nothing below a rounding bound of 524."""
    steps = [("a", 1024), "-a", ("b", 500)]
    assert reserved(*steps, text="max_split_size_mb:400")[-1] == 1524
    more = told(*steps, text="max_split_size_mb:400,max_non_split_rounding_mb:600")
    assert (more.reserved_bytes, more.allocated_bytes) == (1024 * MIB, 1024 * MIB)


def test_a_small_request_does_not_split_a_block_above_the_bound():
    assert reserved(("a", 400), "-a", ("b", 24), text="max_split_size_mb:40")[-1] == 424


def test_blocks_above_the_bound_are_released_until_there_is_room():
    """As torch's own `test_max_split_expandable`: three of 40 MiB, then one of 120, within 120."""
    steps = [*repeated("a", 3, 40), *freed("a", 3), ("b", 120)]
    run = told(*steps, text="max_split_size_mb:40", capacity=120)
    assert (run.reserved_bytes, run.retries) == (120 * MIB, 0)


def test_only_as_much_is_released_as_a_request_needs():
    steps = [("a", 40), ("b", 60), "-a", "-b", ("c", 20)]
    assert reserved(*steps, text="max_split_size_mb:40", capacity=100)[-1] == 80


# --- Segments that grow -----------------------------------------------------------------------


def test_pages_are_mapped_as_they_are_needed():
    """pytorch devlog of 2026-06-01, step by step: 140 MiB of pages for eight of 16."""
    steps = repeated("a", 8, 16)
    assert reserved(*steps, text=GROWING) == [20, 40, 60, 80, 80, 100, 120, 140]


def test_a_growing_segment_does_not_mind_the_order():
    """pytorch devlog of 2026-06-01: all freed, four of 32 MiB need no further page."""
    steps = [*repeated("s", 8, 16), *freed("s", 8), *repeated("l", 4, 32)]
    assert reserved(*steps, text=GROWING)[-1] == 140


def test_what_is_in_use_divides_a_growing_segment_too():
    """pytorch devlog of 2026-06-01: of four of 16 MiB the first and third are freed; 32 need a page more."""
    steps = [*repeated("a", 4, 16), "-a0", "-a2", ("b", 32), "-b", "-a1", "-a3", ("c", 32)]
    assert reserved(*steps, text=GROWING)[3:] == [80, 80, 80, 100, 100, 100, 100, 100]


def test_only_whole_free_pages_are_given_back_and_the_gap_is_filled_first():
    """16 MiB are less than a page; 32 hold one, [0, 20). Mapped again, it serves the next 16."""
    steps = [*repeated("a", 8, 16), "-a0", "empty", "-a1", "empty", ("b", 16)]
    run = told(*steps, text=GROWING)
    assert [n // MIB for n in run.reserved[8:]] == [140, 140, 140, 120, 140]
    assert len(run.segments) == 1


def test_pages_apart_are_segments_apart():
    run = told(*repeated("a", 3, 20), "-a1", "empty", text=GROWING)
    assert [one.num_bytes for one in run.segments] == [20 * MIB, 20 * MIB]
    assert all(one.expandable for one in run.segments)


def test_a_full_device_gives_pages_of_one_stream_to_another():
    steps = [("a", 60, 1), "-a", ("b", 60, 2)]
    run = told(*steps, text=GROWING, capacity=100)
    assert (run.reserved_bytes, run.retries) == (60 * MIB, 1)


# --- What is asked of a replay ----------------------------------------------------------------


def test_a_peak_is_of_its_slice_and_counts_where_it_began():
    run = told(("a", 30), "-a", ("b", 5), "empty", ("c", 26))
    assert [*run.reserved] == [30 * MIB, 30 * MIB, 30 * MIB, 30 * MIB, 56 * MIB]
    assert (run.peak_reserved().num_bytes, run.peak_reserved().event) == (56 * MIB, 4)
    assert (run.peak_reserved(1, 3).num_bytes, run.peak_reserved(1, 3).event) == (30 * MIB, 0)
    assert (run.peak_allocated(2).num_bytes, run.peak_allocated(2).event) == (31 * MIB, 4)
    assert run.peak_allocated(1, 2).num_bytes == 30 * MIB
    assert replay(Events()).peak_reserved().num_bytes == 0


def test_a_replay_may_stop_to_look_at_what_is_held():
    events = events_of(("a", 5), ("b", 30), "-b", "empty")
    assert len(replay(events).segments) == 1
    halted = replay(events, until=2)
    assert [one.num_bytes // MIB for one in halted.segments] == [20, 30]
    assert isinstance(halted.reserved, array)


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([("free", 3)], "event 0 frees 3, which is not held"),
        ([("alloc", 1, 5), ("alloc", 1, 5)], "event 1 takes the id 1, which is in use"),
        ([("alloc", 1, 5), ("free", 1), ("free", 1)], "event 2 frees 1, which is not held"),
    ],
)
def test_events_that_cannot_be_are_refused(calls, words):
    events = Events()
    for name, *arguments in calls:
        getattr(events, name)(*arguments)
    with pytest.raises(ValueError, match=words):
        replay(events)


def test_marks_move_no_level():
    events = events_of(("a", 5))
    events.mark("begin decode")
    assert [*replay(events).reserved] == [20 * MIB, 20 * MIB]


def test_the_algorithm_names_its_source_and_version():
    assert "CUDACachingAllocator.cpp" in ALGORITHM.source
    assert ALGORITHM.version.startswith("2.13")


def test_200_000_events_take_a_moment():
    """About half a second of a processor; the bound is loose for slow ones."""
    events, live = Events(), []
    for number in range(150_000):
        events.alloc(number, (number * 7919 % 4096 + 1) * 1024)
        live.append(number)
        if number % 3 == 2:
            events.free(live.pop(number * 31 % len(live)))
    start = time.process_time()
    replay(events)
    assert len(events) == 200_000
    assert time.process_time() - start < 6
