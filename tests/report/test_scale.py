import itertools
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from fiche.report.numbers import PAGE
from fiche.report.scale import marks, plain, step


@given(st.integers(1, 10**15), st.integers(2, 8))
def test_so_many_steps_reach_the_end_and_no_more_than_twice_and_a_half(most, steps):
    apart = step(Fraction(most), steps)
    assert apart * steps >= most
    assert apart * steps <= most * Fraction(5, 2) * 2


@given(st.integers(1024, 10**14), st.integers(2, 8))
def test_marks_begin_at_zero_stand_evenly_and_end_within(most, steps):
    told, unit = marks(most, steps, PAGE)
    values = [value for value, _ in told]
    assert values[0] == 0
    assert values[-1] <= most
    assert len(told) <= steps + 1
    assert len({after - before for before, after in itertools.pairwise(values)}) <= 1
    assert unit in ("GiB", "MiB", "KiB")
    assert len({label for _, label in told}) == len(told)


def test_round_numbers_have_the_decimals_that_they_have():
    assert plain(Fraction(1, 2), PAGE) == "0.5"
    assert plain(Fraction(20), PAGE) == "20"
