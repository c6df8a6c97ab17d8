"""From which use, and from when, buying has paid: exact, or an interval where rent goes by whole periods."""

from __future__ import annotations

from fractions import Fraction

from fiche.evaluate._frame import Frame
from fiche.evaluate._owning import counted
from fiche.evaluate._worths import HOURS_IN_YEAR, WATT_HOURS, numbers
from fiche.kernel.figure import Figure, bare, between, ceil, either, floor, larger
from fiche.kernel.origin import Stated
from fiche.kernel.ownership import Crossing, Owned, Rental, Steps, Threshold
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE, count_of

_PERIODS = tell(
    "rent is paid by whole periods: in between buying costs less as one begins, and "
    "renting as it ends"
)
_LABEL = tell("break-even utilisation")
_ENDS = tell("payments at the end of each year, one year after another")
_OPEN = Threshold(never="open")


# --- Utilisation ----------------------------------------------------------------------------------


def at_stated_energy(own: Owned, rent: Rental, owner: str) -> Figure | None:
    """Owned a year / (cards x 8760 x rent an hour): the plain quotient, whose energy is the plan's."""
    if not own.per_year.exact or not rent.per_hour.exact or not rent.per_hour.low:
        return None
    whole = bare(rent.cards) * HOURS_IN_YEAR * rent.per_hour
    found = own.per_year / whole
    return found.named(
        f"{owner}.break_even_at_stated_energy", tell("break-even utilisation, energy as stated")
    )


def energy_an_hour(candidate: Candidate, frame: Frame) -> Figure | None:
    """What one more hour of use adds to the energy; None where use does not change it, or it is untold."""
    told = frame.plan.figures
    if "load_hours" in told or not {"load", "pue", "price"} <= told.keys():
        return None
    if "idle" not in told and "idle_hours" not in told:
        return None
    waits = "idle_hours" not in told
    more = told["load"] - told["idle"] if waits else told["load"]
    price = frame.told("price", ONE)
    an_hour = more * counted(candidate, frame) * told["pue"] / WATT_HOURS * price
    return an_hour.named(f"{frame.owner}.energy_an_hour", tell("energy of one more hour of use"))


def break_even(
    owned: Figure, rent: Rental, energy: Figure | None, name: str, frame: Frame
) -> Threshold:
    """The utilisation at which a year of owning, whose energy follows it, costs what its hours of rent do.

    `owned` is a year of owning at the plan's utilisation, so that it serves discounted years too. Where rent
    does not depend on use, or no price of an hour is known, there is none.
    """
    steps = rent.steps
    if frame.always:
        return Threshold(never="flat")
    if steps is None or not owned.exact:
        return _OPEN
    an_hour = steps.one / steps.period
    spent = energy * frame.used_hours if energy is not None else None
    fixed = owned if spent is None else owned - spent
    net = an_hour if energy is None else an_hour - energy
    if net.low <= 0:
        return Threshold(never="rent")
    if fixed.low <= steps.base.low:
        return Threshold(never="below")
    if steps.whole:
        return _by_periods(fixed, steps, energy, name)
    value = ((fixed - steps.base) / (net * HOURS_IN_YEAR)).named(name, _LABEL)
    if value.low * HOURS_IN_YEAR.low < steps.least.low * steps.period.low:
        return Threshold(never="below")
    return Threshold(value=value, never="above" if value.low > 1 else "")


def _by_periods(fixed: Figure, steps: Steps, energy: Figure | None, name: str) -> Threshold:
    """After how many whole periods buying costs less: at once from some hour on, or by turns.

    A period that begins makes rent jump, and its energy lets owning rise until it ends: from `first` periods
    on buying costs less while a period is new, from `last` on until its end as well.
    """
    drawn = None if energy is None else energy * steps.period
    net = steps.one if drawn is None else steps.one - drawn
    least, above = steps.least.low, fixed - steps.base
    last = ceil(above / net) - 1
    if last.low < least:
        return Threshold(never="below")
    if above.low < steps.one.low * least:
        first: Figure = last * 0  # the shortest rental costs more than the fewest hours of use
    else:
        first = floor((above if drawn is None else above - drawn) / net)
    periods = last if first.low == last.low else either(first, last, _PERIODS)
    value = (periods * steps.period / HOURS_IN_YEAR).named(name, _LABEL)
    return Threshold(value=value, never="above" if value.low > 1 else "")


# --- Time -----------------------------------------------------------------------------------------


def crossing(own: Owned, rent: Rental, owner: str, years: Figure | None) -> Crossing | str:
    """The first moment at which the rent paid exceeds the cost of owning so far; a word where there is none.

    What is bought is paid at the start, what runs is spent evenly; a period is paid as it begins.
    """
    steps, hours = rent.steps, rent.rented_hours
    known = own.running.exact and own.capex.exact and rent.per_year.exact
    if steps is None or years is None or not known or not hours.exact:
        return "open"
    for year in range(int(years.low)):
        before = _before(year, own, rent, owner)
        found = _within(before, own, steps, hours, owner)
        if found is not None:
            return _crossing(found, before, own, rent, owner)
    return "within"


def _before(year: int, own: Owned, rent: Rental, owner: str) -> tuple[Figure, Figure, Figure]:
    """Whole years before, and what owning and renting have cost by then."""
    count = Figure(
        low=year,
        high=year,
        unit=count_of("years"),
        origin=Stated(
            span=None, because=tell("whole years before the crossing, tried one after another")
        ),
        id=f"{owner}.whole_years",
        label=tell("whole years before the crossing"),
    )
    return count, own.capex + own.running * count, rent.per_year * count


def _within(
    before: tuple[Figure, Figure, Figure], own: Owned, steps: Steps, hours: Figure, owner: str
) -> tuple[Figure | None, Figure] | None:
    """(hours into this year or None for its start, periods paid by then); None where rent stays below."""
    _, spent, paid = before
    start = paid + steps.base + steps.one * steps.least
    if start.low > spent.low:
        return None, steps.least
    a_period = own.running * steps.period / hours
    if steps.one.low <= a_period.low:
        return None
    lead = spent - paid - steps.base
    if steps.whole:
        paid_by = larger(floor((lead - a_period) / (steps.one - a_period)), steps.least)
        ends = -(-Fraction(hours.low) // Fraction(steps.period.low))
        return (paid_by * steps.period, paid_by + 1) if paid_by.low < ends else None
    share = lead / (steps.one - a_period)
    return (share * steps.period, share) if share.low * steps.period.low <= hours.low else None


def _crossing(
    found: tuple[Figure | None, Figure],
    before: tuple[Figure, Figure, Figure],
    own: Owned,
    rent: Rental,
    owner: str,
) -> Crossing:
    steps, hours = rent.steps, rent.rented_hours
    assert steps is not None
    into, periods = found
    whole = before[0] * hours
    at = (whole if into is None else whole + into).named(
        f"{owner}.crossing_hours", tell("rented hours until rent has cost more than owning so far")
    )
    cost = before[2] + steps.base + steps.one * periods
    return Crossing(
        used_hours=at,
        years=(at / hours).named(f"{owner}.crossing_years", tell("years until then")),
        cost=cost.named(f"{owner}.crossing_cost", tell("rent paid by then")),
    )


def grounds(own: Owned, rent: Rental) -> tuple[Figure, ...]:
    """What a search over rates or years is made with."""
    return rent.per_year, own.capex, own.running, own.undiscounted


def first_year(
    own: Owned, rent: Rental, owner: str, rate: Figure | None, years: Figure | None
) -> Threshold:
    """The first year at whose end the rent paid, discounted, exceeds the purchase and what ran, discounted."""
    known = own.running.exact and own.capex.exact and rent.per_year.exact
    if rate is None or years is None or not known:
        return _OPEN
    for year in range(1, int(years.low) + 1):
        worth = numbers(Fraction(rate.low), year)[0]
        if rent.per_year.low * worth > own.capex.low + own.running.low * worth:
            tried = Figure(
                low=year,
                high=year,
                unit=count_of("years"),
                origin=Stated(span=None, because=_ENDS),
                id=f"{owner}.first_year_tried",
                label=tell("a year that was tried"),
            )
            found = between(tried, tried, (*grounds(own, rent), rate), _ENDS)
            label = tell(
                "first year at whose end rent has cost more than owning so far, discounted"
            )
            return Threshold(value=found.named(f"{owner}.first_year", label))
    return Threshold(never="within")
