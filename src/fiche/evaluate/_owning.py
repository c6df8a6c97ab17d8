"""What buying and running costs: a year, over all years, discounted, and by the useful hour (catalog 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.evaluate._frame import Frame
from fiche.evaluate._worths import HOURS_IN_YEAR, WATT_HOURS, Worths
from fiche.kernel import trace
from fiche.kernel.figure import Figure, Node, Unknown, bare, larger, smaller, total
from fiche.kernel.ownership import CostLine, Owned
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import ONE, WATT, count_of
from fiche.kernel.yearly import energy_price

YEARLY = ("hosting", "support", "staff", "licences")


def owned(candidate: Candidate, capex: Figure, frame: Frame) -> Owned:
    """Every line of owning; what is untold opens the sums and is named."""
    residual = frame.told("residual", frame.money.unit)
    if isinstance(residual, Unknown):
        # Nothing is worth more at its end than all of it cost.
        residual = smaller(residual, capex).named(
            f"{frame.owner}.residual_at_most", tell("value at the end")
        )
    costs = dict(_costs(candidate, capex, frame))
    running = total(costs.values(), frame.money.unit).named(
        f"{frame.owner}.running", tell("running costs of a year")
    )
    purchase = _Purchase(owner=frame.owner, capex=capex, residual=residual, running=running)
    per_year = purchase.per_year(frame.undiscounted)
    hours = bare(candidate.cards) * frame.used_hours
    undiscounted = purchase.summed(frame.undiscounted, "owned")
    return Owned(
        candidate=candidate.id,
        cards=candidate.cards,
        used_hours=frame.used_hours,
        capex=capex,
        running=running,
        lines=(*_bought(purchase, frame), *(_line(name, costs[name], frame) for name in costs)),
        per_year=per_year,
        per_hour=(per_year / hours).named(
            f"{frame.owner}.owned_per_hour", tell("owning, a card and useful hour")
        ),
        undiscounted=undiscounted,
        discounted=(
            None if frame.by_worth is None else purchase.summed(frame.by_worth, "owned_discounted")
        ),
        untold=tuple(_untold(frame, costs)),
        conditions=trace.conditions(per_year),
    )


@record
class _Purchase:
    """What is paid once, what comes back at the end, and what each year adds."""

    owner: str
    capex: Figure
    residual: Node
    running: Figure

    def per_year(self, over: Worths) -> Figure:
        """Purchase less residual spread over the years, and what runs."""
        spread = (self.capex - self.residual) / over.sum + self.running
        return spread.named(f"{self.owner}.owned_per_year", tell("owning, a year"))

    def summed(self, over: Worths, name: str) -> Figure:
        """All years, each payment at its worth."""
        back = self.residual if over.last is None else self.residual * over.last
        cost = self.capex - back + self.running * over.sum
        if over.last is None:
            return cost.named(f"{self.owner}.{name}", tell("owning, all years"))
        return cost.named(f"{self.owner}.{name}", tell("owning, all years, discounted"))


# --- Lines --------------------------------------------------------------------------------------


def _bought(purchase: _Purchase, frame: Frame) -> Iterator[CostLine]:
    years, worth = frame.undiscounted.sum, frame.by_worth
    a_year = f"{frame.owner}.purchase_per_year", tell("purchase, spread over the years")
    yield CostLine(
        name="purchase",
        per_year=(purchase.capex / years).named(*a_year),
        undiscounted=purchase.capex,
        discounted=None if worth is None else purchase.capex,
    )
    back, told = purchase.residual, f"{frame.owner}.residual"
    later = None if worth is None or worth.last is None else back * worth.last
    yield CostLine(
        name="residual",
        per_year=(back / years).named(
            f"{told}_per_year", tell("value at the end, spread over the years")
        ),
        undiscounted=back,
        discounted=(
            None
            if later is None
            else later.named(f"{told}_discounted", tell("value at the end, discounted"))
        ),
    )


def _line(name: str, yearly: Node, frame: Frame) -> CostLine:
    owner, worth = f"{frame.owner}.{name}", frame.by_worth
    later = None if worth is None else yearly * worth.sum
    return CostLine(
        name=name,
        per_year=yearly,
        undiscounted=(yearly * frame.undiscounted.sum).named(
            f"{owner}_all_years", tell("{name}, all years", name=spoken(name))
        ),
        discounted=(
            None
            if later is None
            else later.named(f"{owner}_discounted", tell("{name}, discounted", name=spoken(name)))
        ),
    )


def _costs(candidate: Candidate, capex: Figure, frame: Frame) -> Iterator[tuple[str, Node]]:
    """What each year costs beside the purchase, in the order of a report."""
    yield "energy", _energy(candidate, frame)
    for name in YEARLY[:3]:
        yield name, frame.told(name, frame.money.unit)
    share = frame.told("spares", ONE)
    yield "spares", (capex * share).named(f"{frame.owner}.spares_per_year", tell("spares, a year"))
    yield YEARLY[3], frame.told(YEARLY[3], frame.money.unit)


def _untold(frame: Frame, costs: Mapping[str, Node]) -> Iterator[str]:
    """The inputs that are missing, each by its own name."""
    told = frame.plan.figures
    for name in ("years", "utilisation", "residual"):
        if name not in told:
            yield name
    wanted = ["load", "idle", "pue", "price"]
    if frame.word("per", "card") == "module":
        wanted.append("modules")
    yield from (name for name in wanted if name not in told)
    yield from (name for name in costs if name != "energy" and name not in told)


# --- Energy -------------------------------------------------------------------------------------


def _energy(candidate: Candidate, frame: Frame) -> Figure:
    """Watts x hours, at load and idle, of what the watts are for, x PUE x price."""
    hours = energy_hours(frame)
    drawn = frame.told("load", WATT) * hours[0] + frame.told("idle", WATT) * hours[1]
    pue = frame.told("pue", ONE)
    room = drawn * counted(candidate, frame) * (larger(pue, 1) if isinstance(pue, Unknown) else pue)
    kwh = (room / WATT_HOURS).named(f"{frame.owner}.energy_used", tell("energy of a year"))
    price = frame.told("price", energy_price(frame.money.currency))
    return (kwh * price).named(f"{frame.owner}.energy_per_year", tell("energy, a year"))


def energy_hours(frame: Frame) -> tuple[Node, Node]:
    """(at load, idle) of a year: the used hours and the rest of it, unless the plan tells others."""
    told = frame.plan.figures
    load = told.get("load_hours", frame.used_hours)
    if "idle_hours" in told:
        return load, told["idle_hours"]
    rest = (HOURS_IN_YEAR - load).named(
        f"{frame.owner}.rest_of_year", tell("hours of a year not at load")
    )
    return load, rest


def counted(candidate: Candidate, frame: Frame) -> Node | int:
    """How many times the watts are drawn: power that belongs to a module is never counted a device."""
    per = frame.word("per", "card")
    if per == "all":
        return 1
    return bare(frame.told("modules", count_of("modules")) if per == "module" else candidate.cards)
