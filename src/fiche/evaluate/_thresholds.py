"""At which value of each input, all others held, buying and renting cost the same (catalog 6 and 9).

Everything is compared as a year: a year of rent against a year of owning, in which the purchase is spread over
what one unit a year is worth. Linear inputs have a closed form; years and rate are tried one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from fiche.evaluate._break_evens import break_even, grounds
from fiche.evaluate._frame import Frame
from fiche.evaluate._owning import YEARLY, counted, energy_hours
from fiche.evaluate._worths import HOURS_IN_YEAR, WATT_HOURS, Worths, numbers
from fiche.kernel.figure import Figure, Number, bare, between
from fiche.kernel.origin import Computed, Stated
from fiche.kernel.ownership import Flip, Owned, Rental, Threshold
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import ONE, count_of

MOST_YEARS = 50
STEPS = 10_000
_TRIED = tell("the answer changes between two values that were tried")


@record
class Sides:
    """What flips are worked out from: one candidate to buy, one to rent, one way of counting years."""

    candidate: Candidate
    own: Owned
    rent: Rental
    frame: Frame
    energy: Figure | None
    over: Worths
    suffix: str

    @property
    def owner(self) -> str:
        """Begins the ids."""
        return f"{self.frame.owner}.{self.rent.candidate}"

    @property
    def summed(self) -> Figure:
        """All of owning, counted this way."""
        later = self.own.discounted
        return later if self.over.last is not None and later is not None else self.own.undiscounted

    @property
    def yearly(self) -> Figure:
        """A year of owning that, paid each year, costs as much."""
        if self.over.last is None:
            return self.own.per_year
        found = self.summed / self.over.sum
        return found.named(
            f"{self.frame.owner}.owned_per_year_discounted", tell("owning, a year, discounted")
        )


def flips(ways: tuple[Sides, ...]) -> tuple[Flip, ...]:
    """Every input that is told, the nearest first; those that never flip the answer last.

    `ways` are undiscounted, and discounted where a rate is told: distances are those of the last.
    """
    first = ways[0]
    if not first.rent.per_year.exact or not all(way.summed.exact for way in ways):
        return ()
    tables = [dict(_thresholds(way)) for way in ways]
    found = [_flip(name, used, tables, first.owner) for name, used in _used(first)]
    return tuple(sorted(found, key=_order))


def _order(flip: Flip) -> tuple[bool, Number, str]:
    return flip.distance is None, 0 if flip.distance is None else flip.distance.low, flip.name


def _flip(name: str, used: Figure, tables: list[dict[str, Threshold]], owner: str) -> Flip:
    undiscounted = tables[0].get(name)
    discounted = tables[1].get(name) if len(tables) > 1 else None
    return Flip(
        name=name,
        used=used,
        undiscounted=undiscounted,
        discounted=discounted,
        distance=_distance(used, tables[-1].get(name), f"{owner}.flip.{name}.distance"),
    )


def _distance(used: Figure, told: Threshold | None, name: str) -> Figure | None:
    """How far the nearer end of a threshold lies from the value used, as a part of it."""
    value = None if told is None or told.never else told.value
    if value is None or not used.low:
        return None
    if name.endswith(".years.distance") and not value.exact:
        # Of two neighbouring years the one that answers otherwise.
        value = _end(value, upper=used.low <= value.low)
    if value.low > used.low:
        found = (value - used) / used
    elif value.high is not None and value.high < used.low:
        found = (used - value) / used
    else:
        found = (used - used) / used
    return found.named(name, tell("distance from the value used, as a part of it"))


def _end(bracket: Figure, *, upper: bool) -> Figure:
    """One of the two values that were tried."""
    assert isinstance(bracket.origin, Computed)
    found = bracket.origin.inputs[1 if upper else 0]
    assert isinstance(found, Figure)
    return found


def _used(sides: Sides) -> Iterator[tuple[str, Figure]]:
    yield "capex", sides.own.capex
    yield "rent", sides.rent.per_hour
    for name in sides.frame.plan.figures:
        if name != "modules":
            yield name, _in_currency(name, sides)


# --- Thresholds -----------------------------------------------------------------------------------


def _thresholds(sides: Sides) -> Iterator[tuple[str, Threshold]]:
    told = sides.frame.plan.figures
    for name, used, slope, least, most in _linear(sides):
        yield name, _moved(name, used, slope, (least, most), sides)
    yield "rent", _rent(sides)
    if "utilisation" in told:
        yield "utilisation", _utilisation(sides)
    if "years" in told:
        yield "years", _years(sides)
    if sides.over.last is not None:
        yield "discount_rate", _rate(sides)


_Linear = tuple[str, Figure, Figure | int, Number, Number | None]
# What makes owning cheaper where there is more of it.
_FALLING = ("residual",)


def _linear(sides: Sides) -> Iterator[_Linear]:
    """(name, value used, what a year costs more for one more of it, least and most of its range)."""
    frame, own, over = sides.frame, sides.own, sides.over
    told = frame.plan.figures
    share = 1 / over.sum
    yield "capex", own.capex, share + told["spares"] if "spares" in told else share, 0, None
    back = share if over.last is None else over.last / over.sum
    yield "residual", _in_currency("residual", sides), back, 0, own.capex.low
    for name in YEARLY:
        if name in told:
            yield name, _in_currency(name, sides), 1, 0, None
    if "spares" in told:
        yield "spares", told["spares"], own.capex, 0, 1
    if {"load", "pue", "price"} <= told.keys():
        yield from _energy(sides)


def _in_currency(name: str, sides: Sides) -> Figure:
    """What the plan tells, an amount in the plan's currency."""
    found = sides.frame.told(name, ONE)
    assert isinstance(found, Figure), "checked when the plan was loaded"
    return found


def _energy(sides: Sides) -> Iterator[_Linear]:
    told, frame = sides.frame.plan.figures, sides.frame
    price = _in_currency("price", sides)
    count = counted(sides.candidate, frame)
    hours = energy_hours(frame)
    watts = told["load"] * hours[0]
    if "idle" in told:
        watts = watts + told["idle"] * hours[1]
    yield "price", price, watts * count * told["pue"] / WATT_HOURS, 0, None
    yield "pue", told["pue"], watts * count / WATT_HOURS * price, 1, None
    watt = count * told["pue"] / WATT_HOURS * price
    for name, each in zip(("load", "idle"), hours, strict=True):
        if name in told:
            yield name, told[name], each * watt, 0, None
    for name, drawn in (("load_hours", "load"), ("idle_hours", "idle")):
        if drawn in told and {"load_hours", "idle_hours"} <= told.keys():
            yield name, told[name], told[drawn] * watt, 0, 8760


def _moved(
    name: str,
    used: Figure,
    slope: Figure | int,
    range_: tuple[Number, Number | None],
    sides: Sides,
) -> Threshold:
    """The value used and what the difference of a year buys of it, upward or downward."""
    rent, own = sides.rent.per_year, sides.yearly
    if (slope if isinstance(slope, int) else slope.low) == 0:
        return Threshold(never="none")
    cheaper = rent.low >= own.low
    step = (rent - own if cheaper else own - rent) / slope
    upward = cheaper != (name in _FALLING)
    if not upward and step.low > used.low:
        return Threshold(never="none")
    found = used + step if upward else used - step
    return _within(name, found, range_, sides)


def _within(
    name: str, found: Figure, range_: tuple[Number, Number | None], sides: Sides
) -> Threshold:
    least, most = range_
    if found.low < least or (most is not None and found.low > most):
        return Threshold(never="none")
    return Threshold(value=_named(name, found, sides))


def _named(name: str, found: Figure, sides: Sides) -> Figure:
    label = tell("{name} where both cost the same", name=spoken(name))
    return found.named(f"{sides.owner}.flip.{name}{sides.suffix}", label)


def _rent(sides: Sides) -> Threshold:
    """The price of an hour at which the same hours cost what owning does."""
    hours = bare(sides.rent.cards) * sides.frame.used_hours
    return Threshold(value=_named("rent", sides.yearly / hours, sides))


def _utilisation(sides: Sides) -> Threshold:
    if sides.frame.always:  # rent is the same; owning grows by its energy
        if sides.energy is None:
            return Threshold(never="none")
        used = sides.frame.plan.figures["utilisation"]
        return _moved("utilisation", used, sides.energy * HOURS_IN_YEAR, (0, 1), sides)
    name = f"{sides.owner}.flip.utilisation{sides.suffix}"
    return break_even(sides.yearly, sides.rent, sides.energy, name, sides.frame)


# --- What is tried --------------------------------------------------------------------------------


def _years(sides: Sides) -> Threshold:
    """Undiscounted in closed form; discounted between two whole years, which are tried one after another."""
    own, rent = sides.own, sides.rent
    if sides.over.last is None:
        if rent.per_year.low <= own.running.low:
            return Threshold(never="rent")
        spent = own.capex - _in_currency("residual", sides)
        return _within("years", spent / (rent.per_year - own.running), (0, MOST_YEARS), sides)
    rate = Fraction(sides.frame.plan.figures["discount_rate"].low)
    used = int(sides.frame.plan.figures["years"].low)
    found = _changes(lambda years: _more(sides, rate, years), range(1, MOST_YEARS + 1), used)
    return _between("years", found, 1, sides)


def _rate(sides: Sides) -> Threshold:
    """One sign change at most (the payments change their sign once), so halving finds it."""
    years = int(sides.frame.plan.figures["years"].low)

    def more(step: int) -> Fraction:
        return _more(sides, Fraction(step, STEPS), years)

    low, high = 0, STEPS
    if (more(low) >= 0) == (more(high) >= 0):
        return Threshold(never="none")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (more(middle) >= 0) == (more(low) >= 0) else (low, middle)
    exact = next((step for step in (low, high) if more(step) == 0), None)
    return _between("discount_rate", (low, high) if exact is None else (exact, exact), STEPS, sides)


def _more(sides: Sides, rate: Fraction, years: int) -> Fraction:
    """What renting costs more over so many years at a rate: plain numbers, for trying many."""
    worth, last = numbers(rate, years)
    back = _in_currency("residual", sides).low
    own = sides.own.capex.low - back * last + sides.own.running.low * worth
    return Fraction(sides.rent.per_year.low * worth - own)


def _changes(more: Callable[[int], Fraction], tried: range, used: int) -> tuple[int, int] | None:
    """The two neighbours, nearest to the value used, between which the answer changes."""
    signs = {each: more(each) >= 0 for each in tried}
    found = [(n, n + 1) for n in tried if n + 1 in signs and signs[n] != signs[n + 1]]
    return min(found, key=lambda pair: min(abs(pair[0] - used), abs(pair[1] - used)), default=None)


def _between(name: str, found: tuple[int, int] | None, per: int, sides: Sides) -> Threshold:
    if found is None:
        return Threshold(never="none")
    low, high = (_tried(name, end, Fraction(end, per), sides) for end in found)
    rate = sides.frame.plan.figures["discount_rate"]
    held = (*grounds(sides.own, sides.rent), *(() if name == "discount_rate" else (rate,)))
    return Threshold(value=_named(name, between(low, high, held, _TRIED), sides))


def _tried(name: str, end: int, value: Fraction, sides: Sides) -> Figure:
    unit = count_of("years") if name == "years" else ONE
    return Figure(
        low=value,
        high=value,
        unit=unit,
        origin=Stated(span=None, because=_TRIED),
        id=f"{sides.owner}.flip.{name}.tried_{end}",
        label=tell("a value that was tried"),
    )
