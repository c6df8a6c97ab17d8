"""What is wrong with a plan of buying against renting, each at the word that says it (catalog 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.catalog import Offer
from fiche.kernel.currency import currency_of
from fiche.kernel.figure import Figure
from fiche.kernel.ownership import Plan
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.requirement import Candidate
from fiche.load.fault import Faults
from fiche.load.node import Mapping as MappingNode
from fiche.load.node import Scalar

_YEAR = 8760
_MOST_YEARS = 50
_PARTS = ("gcd", "tile", "board part")


def check(
    node: MappingNode,
    plan: Plan,
    bought: Mapping[str, Candidate],
    purchase: Purchase,
    faults: Faults,
) -> None:
    """Note everything that cannot be as it is written; what is absent is no fault."""
    _kinds(node, bought, faults)
    _currencies(node, plan, bought, purchase, faults)
    _year(node, plan, faults)
    _power(node, plan, bought.get(plan.buy), faults)
    _residual(node, plan, bought.get(plan.buy), faults)


def _kinds(node: MappingNode, bought: Mapping[str, Candidate], faults: Faults) -> None:
    """What is bought has an offer of kind buy, what is rented one of kind rent."""
    named = [("buy", node.scalar("buy")), *(("rent", each) for each in node.scalars("rent"))]
    for kind, name in named:
        offer = _offer(bought.get(name.text))
        if offer is not None and offer.kind != kind:
            message = f"offer '{offer.id}' of '{name.text}' is of kind {offer.kind}, not {kind}"
            hint = f"it stands at {offer.span}; name a candidate with an offer of kind {kind}"
            faults.add("F370", message, name.span, hint)


def _offer(candidate: Candidate | None) -> Offer | None:
    return None if candidate is None else candidate.offer


def _currencies(
    node: MappingNode,
    plan: Plan,
    bought: Mapping[str, Candidate],
    purchase: Purchase,
    faults: Faults,
) -> None:
    """Two currencies of one plan need a rate: they are never added as if they were one."""
    seen: dict[str, None] = {purchase.currency: None} if purchase.currency else {}
    for name, figure in _amounts(node, plan, bought):
        currency = currency_of(figure.unit)
        first = next(iter(seen), currency)
        if currency and currency not in seen and not _leads(currency, first, purchase.rates):
            message = f"this is in {currency}, and the plan is compared in {first}"
            hint = (
                f"add a rate from {currency} to {first} under 'exchange', with its date and source"
            )
            faults.add("F371", message, name.span, hint)
        seen[currency] = None


def _amounts(
    node: MappingNode, plan: Plan, bought: Mapping[str, Candidate]
) -> Iterator[tuple[Scalar, Figure]]:
    """Every price and amount of a plan with the word to point at, the purchase first."""
    for name in (node.scalar("buy"), *node.scalars("rent")):
        offer = _offer(bought.get(name.text))
        if offer is not None and "price" in offer.figures:
            yield name, offer.figures["price"]
    energy = node.mapping("energy")
    for key, figure in plan.figures.items():
        owner = energy if key in energy else node
        if key in owner and currency_of(figure.unit):
            yield owner.entries[key].key, figure


def _leads(source: str, target: str, rates: tuple[Rate, ...]) -> bool:
    pairs = {frozenset((rate.source, rate.target)) for rate in rates}
    return source == target or frozenset((source, target)) in pairs


def _year(node: MappingNode, plan: Plan, faults: Faults) -> None:
    """Parts of a year lie in the year, and something is used."""
    kept = plan.figures.get("years")
    if kept is not None and kept.low > _MOST_YEARS:
        hint = f"write at most {_MOST_YEARS}"
        faults.add("F379", f"a plan of {kept.low} years", node.entries["years"].key.span, hint)
    used = plan.figures.get("utilisation")
    if used is not None and not 0 < used.low <= 1:
        hint = (
            "write the part of a year's 8760 hours in which the cards work, above 0 and up to 100 %"
        )
        key = node.entries["utilisation"].key
        faults.add("F375", "no year has such a utilisation", key.span, hint)
    energy = node.mapping("energy")
    hours = [(key, plan.figures[key]) for key in ("load_hours", "idle_hours") if key in energy]
    if sum(figure.low for _, figure in hours) > _YEAR:
        message = "these hours do not fit into a year"
        hint = f"hours at load and idle hours are at most {_YEAR} h together"
        faults.add("F375", message, energy.entries[hours[-1][0]].key.span, hint)


def _power(node: MappingNode, plan: Plan, buy: Candidate | None, faults: Faults) -> None:
    energy = node.mapping("energy")
    pue = plan.figures.get("pue")
    if pue is not None and pue.low < 1:
        hint = "a room draws what its machines draw, and more: write 1 or above"
        faults.add("F376", "a PUE below 1", energy.entries["pue"].key.span, hint)
    load, idle = plan.figures.get("load"), plan.figures.get("idle")
    if load is not None and idle is not None and idle.low > load.low:
        message = "the machine draws more when it waits than when it works"
        faults.add("F377", message, energy.entries["idle"].key.span, "the two seem exchanged")
    card = None if buy is None else buy.card
    per = plan.facts["per"].value if "per" in plan.facts else "card"
    if load is not None and card is not None and card.enumerated_as in _PARTS and per == "card":
        message = f"'{card.id}' is a part of a module, and power belongs to the module"
        hint = "write per: module with the module's watts, or per: all"
        faults.add("F378", message, energy.entries["load"].key.span, hint)


def _residual(node: MappingNode, plan: Plan, buy: Candidate | None, faults: Faults) -> None:
    """Nothing is worth more at the end than all of it cost, however the price counts lots and cards."""
    residual, offer = plan.figures.get("residual"), _offer(buy)
    if residual is None or buy is None or offer is None or "price" not in offer.figures:
        return
    price = offer.figures["price"]
    lots = max(buy.cards.low, offer.figures.get("min_order", buy.cards).low)
    per_lot = offer.figures.get("cards_per_lot")
    if per_lot is None:
        return
    most = price.low * lots * per_lot.low
    if residual.unit == price.unit and residual.low > most:
        message = "the cards are worth more at the end than they cost"
        hint = f"all of them cost {most} {price.unit} at most"
        faults.add("F372", message, node.entries["residual"].key.span, hint)
