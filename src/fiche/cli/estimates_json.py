"""An estimate as one JSON object: figures as in decision.json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fiche.cli.estimates import Estimate
from fiche.cli.estimates_text import NO_PEAK
from fiche.estimators import formats_table
from fiche.kernel.catalog import Card
from fiche.kernel.condition import Condition
from fiche.kernel.trace import conditions

FORMAT = "fiche-estimate/1"


def estimate_json(found: Estimate, cards: Iterable[Card] | None) -> dict[str, Any]:
    """All figures with their bytes, formulas and origins, and every open condition."""
    from fiche.kernel.ledger import Ledger, Root
    from fiche.kernel.places import Places
    from fiche.render._figures import amounts, condition, figure

    book = Ledger()
    for name, node in found.figures.items():
        book.enter(Root(owner="", name=name, node=node))
    asked: dict[Condition, None] = {c: None for node in found.items for c in conditions(node)}
    told: dict[str, Any] = {
        "format": FORMAT,
        "figures": [figure(node, book, Places({})) for _, node in sorted(book.figures.items())],
        "conditions": [condition(each) for each in asked],
        "formats_table": [
            {
                "bits": row.bits,
                "weights": amounts(row.weights),
                "with_reserve": amounts(row.with_reserve),
                "note": NO_PEAK,
            }
            for row in formats_table(found.workload)
        ],
    }
    if cards is not None:
        told["cards_to_examine"] = [{"id": c.id, "verdict": "to_confirm"} for c in cards]
    return told
