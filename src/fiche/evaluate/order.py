"""Folding and order (D2): cost of the package, useful margin, documented schedule, then id.

Only retained candidates are ranked; ties within the declared tolerance are banded from the cheapest.
"""

from __future__ import annotations

from dataclasses import replace

from fiche.criteria import _claims
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding
from fiche.kernel.requirement import Candidate
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
        item.words["earliest"]
        for _, item in _claims.attested("delivery", candidate, ground)
        if _claims.vouched(item, ground)
    ]
    return min(dates, key=lambda fact: fact.value, default=None)


def ranked(outcomes: tuple[Outcome, ...], tolerance: Figure) -> tuple[Outcome, ...]:
    """All outcomes in reading order: ranked, retained without a known cost, to confirm, excluded."""
    retained = [o for o in outcomes if o.status == "retained"]
    priced = [o for o in retained if _known_cost(o) is not None]
    one_currency = len({_unit(o) for o in priced}) <= 1
    placed = _placed(sorted(priced, key=_key), tolerance) if one_currency else priced
    rest = [o for o in outcomes if o not in retained]
    unpriced = [o for o in retained if o not in priced]
    groups = (unpriced, *([o for o in rest if o.status == s] for s in ("to_confirm", "excluded")))
    return (*placed, *(o for group in groups for o in sorted(group, key=lambda o: o.candidate.id)))


def _known_cost(outcome: Outcome) -> Number | None:
    """An unknown cost is not ranked: never last, never zero."""
    cost = outcome.cost
    return cost.high if cost is not None and cost.high is not None else None


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
