"""Numbers in sentences: exact decimals, never an exponent (law 2)."""

from fractions import Fraction

import pytest
from evaluate.build import declared, stated

from fiche.criteria._words import figure_text, number_text
from fiche.kernel.rates import MONTH
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, ONE, SECOND, money


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (60, "60"),
        (Fraction("47.14"), "47.14"),
        (Fraction("0.05"), "0.05"),
        (Fraction("-0.5"), "-0.5"),
        (-60, "-60"),
        (10**24, "1" + "0" * 24),
        (Fraction(1, 3), "1/3"),
    ],
)
def test_a_number_is_written_exactly(value, text):
    assert number_text(value) == text


def test_a_figure_is_written_with_its_unit_and_its_width():
    assert figure_text(stated(Fraction("47.14"), money("USD"))) == "47.14 USD"
    assert figure_text(declared(1, BYTE, high=2)) == "1 to 2 B"
    assert figure_text(replace(stated(1, BYTE), high=None)) == "1 to open B"
    assert figure_text(stated(7, ONE)) == "7"


def test_times_below_a_second_are_told_in_milliseconds_and_months_as_months():
    assert figure_text(stated(Fraction(4, 5), SECOND)) == "800 ms"
    assert figure_text(stated(Fraction(3, 2), SECOND)) == "1.5 s"
    assert figure_text(stated(36, MONTH)) == "36 months"
