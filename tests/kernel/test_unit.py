"""Units: powers multiply and cancel; counts of different things never add (B1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.unit import (
    BYTE,
    BYTE_PER_SECOND,
    HOUR,
    ONE,
    SECOND,
    WATT,
    Unit,
    count_of,
    money,
)

USD = money("USD")
units = st.sampled_from(
    [ONE, BYTE, HOUR, SECOND, WATT, USD, USD.per(HOUR), count_of("tokens"), BYTE_PER_SECOND]
)


def test_a_rate_times_hours_is_money():
    assert USD.per(HOUR).times(HOUR) == USD


def test_bits_over_bits_in_a_byte_are_bytes():
    """The unit algebra behind parameters x bits / 8 (B2)."""
    per_byte = Unit((("B", -1),))
    assert count_of("parameters").times(count_of("bits")).per(per_byte) == BYTE


@pytest.mark.parametrize(
    ("unit", "text"),
    [
        (BYTE, "B"),
        (BYTE_PER_SECOND, "B/s"),
        (USD.per(HOUR), "USD/h"),
        (BYTE.times(BYTE), "B^2"),
        (ONE.per(BYTE), "1/B"),
        (count_of("tokens"), "tokens"),
        (ONE, ""),
        (ONE.per(BYTE).per(SECOND), "1/B/s"),
    ],
)
def test_a_unit_prints_its_powers(unit, text):
    assert str(unit) == text


@pytest.mark.parametrize(
    ("left", "right", "word"),
    [
        (count_of("tokens"), ONE, "tokens"),
        (ONE, count_of("tokens"), "tokens"),
        (count_of("tokens"), count_of("heads"), ""),
        (ONE, ONE, ""),
    ],
)
def test_a_product_of_counts_keeps_a_word_only_where_one_counts(left, right, word):
    assert left.times(right) == count_of(word)


def test_a_count_divided_by_a_pure_number_keeps_its_word():
    assert count_of("tokens").per(ONE) == count_of("tokens")
    assert ONE.per(count_of("tokens")) == ONE


@given(units, units)
def test_multiplying_then_dividing_gives_the_powers_back(left, right):
    assert left.times(right).per(right).powers == left.powers


@given(units, units)
def test_the_order_of_factors_changes_no_unit(left, right):
    assert left.times(right) == right.times(left)


@given(units)
def test_a_unit_over_itself_is_a_pure_number(unit):
    assert unit.per(unit).is_count
