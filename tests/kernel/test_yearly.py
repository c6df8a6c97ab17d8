"""Amounts a year and prices of energy: one reading, or a refusal that says how to write it (B1)."""

from fractions import Fraction

import pytest

from fiche.kernel.number import Misread
from fiche.kernel.unit import money
from fiche.kernel.yearly import energy_price, parse_energy_price, parse_yearly


def test_what_is_paid_for_a_year_is_that_years_amount():
    read = parse_yearly("1800.50 EUR/year")
    assert (read.value, read.unit) == (Fraction("1800.5"), money("EUR"))


def test_a_price_of_energy_keeps_its_kilowatt_hour():
    read = parse_energy_price("0.21 EUR/kWh")
    assert (read.value, str(read.unit)) == (Fraction(21, 100), "EUR/kWh")
    assert read.unit == energy_price("EUR")


@pytest.mark.parametrize(
    ("text", "code"),
    [("1800 EUR", "F203"), ("1800 EUR/month", "F203"), ("1800 year", "F209"), ("1800", "F209"),
     ("a lot", "F204")],
)  # fmt: skip
def test_what_is_no_amount_a_year_is_refused(text, code):
    found = parse_yearly(text)
    assert isinstance(found, Misread)
    assert found.code == code
    assert "EUR/year" in found.hint or code == "F204"


@pytest.mark.parametrize(
    ("text", "code"), [("0.21 EUR", "F203"), ("21 ct/kWh", "F209"), ("0.2 EUR/MWh", "F203")]
)
def test_what_is_no_price_of_energy_is_refused(text, code):
    found = parse_energy_price(text)
    assert isinstance(found, Misread)
    assert found.code == code
