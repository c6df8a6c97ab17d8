"""A threshold that is told rounded is told on its safe side."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE, HOUR
from fiche.report.threshold import exact_too, threshold

FACTORS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def figure(value, unit=BYTE):
    return Figure(low=value, high=value, unit=unit, origin=Stated(span=None))


@pytest.mark.parametrize(
    ("value", "more", "less", "exact"),
    [
        (2_477_785_089, "2.31 GiB", "2.30 GiB", "2 477 785 089 B"),
        (2**31, "2.00 GiB", "2.00 GiB", ""),
        (2**31 + 1, "2.01 GiB", "2.00 GiB", "2 147 483 649 B"),
        (2**31 - 1, "2.00 GiB", "1.99 GiB", "2 147 483 647 B"),
        (999_999, "999 999 B", "999 999 B", ""),
    ],
)
def test_a_threshold_in_gib(value, more, less, exact):
    assert threshold(figure(value), is_floor=True) == more
    assert threshold(figure(value), is_floor=False) == less
    assert exact_too(figure(value)) == exact


def test_any_other_number_keeps_every_digit():
    assert threshold(figure(Fraction("168.01"), HOUR), is_floor=True) == "168.01 h"
    assert exact_too(figure(Fraction("168.01"), HOUR)) == ""


def read(text):
    number, unit = text.rsplit(" ", 1)
    return Fraction(number.replace(" ", "")) * FACTORS[unit]


@given(st.integers(min_value=0, max_value=2**45))
@example(2_477_785_089)
@example(2**30)
def test_it_never_crosses_and_stays_within_one_last_digit(value):
    more = threshold(figure(value), is_floor=True)
    less = threshold(figure(value), is_floor=False)
    step = FACTORS[more.rsplit(" ", 1)[1]] / Fraction(100)
    assert value <= read(more) < value + max(step, 1)
    assert read(less) <= value < read(less) + max(step, 1)
