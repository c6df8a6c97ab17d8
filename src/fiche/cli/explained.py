"""A figure or a finding of a decision, walked back to where each number was read (law 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from fiche.cli.compile import Compiled
from fiche.cli.quotes import Quote, Quotes
from fiche.cli.terminal import clean, paragraph
from fiche.cli.usage import unknown
from fiche.kernel import readings
from fiche.kernel.decision import Decision
from fiche.kernel.diagnostic import Refused
from fiche.kernel.figure import Figure, Node, Operand, Unknown
from fiche.kernel.finding import Finding
from fiche.kernel.ledger import Ledger, ledger
from fiche.kernel.origin import Assumed, Computed, Declared, Observed, Stated
from fiche.kernel.places import Places
from fiche.kernel.record import record
from fiche.kernel.trace import basis, formula, inputs
from fiche.kernel.unit import BYTE
from fiche.report.numbers import TERMINAL, amount, amount_exact


def explained(compiled: Compiled, name: str | None, *, as_json: bool) -> str | dict[str, Any]:
    """The ids that can be explained, or one of them explained.

    Raises:
        Refused: F701 no figure and no finding has that id.
    """
    book = ledger(compiled.decision)
    findings = {finding_id(found): found for found in compiled.decision.findings}
    read = _readings(compiled.decision, book)
    if name is None:
        names = {"findings": list(findings), "figures": list(book.figures), "readings": list(read)}
        names = {kind: sorted(ids) for kind, ids in names.items()}
        return {"format": "fiche-explain/1", **names} if as_json else _index(names)
    asked = _asked(name, findings, {**read, **book.figures})
    quotes = Quotes(compiled.decision.fiche, compiled.contents)
    steps = tuple(walk_back(_public(asked, book), quotes))
    if as_json:
        return _json(name, asked, steps, compiled.decision, book)
    text = "" if asked.finding is None else _finding_text(asked.finding)
    return text + "".join(_step_text(step) for step in steps) + _files(steps)


def _readings(decision: Decision, book: Ledger) -> dict[str, Node]:
    """What pieces observed and no figure of the decision needed: it has an id in the report too."""
    seen = (figure for piece in decision.fiche.pieces for figure in readings.figures(piece))
    return {figure.id: figure for figure in seen if figure.id not in book.figures}


def _public(asked: _Asked, book: Ledger) -> list[Node]:
    """The nodes under the names that they are listed by; a finding's are its own."""
    listed = asked.finding is not None
    return [book.of(node) if listed else node for node in asked.nodes]


def finding_id(found: Finding) -> str:
    """`candidate/requirement`, then the case and the device where there are several."""
    return "/".join(
        part for part in (found.candidate, found.requirement, found.case, found.device) if part
    )


@record(kw_only=False)
class _Asked:
    """What an id stands for: a finding with its two sides, or one figure."""

    nodes: tuple[Node, ...]
    finding: Finding | None = None


def _asked(name: str, findings: dict[str, Finding], figures: dict[str, Node]) -> _Asked:
    if name in figures:
        return _Asked((figures[name],))
    if name in findings:
        found = findings[name]
        sides = (found.need, found.have, found.margin)
        return _Asked(tuple(side for side in sides if side is not None), found)
    raise Refused([unknown("figure or finding", name, [*findings, *figures])])


@record
class Step:
    """One number on the way back: how deep, where it was read, whether it was shown before."""

    node: Node
    depth: int
    quote: Quote | None
    again: bool


def walk_back(tops: Sequence[Node], quotes: Quotes) -> Iterator[Step]:
    """Each number, then those that its formula names, down to the ones that were read."""
    seen: set[int] = set()
    waiting: list[tuple[Node, int]] = [(node, 0) for node in reversed(tops)]
    while waiting:
        node, depth = waiting.pop()
        again = id(node) in seen
        seen.add(id(node))
        yield Step(node=node, depth=depth, quote=quotes.of_origin(node.origin), again=again)
        if not again:
            waiting.extend((part, depth + 1) for part in reversed(below(node)))


def below(node: Node) -> tuple[Node, ...]:
    """The nearest numbers with a name or an address of their own; unnamed steps are its formula."""
    found: dict[int, Node] = {}
    waiting: list[Operand] = list(reversed(inputs(node)))
    while waiting:
        here = waiting.pop()
        if isinstance(here, int | Fraction):
            continue
        if here.id or not (inputs(here) or _constant(here)):
            found[id(here)] = here
        else:
            waiting.extend(reversed(inputs(here)))
    return tuple(found.values())


def _constant(node: Node) -> bool:
    """A number that a formula brings along: its value stands in the formula already."""
    return isinstance(node.origin, Stated) and node.origin.span is None


# --- Text ---------------------------------------------------------------------------------------


def _index(names: dict[str, list[str]]) -> str:
    parts = (
        f"{kind} (fiche explain FICHE ID):\n" + "".join(f"  {clean(each)}\n" for each in ids)
        for kind, ids in names.items()
    )
    return "\n".join(parts)


def _finding_text(found: Finding) -> str:
    head = f"{finding_id(found)}: {found.verdict.code.replace('_', ' ')} ({found.reason})"
    text = paragraph(head) + paragraph(found.text, indent="  ")
    if found.need_words or found.have_words:
        text += paragraph(f"asked: {found.need_words}; found: {found.have_words}", indent="  ")
    for condition in found.conditions:
        text += paragraph(f"open ({condition.topic}): {condition.text}", indent="  - ")
    if found.pieces:
        text += paragraph(f"rests on: {', '.join(found.pieces)}", indent="  ")
    if found.attested_by:
        text += paragraph(f"on the word of: {', '.join(found.attested_by)}", indent="  ")
    return text + "\n"


def _step_text(step: Step) -> str:
    indent = "  " * step.depth
    node = step.node
    name = node.id or "(unnamed)"
    shown = f"{name} = {_amount(node)}  [{basis(node)}]"
    if step.again:
        return paragraph(f"{shown}, shown above", indent=indent)
    text = paragraph(shown, indent=indent)
    inner = indent + "    "
    for words in _told(step):
        text += paragraph(words, indent=inner)
    return text


def _files(steps: tuple[Step, ...]) -> str:
    read = {step.quote.file: step.quote.sha256 for step in steps if step.quote is not None}
    lines = "".join(
        f"  {clean(file)}  sha256 {sha256}\n" for file, sha256 in read.items() if sha256
    )
    return f"\nRead in:\n{lines}" if lines else ""


def _amount(node: Node) -> str:
    rounded, full = amount(node, TERMINAL), amount_exact(node, TERMINAL)
    return rounded if rounded == full or node.unit != BYTE else f"{rounded} ({full})"


def _told(step: Step) -> Iterator[str]:
    node, quote = step.node, step.quote
    if node.label and node.label not in (node.id, _amount(node)):
        yield node.label
    if isinstance(node, Unknown):
        yield f"not known: {node.condition.text}"
        return
    yield from _origin(node)
    if quote is not None:
        yield f"at {quote.place}"
        if quote.text:
            yield f"> {quote.text.strip()}"
    if node.left_out:
        yield f"leaves out: {'; '.join(node.left_out)}"


def _origin(node: Figure) -> Iterator[str]:
    match node.origin:
        case Computed():
            yield f"= {formula(node)}"
            if node.origin.because:
                yield node.origin.because
        case Observed():
            told = (node.origin.counter, node.origin.scope, node.origin.stat)
            yield f"counter {', '.join(filter(None, told))}"
        case Declared():
            yield f"said by {node.origin.by}"
        case Assumed():
            yield f"assumed by {node.origin.by}: {node.origin.because}"
        case Stated():
            if node.origin.because:
                yield node.origin.because


# --- JSON ---------------------------------------------------------------------------------------


def _json(
    name: str, asked: _Asked, steps: tuple[Step, ...], decision: Decision, book: Ledger
) -> dict[str, Any]:
    told: dict[str, Any] = {"format": "fiche-explain/1", "id": name}
    if asked.finding is not None:
        from fiche.render.json import decision_document

        place = decision.findings.index(asked.finding)
        told["finding"] = decision_document(decision)["findings"][place]
    places = Places.of(decision.fiche)
    told["figures"] = [_record(step, book, places) for step in steps if not step.again]
    return told


def _record(step: Step, book: Ledger, places: Places) -> dict[str, Any]:
    from fiche.render._figures import figure

    record = figure(step.node, book, places)
    if step.quote is not None:
        record["read"] = {
            "file": step.quote.file,
            "sha256": step.quote.sha256,
            "text": step.quote.text,
        }
    return record
