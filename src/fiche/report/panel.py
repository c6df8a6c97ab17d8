"""What decision.json says in words, as a page says it when a number is opened.

decision.json is English whatever its report speaks: its digest is one. So a page that speaks another language
brings the words along; what people wrote stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel import trace
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node
from fiche.kernel.finding import Finding
from fiche.kernel.said import Told
from fiche.report import numbers
from fiche.report.desk import Desk

# What was counted of whom, and how: codes of a reading.
_COUNTED = (
    *("process_allocator", "process", "device", "component", "host_process", "host"),
    *("peak", "current", "total", "start", "sampled_max", "peak_delta", "delta"),
)


def texts(desk: Desk) -> tuple[tuple[str, str], ...]:
    """Pairs of a text in decision.json and the same as the page says it, where that is another."""
    told = {str(text): _told(desk, text) for text in _all(desk) if isinstance(text, Told) and text}
    told |= dict(_units(desk)) | {code: desk.term(code) for code in _COUNTED}
    return tuple((text, said) for text, said in told.items() if text != said)


def _told(desk: Desk, text: str) -> str:
    """In the language of the page, with bytes and signs as they are read anywhere on it."""
    return "".join(getattr(part, "text", "") for part in desk.legible(text))


def _units(desk: Desk) -> Iterator[tuple[str, str]]:
    """Words of what is counted, which stand behind a number, and behind one alone."""
    for unit in dict.fromkeys(node.unit for node in desk.book.figures.values()):
        if unit.is_count:
            yield str(unit), numbers.word_of(unit, desk.style)
            yield f"1 {unit}", numbers.word_of(unit, desk.style, 1)


def _all(desk: Desk) -> Iterator[str]:
    for node in desk.book.figures.values():
        yield from _figure(desk, node)
    for found in desk.decision.findings:
        yield from _finding(found)


def _figure(desk: Desk, node: Node) -> Iterator[str]:
    yield node.label
    if isinstance(node, Figure):
        yield from (getattr(node.origin, name, "") for name in ("because", "source"))
        yield from node.left_out
    if "unknown" in desk.book.rests_on(node):
        for condition in trace.conditions(node):
            yield from _condition(condition)


def _finding(found: Finding) -> Iterator[str]:
    yield from (found.text, found.need_words, found.have_words, found.expects)
    for condition in found.conditions:
        yield from _condition(condition)


def _condition(condition: Condition) -> Iterator[str]:
    yield from (condition.text, condition.threshold, condition.supplier)
