"""Amounts sort as texts where they sort as numbers."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.archive.index_amount import LONGEST, amount_key, bound_key

decimals = st.decimals(allow_nan=False, allow_infinity=False, places=6).map(lambda d: f"{d:f}")


@given(decimals, decimals)
def test_two_amounts_sort_as_their_numbers(one, other):
    keys, numbers = (amount_key(one), amount_key(other)), (Fraction(one), Fraction(other))
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (
        numbers[0] < numbers[1],
        numbers[0] == numbers[1],
    )


@given(decimals, st.fractions(max_denominator=7))
def test_a_bound_without_end_divides_them_as_it_does_as_a_number(amount, bound):
    assert (amount_key(amount) >= bound_key(bound)) == (Fraction(amount) >= bound)
    assert (amount_key(amount) <= bound_key(bound)) == (Fraction(amount) <= bound)


@pytest.mark.parametrize(
    "text", ["", "1e5", "NaN", "0x1f", "1,5", "1" * (LONGEST + 1), "\u0661", "+1", "1.", ".5"]
)
def test_what_is_no_decimal_is_compared_with_nothing(text):
    assert amount_key(text) == ""


def test_the_same_number_has_one_key_however_it_is_written():
    assert len({amount_key(each) for each in ("1.50", "01.5", "1.5", "001.500")}) == 1
    assert len({amount_key(each) for each in ("0", "-0", "0.00")}) == 1
