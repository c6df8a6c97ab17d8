"""Buying against renting: what is asked, and what follows in years, hours and money (catalog 6)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Span
from fiche.kernel.condition import Condition
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node
from fiche.kernel.record import field, record

# What a plan may state, in the order in which a report lists it.
INPUTS = (
    "years",
    "utilisation",
    "discount_rate",
    "residual",
    "load",
    "idle",
    "load_hours",
    "idle_hours",
    "modules",
    "pue",
    "price",
    "hosting",
    "support",
    "staff",
    "spares",
    "licences",
)


@record
class Plan:
    """What a fiche asks to be compared: one candidate to buy against those to rent.

    `figures` by the names of INPUTS; `facts`: term (of the watts), per (card | module | all), rented
    (as_used | without_break), and `considered.*` for points that are often left out. What is absent is untold.
    """

    id: str
    buy: str
    rent: tuple[str, ...]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    span: Span | None = None


@record
class CostLine:
    """One cost of owning: a year, over all years, and over all years discounted (None: no rate is told)."""

    name: str
    per_year: Node
    undiscounted: Node
    discounted: Node | None


@record
class Owned:
    """Buying and running: `per_year` spreads the purchase less the residual over the years.

    `running` is what a year costs beside the purchase; `untold` names the inputs that are missing. Useful hours
    are counted on `cards`.
    """

    candidate: str
    cards: Figure
    used_hours: Figure
    capex: Figure
    running: Figure
    lines: tuple[CostLine, ...]
    per_year: Figure
    per_hour: Figure
    undiscounted: Figure
    discounted: Figure | None
    untold: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()


@record
class Threshold:
    """Where two costs are equal; None where nowhere, and `never` says why, in one of few words.

    `open`: something is untold. `none`: no value of its range. `rent`: an hour of rent costs no more than an
    hour of owning adds. `below`: buying is cheaper from the shortest rental on. `above`: the value is beyond
    all hours of a year (it is kept). `within`: not within the plan's years. `flat`: rent is paid, used or not.
    """

    value: Figure | None = None
    never: str = ""


@record
class Flip:
    """At which value of one input, all others held, buying and renting cost the same.

    `used` is the value of the plan; `distance` is how far the threshold that the answer rests on lies from it,
    as a part of it (None: it never flips, or the value is zero). Undiscounted there is no rate to flip.
    """

    name: str
    used: Node
    undiscounted: Threshold | None
    discounted: Threshold | None
    distance: Figure | None = None


@record
class Steps:
    """How the rent of one year grows with its hours: `base` once, then `one` for each period of `period` hours.

    At least `least` periods are paid; `whole` where a period begun is paid in full.
    """

    base: Figure
    one: Figure
    period: Figure
    least: Figure
    whole: bool


@record
class Crossing:
    """The first moment at which the rent paid so far exceeds what owning has cost so far, before any resale.

    `used_hours` are counted from the start, `years` is that moment in years, `cost` what renting has cost then.
    """

    used_hours: Figure
    years: Figure
    cost: Figure


@record
class Rental:
    """Renting one candidate for the same years, against the plan's purchase.

    `more` is what renting costs more than owning (below zero: less); None where that is not known. `answer`:
    buy, rent, equal or open, undiscounted and discounted. `break_even` is the utilisation with energy that
    follows it, `at_stated_energy` the plain quotient. `first_year` is the first year at whose end the
    discounted rent paid exceeds the discounted cost of owning, before any resale. `headroom` is what all that
    is untold may cost a year before renting is cheaper.
    """

    candidate: str
    cards: Figure
    rented_hours: Figure
    per_year: Figure
    per_hour: Figure
    undiscounted: Figure
    discounted: Figure | None
    steps: Steps | None = None
    more: Figure | None = None
    more_discounted: Figure | None = None
    answer: str = "open"
    answer_discounted: str = ""
    break_even: Threshold = Threshold(never="open")
    at_stated_energy: Figure | None = None
    crossing: Crossing | None = None
    crossing_never: str = ""
    first_year: Threshold = Threshold(never="open")
    flips: tuple[Flip, ...] = ()
    headroom: Figure | None = None
    conditions: tuple[Condition, ...] = ()


@record
class Ownership:
    """One plan, worked out. `owned` is None where the purchase's price before tax is not known.

    `omitted` are the points that are often left out and that this plan does not speak of; `missing` candidates
    to rent whose price before tax nobody says, or where documents contradict each other; `conditions` are what
    would tell these prices. `basis` is `discounted` where the plan names a rate: the answer rests on it; else
    `undiscounted`.
    """

    plan: Plan
    basis: str
    owned: Owned | None
    rentals: tuple[Rental, ...] = ()
    missing: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    omitted: tuple[str, ...] = ()
