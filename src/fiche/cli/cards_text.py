"""Cards in the terminal, and as JSON objects."""

from __future__ import annotations

from typing import Any

from fiche.cli.cards import Chosen
from fiche.cli.terminal import paragraph, table
from fiche.kernel.catalog import Card
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Declared
from fiche.report.numbers import TERMINAL, amount, exact_bytes

_SHOWN = ("memory_type", "bf16", "fp8")


def list_text(found: Chosen) -> str:
    """One line a card. The label is no capacity: what a machine shows differs."""
    rows = [(card.id, label(card), *(_fact(card, key) for key in _SHOWN)) for card in found.cards]
    text = table(rows, header=("card", "label", *_SHOWN), right=(1,)) if rows else ""
    count = len(found.cards)
    return text + f"{count} card{'' if count == 1 else 's'}; a label is no capacity\n"


def silent_text(found: Chosen) -> str:
    """What was left out because its row says nothing: unknown is neither yes nor no."""
    said = "; ".join(f"{count} for not stating it ({text})" for text, count in found.silent.items())
    return f"left out: {said}"


def label(card: Card) -> str:
    """The memory on the label as its row prints it: no capacity (B1)."""
    nominal = card.figures.get("nominal")
    if nominal is None:
        return "not stated"
    origin = nominal.origin
    return origin.printed if isinstance(origin, Declared) else amount(nominal, TERMINAL, "GB")


def _fact(card: Card, key: str) -> str:
    fact = card.facts.get(key)
    return "not stated" if fact is None else fact.value


def card_text(card: Card) -> str:
    """All that a row states: each fact with its source, traps, and sightings that judge nothing."""
    rows = _rows(card)
    sources = list(dict.fromkeys(by for _, _, by in rows if by))
    numbered = {by: f"[{number}]" for number, by in enumerate(sources, 1)}
    lines = [(name, value, numbered.get(by, "")) for name, value, by in rows]
    text = f"{card.id}  ({card.name})\n\n"
    text += table(lines, header=("field", "value", "source")) + "\n"
    text += "".join(paragraph(by, indent=f"{number} ") for by, number in numbered.items())
    if card.traps:
        text += "\nTraps:\n" + "".join(paragraph(trap, indent="  - ") for trap in card.traps)
    if card.sightings:
        text += "\nSeen on other machines (informs, judges nothing):\n"
        seen = [
            (s.counter, s.printed, exact_bytes(s.low, TERMINAL), s.context) for s in card.sightings
        ]
        text += table(seen, header=("counter", "printed", "bytes, least", "context"), right=(2,))
    return text + f"\nrow: {card.span}\n"


def _rows(card: Card) -> list[tuple[str, str, str]]:
    rows = [("enumerated as", card.enumerated_as, "")]
    for key, figure in card.figures.items():
        by = figure.origin.by if isinstance(figure.origin, Declared) else ""
        rows.append((key, _value(key, figure), by))
    own = ("vendor", "name", "enumerated_as")
    rows += [(key, fact.value, fact.by) for key, fact in card.facts.items() if key not in own]
    return rows


def _value(key: str, figure: Figure) -> str:
    """As the row prints it; the label in powers of two is our reading, and in GiB."""
    if key == "nominal_binary" or not isinstance(figure.origin, Declared):
        return amount(figure, TERMINAL, "GiB")
    return figure.origin.printed


def list_json(found: Chosen) -> dict[str, Any]:
    """The cards that passed, and how many were left out for not stating a field."""
    return {
        "format": "fiche-cards/1",
        "cards": [_record(card) for card in found.cards],
        "left_out_not_stated": dict(found.silent),
    }


def card_json(card: Card) -> dict[str, Any]:
    """One card with sources and sightings."""
    return {"format": "fiche-card/1", **_record(card)}


def _record(card: Card) -> dict[str, Any]:
    from fiche.kernel.ledger import Ledger, Root
    from fiche.kernel.places import Places
    from fiche.render._figures import fact, figure

    book, places = Ledger(), Places({})
    for node in card.figures.values():
        book.enter(Root(owner="", name=node.id, node=node))
    return {
        "id": card.id,
        "vendor": card.vendor,
        "name": card.name,
        "enumerated_as": card.enumerated_as,
        "figures": {key: figure(book.of(node), book, places) for key, node in card.figures.items()},
        "facts": {key: fact(told, places) for key, told in card.facts.items()},
        "names_printed": list(card.names_printed),
        "traps": list(card.traps),
        "sightings": [
            {
                "counter": s.counter,
                "printed": s.printed,
                "low_bytes": s.low,
                "high_bytes": s.high,
                "context": s.context,
                "source": s.source,
            }
            for s in card.sightings
        ],
        "at": str(card.span),
    }
