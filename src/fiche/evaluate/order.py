"""Folding and order (D2): cost of the package, useful margin, documented schedule, then id.

Only retained candidates are ranked; ties within the declared tolerance are banded from the cheapest.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.criteria import _claims
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import Unit


def merged(findings: tuple[Finding, ...]) -> tuple[Condition, ...]:
    """Open conditions of the musts, each topic once: several texts of one topic are one point."""
    by_topic: dict[str, list[Condition]] = {}
    for finding in findings:
        if finding.level == "must":
            for condition in finding.conditions:
                by_topic.setdefault(condition.topic, []).append(condition)
    return tuple(_one(group) for group in by_topic.values())


def _one(group: list[Condition]) -> Condition:
    texts = list(dict.fromkeys(condition.text for condition in group))
    thresholds = list(dict.fromkeys(c.threshold for c in group if c.threshold))
    return replace(group[0], text="; ".join(texts), threshold="; ".join(thresholds))


def least_margin(findings: tuple[Finding, ...]) -> Figure | None:
    """Useful margin on the worst case and device; None as long as one of them is open."""
    memory = [f for f in findings if f.kind == "memory" and f.level == "must"]
    margins = [f.margin for f in memory if f.margin is not None]
    if not margins or len(margins) < len(memory):
        return None
    return min(margins, key=lambda margin: margin.low)


def schedule(candidate: Candidate, ground: Inquiry) -> Fact | None:
    """The earliest documented delivery date; an offer's own word documents nothing (D3)."""
    dates = [
        (item.words["earliest"], piece.id)
        for piece, item in _claims.attested("delivery", candidate, ground)
        if _claims.vouched(item, ground)
    ]
    first = min(dates, key=lambda dated: (dated[0].value, dated[1]), default=None)
    return first[0] if first is not None else None


def basis_of(requirements: tuple[Requirement, ...], told: Iterable[str]) -> str:
    """The tax basis that all costs of a decision are shown and ranked on.

    What a mandatory budget states (a want folds into nothing); else what all offers share; else
    before tax.
    """
    asked = [r for r in requirements if r.kind == "cost" and r.level == "must" and "tax" in r.facts]
    if asked:
        return min(asked, key=lambda r: r.id).facts["tax"].value
    shared = {basis for basis in told if basis}
    return shared.pop() if len(shared) == 1 else "excluded"


def ranked(outcomes: tuple[Outcome, ...], tolerance: Figure) -> tuple[Outcome, ...]:
    """All outcomes in reading order: ranked, retained without a known cost, to confirm, excluded."""
    retained = [o for o in outcomes if o.status == "retained"]
    priced = [o for o in retained if _known_cost(o) is not None]
    units = sorted({str(_unit(o)) for o in priced})
    one_currency = len(units) <= 1
    placed = _placed(sorted(priced, key=_key), tolerance) if one_currency else []
    unplaced = [o for o in retained if not one_currency or _known_cost(o) is None]
    if not one_currency:
        unplaced = [_in_several(o, units) for o in unplaced]
    groups = (unplaced, *([o for o in outcomes if o.status == s] for s in _UNRANKED))
    return (*placed, *(o for group in groups for o in sorted(group, key=lambda o: o.candidate.id)))


_UNRANKED = ("to_confirm", "excluded")


def _in_several(outcome: Outcome, units: list[str]) -> Outcome:
    """Costs in several currencies have no order: what is missing is one currency, and rates into it."""
    if _known_cost(outcome) is None:
        return outcome
    text = tell(
        "costs are in {units}: state 'currency', and a rate into it with date and source",
        units=listed(units, " and "),
    )
    lacking = Condition(topic="cost", text=text, supplier=tell("author of the fiche"))
    return replace(outcome, cost_conditions=(lacking,))


def _known_cost(outcome: Outcome) -> Number | None:
    """An unknown cost is not ranked: never last, never zero. What is open about it makes it unknown."""
    cost = outcome.cost
    return cost.high if cost is not None and not outcome.cost_conditions else None


def _unit(outcome: Outcome) -> Unit | None:
    return outcome.cost.unit if outcome.cost is not None else None


def _key(outcome: Outcome) -> tuple[Number, str]:
    return _known_cost(outcome) or 0, outcome.candidate.id


def _within_band(outcome: Outcome) -> tuple[Number, bool, str, Number, str]:
    margin = outcome.useful_margin
    when = outcome.schedule
    return (
        -(margin.low if margin is not None else 0),
        when is None,
        when.value if when else "",
        _known_cost(outcome) or 0,
        outcome.candidate.id,
    )


def _placed(by_cost: list[Outcome], tolerance: Figure) -> list[Outcome]:
    """Bands of equal cost from the cheapest of each; neighbour to neighbour would not be transitive."""
    placed: list[Outcome] = []
    while by_cost:
        limit = (_known_cost(by_cost[0]) or 0) * (1 + tolerance.low)
        band = [o for o in by_cost if (_known_cost(o) or 0) <= limit]
        by_cost = by_cost[len(band) :]
        names = tuple(o.candidate.id for o in band)
        for outcome in sorted(band, key=_within_band):
            others = tuple(name for name in names if name != outcome.candidate.id)
            placed.append(replace(outcome, rank=len(placed) + 1, tied_with=others))
    return placed
