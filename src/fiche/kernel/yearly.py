"""Amounts a year and prices of energy, as people write them: read once, exactly, or refused (law 2)."""

from __future__ import annotations

from collections.abc import Callable

from fiche.kernel.currency import CURRENCIES
from fiche.kernel.number import Misread, parse_number, quoted
from fiche.kernel.quantity import Quantity
from fiche.kernel.unit import Unit, money


def parse_yearly(text: str) -> Quantity | Misread:
    """Read what is paid for one year (`1800 EUR/year`) as that year's amount."""
    return _amount_per(text, "year", "1800 EUR/year", money)


def parse_energy_price(text: str) -> Quantity | Misread:
    """Read the price of a kilowatt hour (`0.21 EUR/kWh`)."""
    return _amount_per(text, "kWh", "0.21 EUR/kWh", energy_price)


def energy_price(currency: str) -> Unit:
    """The unit of a price of energy: nobody is billed by the joule."""
    return Unit((*money(currency).powers, ("kWh", -1)))


def _amount_per(
    text: str, per: str, example: str, unit: Callable[[str], Unit]
) -> Quantity | Misread:
    written = parse_number(text)
    if isinstance(written, Misread):
        return written
    currency, slash, what = written.unit.partition("/")
    if currency not in CURRENCIES:
        message = f"{quoted(text)} has no currency"
        return Misread(code="F209", message=message, hint=f"write it as in {example}")
    if not slash or what != per:
        message = f"{quoted(text)} is not an amount per {per}"
        return Misread(code="F203", message=message, hint=f"write it as in {example}")
    return Quantity(value=written.value, unit=unit(currency), text=text)
