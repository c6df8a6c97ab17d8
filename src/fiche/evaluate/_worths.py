"""What later payments count today: end of year, one rate, exact fractions (catalog 6)."""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.figure import Figure, Node, total
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import HOUR, ONE, WATT, Unit

HOURS_IN_YEAR = Figure(
    low=8760,
    high=8760,
    unit=HOUR,
    origin=Stated(span=None, because=tell("365 days of 24 hours; a leap year has 24 more")),
    id="hours_in_year",
    label=tell("hours in a year"),
)
_KWH = Unit((("kWh", 1),))
WATT_HOURS = Figure(
    low=1000,
    high=1000,
    unit=WATT.times(HOUR).per(_KWH),
    origin=Stated(span=None, because=tell("a kilowatt hour is 1000 watt hours")),
    id="watt_hours_in_kilowatt_hour",
    label=tell("watt hours in a kilowatt hour"),
)


@record
class Worths:
    """`sum` is what one unit paid at the end of each year counts today, `last` what it counts at the last one.

    Undiscounted they are the number of years and one.
    """

    sum: Node
    last: Node | None


def plain_worths(years: Node) -> Worths:
    """Every payment counts in full."""
    return Worths(sum=years, last=None)


def worths(owner: str, rate: Figure, years: Figure) -> Worths:
    """Each year's payment divided by one and the rate once more than the year before."""
    growth = (1 + rate).named(f"{owner}.growth", tell("what one unit grows to in a year"))
    each: list[Figure] = []
    for year in range(1, int(years.low) + 1):
        worth = (each[-1] if each else 1) / growth
        each.append(
            worth.named(
                f"{owner}.worth_{year}",
                tell("worth of one unit at the end of year {year}", year=year),
            )
        )
    summed = total(each, ONE).named(
        f"{owner}.annuity", tell("worth of one unit at the end of each year")
    )
    return Worths(sum=summed, last=each[-1])


def numbers(rate: Fraction, years: int) -> tuple[Fraction, Fraction]:
    """The same as plain numbers, (sum, last), for trying many rates or years."""
    growth = 1 + rate
    last = 1 / growth**years
    return (Fraction(years) if rate == 0 else (1 - last) / rate), last
