"""An estimate in the terminal: totals first, then items with their steps, phases, gaps last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.cli.estimates import Estimate
from fiche.cli.load_rows import PER_DEVICE, gaps, in_unit, item_rows, short, units, without_empty
from fiche.cli.terminal import paragraph, table
from fiche.estimators import FormatRow, formats_table, peak_phase
from fiche.kernel.catalog import Card
from fiche.kernel.comparison import PhaseTotal
from fiche.kernel.figure import Figure, Node
from fiche.kernel.origin import Computed
from fiche.kernel.trace import conditions, formula, walk
from fiche.report.numbers import TERMINAL, exact_bytes, memory

NO_PEAK = "Arithmetic only: no line is a peak, and at 4 bits least of all (scales and others add)."
_GIB = 2**30


def estimate_text(found: Estimate, cards: Iterable[Card] | None) -> str:
    """What was computed, what it rests on, what is still to say, and last what it leaves out."""
    text = "By arithmetic alone: nothing here was measured.\n\n"
    text += _totals(found) + _items(found) + _in_words(found) + _intervals(found)
    text += "".join(_phases(name, totals) for name, totals in found.phases if totals)
    text += _formats(formats_table(found.workload))
    text += "" if cards is None else _cards(tuple(cards))
    return text + _questions(found) + _left_out(found)


# --- Totals -----------------------------------------------------------------------------------


def _totals(found: Estimate) -> str:
    """The weights and every envelope on a line each, in all three units."""
    weights = [node for node in found.items if node.id.startswith("weights")][:1]
    rows = [(short(node.id), _equal(node)) for node in (*weights, *found.envelopes)]
    split = any(node.id.endswith(PER_DEVICE) for node in found.items)
    where = "Amounts are those of the most loaded device.\n\n" if split else ""
    return where + table(rows) + "\n"


def _equal(node: Node) -> str:
    if node.high is None:
        if not node.low:
            return "unknown"
        return f"at least {memory(node.low, 'GB', TERMINAL)} = {memory(node.low, 'GiB', TERMINAL)}"
    if node.low == node.high:
        return f"{exact_bytes(node.low)} = {memory(node.low, 'GB')} = {memory(node.low, 'GiB')}"
    return " = ".join(_between(node.low, node.high, unit) for unit in ("GB", "GiB"))


def _between(low: object, high: object, unit: str) -> str:
    near, far = (memory(value, unit, TERMINAL) for value in (low, high))  # type: ignore[arg-type]
    if near == far:
        return near
    number, word = near.rsplit(" ", 1)
    return f"{number if far.endswith(f' {word}') else near} to {far}"


# --- Items ------------------------------------------------------------------------------------


def _items(found: Estimate) -> str:
    told = units((*found.items, *found.envelopes))
    header = ("item", "", *told.header, "origin")
    rows: list[tuple[str, ...]] = []
    for case, nodes in _by_case(found):
        if case:
            rows.append((f"case {case}", "", "", "", "", ""))
        for node in nodes:
            rows.extend(item_rows(node, case, told, "  " if case else ""))
    cells, heads, kept = without_empty(rows, header)
    right = [place for place, column in enumerate(kept) if column in (2, 3, 4)]
    return table(cells, header=heads, right=right) + "\n"


def _by_case(found: Estimate) -> Iterator[tuple[str, list[Node]]]:
    """Items that every case shares first, then each case with its own and its envelope."""
    names = [case.id for case in found.workload.cases if case.id]
    owned = {name: [n for n in _all(found) if n.id.startswith(f"{name}.")] for name in names}
    of_cases = {id(node) for nodes in owned.values() for node in nodes}
    shared = [node for node in _all(found) if id(node) not in of_cases]
    yield "", shared
    yield from owned.items()


def _all(found: Estimate) -> tuple[Node, ...]:
    return (*found.items, *found.envelopes)


def _in_words(found: Estimate) -> str:
    """What each short name stands for, once for all cases."""
    told: dict[str, str] = {}
    for case, nodes in _by_case(found):
        for node in nodes:
            name = short(node.id, case)
            if name != node.label and not name.endswith("envelope"):
                told.setdefault(name, node.label)
    rows = [(f"  {name}", label) for name, label in told.items()]
    return "In words:\n" + table(rows) + "\n" if rows else ""


def _intervals(found: Estimate) -> str:
    """Why a number has two ends: the rules between which nothing told decides."""
    reasons: dict[str, dict[str, None]] = {}
    for case, nodes in _by_case(found):
        for node in nodes:
            if node.id.endswith("envelope") or node.low == node.high:
                continue
            for why in _reasons(node):
                reasons.setdefault(why, {})[short(node.id, case)] = None
    if not reasons:
        return ""
    lines = [paragraph(f"{names}: {why}", indent="  - ") for names, why in _together(reasons)]
    return "Why there are two ends:\n" + "".join(lines) + "\n"


def _together(reasons: dict[str, dict[str, None]]) -> Iterator[tuple[str, str]]:
    """Reasons of one question and the same items in one line: `engine.name is not told: vLLM; ...`."""
    joined: dict[tuple[str, str], list[str]] = {}
    for why, names in reasons.items():
        question, colon, reading = why.partition(" is not told: ")
        key = (", ".join(names), question + colon if colon else why)
        joined.setdefault(key, []).extend([reading] if colon else [])
    for (items, question), readings in joined.items():
        yield items, question + "; ".join(readings)


def _reasons(node: Node) -> Iterator[str]:
    for below in walk(node):
        if below.low != below.high and isinstance(below.origin, Computed) and below.origin.because:
            yield below.origin.because


# --- Phases -----------------------------------------------------------------------------------


def _phases(case: str, totals: tuple[PhaseTotal, ...]) -> str:
    """What is alive together in each phase; the one that may ask for most is marked."""
    peak = peak_phase(totals)
    rows = [_phase(case, each, peak) for each in totals]
    named = f"Phases of {case}" if case else "Phases"
    text = f"{named}: what is alive together, by arithmetic (no phase was run).\n"
    header = ("phase", "GiB, from", "to", "what takes most", "")
    return text + table(rows, header=header, right=(1, 2)) + "\n"


def _phase(case: str, each: PhaseTotal, peak: PhaseTotal | None) -> tuple[str, ...]:
    heaviest = next((item.node for item in each.items if item.node.low), None)
    high = each.total.high
    return (
        each.phase.replace("_", " "),
        in_unit(each.total.low, _GIB),
        "not known" if high is None else in_unit(high, _GIB),
        "" if heaviest is None else short(heaviest.id, case),
        "<- may ask for most" if each is peak else "",
    )


# --- Formats, cards ---------------------------------------------------------------------------


def _formats(rows: tuple[FormatRow, ...]) -> str:
    if not rows:
        return ""
    lines = [
        (
            f"{row.bits}",
            in_unit(row.weights.low, 10**9),
            in_unit(row.weights.low, _GIB),
            in_unit(row.with_reserve.low, _GIB),
        )
        for row in rows
    ]
    header = ("bits", "weights, GB", "weights, GiB", "with the same reserve, GiB")
    return table(lines, header=header, right=(0, 1, 2, 3)) + paragraph(NO_PEAK) + "\n"


def _cards(cards: tuple[Card, ...]) -> str:
    from fiche.cli.cards_text import label

    text = "Cards to examine, by label alone: each is to confirm, and none is said to fit.\n"
    rows = [(card.id, label(card)) for card in cards]
    text += table(rows, header=("card", "label")) if rows else "  none in the catalog\n"
    return (
        text
        + paragraph(
            "A label times 2^30 is a ceiling: the machine may show less. To confirm for each: context, "
            "concurrency, memory really available, compatibility, quality.\n"
        )
        + "\n"
    )


# --- Gaps -------------------------------------------------------------------------------------


def _questions(found: Estimate) -> str:
    """Each question once, with the items that wait for it."""
    asked: dict[str, dict[str, None]] = {}
    for case, nodes in _by_case(found):
        for node in nodes:
            for each in () if node.id.endswith("envelope") else conditions(node):
                asked.setdefault(each.text, {})[short(node.id, case)] = None
    if not asked:
        return ""
    lines = [paragraph(f"{', '.join(n)}: {words}", indent="  - ") for words, n in asked.items()]
    return "Still to state or to measure:\n" + "".join(lines) + "\n"


def _left_out(found: Estimate) -> str:
    """What each envelope is, and what it does not include (B8)."""
    text = "".join(
        paragraph(f"{each.id}: {each.label} = {formula(each)}") for each in found.envelopes
    )
    return text + gaps(words for each in found.envelopes for words in _gaps(found, each))


def _gaps(found: Estimate, each: Figure) -> Iterator[str]:
    """A gap that is an item without an upper end is named alone: its questions stand above."""
    names = {node.label: short(node.id, case) for case, of in _by_case(found) for node in of}
    for words in each.left_out:
        label = words.split(": unknown (", 1)[0]
        name = names.get(label) if label != words else None
        yield words if name is None else f"{name}: not known to its end, see above"
