"""Levels over events: what a phase reaches, and that a thinned curve keeps every extreme."""

import itertools
import random

from fiche.simulate.curves import levels_of, thinned


def test_levels_of_a_phase_count_what_was_there_at_its_start():
    levels = [1, 5, 2, 2, 4]
    assert levels_of(levels, 1, 3) == {"start": 1, "peak": 5, "end": 2}
    assert levels_of(levels, 2, 4) == {"start": 5, "peak": 5, "end": 2}
    assert levels_of(levels, 0, 1) == {"start": 0, "peak": 1, "end": 1}


def test_an_empty_phase_stays_where_it_is():
    assert levels_of([3, 7], 1, 1) == {"start": 3, "peak": 3, "end": 3}


def test_a_short_curve_is_whole():
    assert thinned([4, 2], []) == [[0, 4], [1, 2]]


def test_a_long_one_keeps_the_extremes_of_all_and_of_each_phase():
    free = random.Random(6)
    levels = [free.randrange(10**9) for _ in range(50_000)]
    stretches = [(100, 130), (4_000, 4_001), (40_000, 49_999), (7, 7)]
    points = thinned(levels, stretches)
    assert len(points) <= 2_000
    kept = dict(points)
    assert [event for event, _ in points] == sorted(kept)
    assert all(levels[event] == level for event, level in points)
    for begin, end in [(0, len(levels)), *stretches[:3]]:
        within = [level for event, level in points if begin <= event < end]
        assert (min(within), max(within)) == (min(levels[begin:end]), max(levels[begin:end]))


def test_very_many_phases_leave_room_for_the_curve_itself():
    levels = list(range(30_000))
    points = thinned(levels, [(at, at + 10) for at in range(0, 30_000, 10)])
    assert len(points) <= 2_000
    assert max(b - a for (a, _), (b, _) in itertools.pairwise(points)) <= 600
