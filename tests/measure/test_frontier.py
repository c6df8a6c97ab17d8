"""The search for a frontier by itself: what is tried next, and what the outcomes say (C11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.measure.frontier import Bracket, Extent, bracket, default_step, next_value


def searched(extent, works, known=()):
    """The outcomes of a whole search, in the order tried."""
    told = list(known)
    while (value := next_value(extent, told)) is not None:
        assert value not in [each for each, _ in told]
        told.append((value, works(value)))
    return told[len(known) :]


def test_the_short_end_comes_first_then_the_long_one_then_the_middle():
    """D6: a short input first, to catch errors of preparation."""
    told = searched(Extent(low=1024, high=131072, step=2032), lambda value: value <= 40_000)
    assert [value for value, _ in told[:4]] == [1024, 131072, 66048, 33536]
    assert bracket(told) == Bracket(success=39632, failure=41664)


@pytest.mark.parametrize(
    ("limit", "tried", "found"),
    [
        (9, [10], Bracket(success=None, failure=10)),
        (99, [10, 99], Bracket(success=99, failure=None)),
        (98, [10, 99, 54, 76, 87, 93, 96, 97, 98], Bracket(success=98, failure=99)),
        (10, [10, 99, 54, 32, 21, 15, 12, 11], Bracket(success=10, failure=11)),
    ],
)
def test_every_end_of_a_search(limit, tried, found):
    told = searched(Extent(low=10, high=99, step=1), lambda value: value <= limit)
    assert [value for value, _ in told] == tried
    assert bracket(told) == found


def test_the_default_resolution_is_a_sixty_fourth():
    assert default_step(1024, 131072) == 2032
    assert default_step(1, 2) == 1
    assert default_step(1, 66) == 2


def test_failures_below_a_success_are_told_apart():
    told = [(10, True), (20, False), (30, True), (40, False), (50, False)]
    assert bracket(told) == Bracket(success=30, failure=40, contrary=(20,))
    assert bracket([(10, True), (10, False)]) == Bracket(success=10, failure=None, contrary=(10,))
    assert bracket([]) == Bracket(success=None, failure=None)


def test_a_search_goes_on_from_any_outcomes():
    extent = Extent(low=10, high=100, step=10)
    assert next_value(extent, [(10, True)]) == 100
    assert next_value(extent, [(45, True), (100, False)]) == 70
    assert next_value(extent, [(200, True)]) is None
    assert next_value(extent, [(5, False)]) is None
    assert next_value(extent, [(55, False)]) == 10


@given(
    low=st.integers(1, 10_000),
    length=st.integers(1, 10_000),
    step=st.integers(1, 12_000),
    limit=st.integers(-10, 25_000),
    known=st.lists(st.integers(1, 20_000), max_size=4, unique=True),
)
def test_the_bounds_come_as_near_as_asked(low, length, step, limit, known):
    extent = Extent(low=low, high=low + length, step=step)
    before = [(value, value <= limit) for value in known]
    told = searched(extent, lambda value: value <= limit, before)
    assert all(low <= value <= low + length for value, _ in told)
    found = bracket([*before, *told])
    assert found.contrary == ()
    if found.success is not None and found.failure is not None:
        assert found.success <= limit < found.failure
        inside = [extent.at(place) for place in range(extent.last + 1)]
        assert not any(found.success < value < found.failure for value in inside)
    assert len(told) <= 3 + max(1, -(-length // step)).bit_length()
