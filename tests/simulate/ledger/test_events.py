"""The stream of events between ledger and allocator."""

import pytest

from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, FREE, MARK, Events, rounded


def test_the_four_lists_stay_equally_long():
    events = Events()
    events.alloc(7, 1000, stream=2)
    events.mark("begin prefill")
    events.free(7)
    events.empty_cache()
    assert list(events.ops) == [ALLOC, MARK, FREE, EMPTY_CACHE]
    assert list(events.ids) == [7, 0, 7, 0]
    assert list(events.num_bytes) == [1000, 0, 0, 0]
    assert list(events.streams) == [2, 0, 0, 0]
    assert len(events) == 4
    assert events.marked() == [(1, "begin prefill")]


def test_marks_cut_the_stream_into_slices():
    events = Events()
    for name in ("prefill", "decode"):
        events.mark(f"begin {name}")
        events.alloc(len(events), 1)
        events.mark(f"end {name}")
    events.mark("after all")
    assert events.slices() == [("prefill", 1, 2), ("decode", 4, 5)]


@pytest.mark.parametrize(
    "marks", [["begin a", "begin b"], ["end a"], ["begin a"], ["begin a", "end b"]]
)
def test_marks_that_do_not_pair_are_refused(marks):
    events = Events()
    for text in marks:
        events.mark(text)
    with pytest.raises(ValueError, match="mark"):
        events.slices()


@pytest.mark.parametrize(
    ("asked", "counted"), [(0, 0), (1, 512), (512, 512), (513, 1024), (1 << 30, 1 << 30)]
)
def test_requests_are_counted_in_blocks_of_512(asked, counted):
    assert rounded(asked) == counted


def test_one_stream_follows_another():
    one, other = Events(), Events()
    one.mark("begin a")
    other.alloc(4, 100, stream=1)
    other.mark("end a")
    one.extend(other)
    assert list(one.ids) == [0, 4, 1]
    assert list(one.streams) == [0, 1, 0]
    assert one.slices() == [("a", 1, 2)]
