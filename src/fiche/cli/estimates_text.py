"""An estimate in the terminal, and as one JSON object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fiche.cli.estimates import Estimate
from fiche.cli.terminal import paragraph, table
from fiche.estimators import FormatRow, formats_table, peak_phase
from fiche.kernel.catalog import Card
from fiche.kernel.comparison import PhaseTotal
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Number
from fiche.kernel.trace import assumptions, basis, conditions, formula
from fiche.report.numbers import TERMINAL, exact_bytes, memory

FORMAT = "fiche-estimate/1"
NO_PEAK = "Arithmetic only: no line is a peak, and at 4 bits least of all (scales and others add)."


def estimate_text(found: Estimate, cards: Iterable[Card] | None) -> str:
    """What was computed, what it rests on, what it leaves out, and what is still to say."""
    text = "By arithmetic alone: nothing here was measured.\n\n"
    text += _sums(found)
    text += "".join(_phases(name, totals) for name, totals in found.phases if totals)
    text += "".join(_envelope(each) for each in found.envelopes)
    text += _questions(found)
    text += _formats(formats_table(found.workload))
    return text + ("" if cards is None else _cards(found, tuple(cards)))


def _sums(found: Estimate) -> str:
    rows = [_row(node) for node in (*found.items, *found.envelopes)]
    header = ("item", "bytes", "GB", "GiB", "origin")
    return table(rows, header=header, right=(1, 2, 3)) + "\n"


def _row(node: Node) -> tuple[str, ...]:
    name = node.id if node.id.endswith("envelope") else node.label
    if node.high is None and not node.low:
        return (name, "unknown", "", "", "unknown: see below")
    return (
        name,
        _ends(node, lambda value: exact_bytes(value)),
        _ends(node, lambda value: memory(value, "GB", TERMINAL)),
        _ends(node, lambda value: memory(value, "GiB", TERMINAL)),
        _origin(node),
    )


def _ends(node: Node, shown: Callable[[Number], str]) -> str:
    """Both ends of an interval, one number where they are the same, the low end where one is open."""
    near = shown(node.low)
    if node.high is None:
        return f"at least {near}"
    return _interval(near, shown(node.high))


def _interval(near: str, far: str) -> str:
    """`18.96 to 33.92 GiB`; the unit of the near end only where it is another."""
    if near == far:
        return near
    number, unit = near.rsplit(" ", 1)
    return f"{number if far.endswith(f' {unit}') else near} to {far}"


def _origin(node: Node) -> str:
    held = ", ".join(item.id for item in assumptions(node))
    if basis(node) == "assumed":
        return "assumed: stands in for a measurement"
    return f"{basis(node)}, assuming {held}" if held else basis(node)


def _phases(case: str, totals: tuple[PhaseTotal, ...]) -> str:
    """What is alive together in each phase; the one that may ask for most is marked."""
    peak = peak_phase(totals)
    rows = [_phase(each, peak) for each in totals]
    named = f"Phases of {case}" if case else "Phases"
    text = f"{named}: what is alive together, by arithmetic (no phase was run).\n"
    header = ("phase", "GiB", "", "what takes most")
    return text + table(rows, header=header, right=(1,)) + "\n"


def _phase(each: PhaseTotal, peak: PhaseTotal | None) -> tuple[str, ...]:
    least = "" if each.total.high is not None else "at least "
    heaviest = next((item.node for item in each.items if item.node.low), None)
    return (
        each.phase.replace("_", " "),
        least + _between(each.total),
        "<- may ask for most" if each is peak else "",
        "" if heaviest is None else heaviest.id,
    )


def _between(node: Figure) -> str:
    near = memory(node.low, "GiB", TERMINAL)
    return near if node.high is None else _interval(near, memory(node.high, "GiB", TERMINAL))


def _envelope(each: Figure) -> str:
    text = paragraph(f"{each.id}: {each.label} = {formula(each)}")
    text += "It leaves out:\n"
    return text + "".join(paragraph(words, indent="  - ") for words in each.left_out) + "\n"


def _questions(found: Estimate) -> str:
    said = "\n".join(words for each in found.envelopes for words in each.left_out)
    asked = {c.text: None for node in found.items for c in conditions(node)}
    asked = {words: None for words in asked if words not in said}
    if not asked:
        return ""
    return (
        "Still to state or to measure:\n"
        + "".join(paragraph(words, indent="  - ") for words in asked)
        + "\n"
    )


def _formats(rows: tuple[FormatRow, ...]) -> str:
    if not rows:
        return ""
    lines = [
        (
            f"{row.bits}",
            memory(row.weights.low, "GB", TERMINAL),
            memory(row.weights.low, "GiB", TERMINAL),
            memory(row.with_reserve.low, "GiB", TERMINAL),
        )
        for row in rows
    ]
    header = ("bits", "weights, GB", "weights, GiB", "with the same reserve")
    return table(lines, header=header, right=(0, 1, 2, 3)) + paragraph(NO_PEAK)


def _cards(found: Estimate, cards: tuple[Card, ...]) -> str:
    from fiche.cli.cards_text import label

    text = "\nCards to examine, by label alone: each is to confirm, and none is said to fit.\n"
    rows = [(card.id, label(card)) for card in cards]
    text += table(rows, header=("card", "label")) if rows else "  none in the catalog\n"
    return text + paragraph(
        "A label times 2^30 is a ceiling: the machine may show less. To confirm for each: context, "
        "concurrency, memory really available, compatibility, quality."
    )


def estimate_json(found: Estimate, cards: Iterable[Card] | None) -> dict[str, Any]:
    """The same for programs; figures as in decision.json."""
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
