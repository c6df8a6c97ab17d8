"""A figure, a finding or a reading of a decision, walked back to where each number was read (law 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fiche.cli.compile import Compiled
from fiche.cli.concerns import concerning
from fiche.cli.entries import FAILURE, Entry, entries
from fiche.cli.entries_text import counters_of, entries_table, listed, marks
from fiche.cli.explained_text import (
    Step,
    citations,
    entry_text,
    files,
    finding_id,
    finding_text,
    index_text,
    step_text,
)
from fiche.cli.quotes import Quote, Quotes
from fiche.cli.usage import unknown
from fiche.kernel.custody import Citation
from fiche.kernel.decision import Decision
from fiche.kernel.diagnostic import Refused
from fiche.kernel.figure import Node, Operand
from fiche.kernel.finding import Finding
from fiche.kernel.ledger import Ledger, ledger
from fiche.kernel.origin import Observed, Simulated, Stated
from fiche.kernel.piece import Failure, Piece
from fiche.kernel.places import Places
from fiche.kernel.record import record
from fiche.kernel.trace import inputs
from fiche.render._custody import citation

FORMAT = "fiche-explain/1"


def explained(compiled: Compiled, name: str | None, *, as_json: bool) -> str | dict[str, Any]:
    """The ids that can be explained, or one of them explained; a piece's id lists all that it tells.

    Raises:
        Refused: F701 no figure, finding, reading or piece has that id.
    """
    book, told = ledger(compiled.decision), _Told.of(compiled.decision)
    findings = {finding_id(found): found for found in compiled.decision.findings}
    if name is None:
        names = {"findings": sorted(findings), "figures": sorted(book.figures)}
        return _index_json(names, told, book) if as_json else _index_text(names, told)
    asked = _asked(name, findings, book, told)
    if asked is None:
        rows = listed(told.pieces[name], whole=True)
        piece = told.pieces[name][0].piece
        if as_json:
            readings = [_row(row.entry) for row in rows]
            return {"format": FORMAT, "id": name, **citation(piece.cites), "readings": readings}
        return entries_table(piece, told.pieces[name], whole=True)
    quotes = Quotes(compiled.decision.fiche, compiled.contents)
    steps = tuple(_with_entries(walk_back(asked.nodes, quotes), asked, told))
    quote = None
    if asked.entry is not None and not (steps and asked.entry.figure is not None):
        quote = quotes.of(asked.entry.pointer, asked.entry.printed)
    if as_json:
        return _json(name, asked, steps, quote, compiled.decision, told)
    return _text(asked, steps, quote, told, compiled.decision.fiche.pieces)


# --- What is asked ------------------------------------------------------------------------------


@record
class _Told:
    """What the pieces tell: by piece, and by id."""

    pieces: Mapping[str, list[Entry]]
    by_id: Mapping[str, Entry]

    @classmethod
    def of(cls, decision: Decision) -> _Told:
        pieces = {piece.id: list(entries(piece)) for piece in decision.fiche.pieces}
        listed = {one.id: one for found in pieces.values() for one in found}
        return cls(pieces={name: found for name, found in pieces.items() if found}, by_id=listed)

    def warnings(self, entry: Entry) -> tuple[str, ...]:
        return tuple(concerning(entry, counters_of(self.pieces[entry.piece.id])))


@record(kw_only=False)
class _Asked:
    """What an id stands for: a finding with its two sides, a figure, or what a piece tells."""

    nodes: tuple[Node, ...]
    finding: Finding | None = None
    entry: Entry | None = None


def _asked(name: str, findings: Mapping[str, Finding], book: Ledger, told: _Told) -> _Asked | None:
    """None for a piece, whose readings are listed."""
    entry = told.by_id.get(name)
    if name in book.figures:
        return _Asked((book.figures[name],), entry=entry)
    if entry is not None:
        return _Asked(tuple(_nodes(entry, told)), entry=entry)
    if name in findings:
        found = findings[name]
        sides = (found.need, found.have, found.margin)
        return _Asked(tuple(book.of(side) for side in sides if side is not None), found)
    if name in told.pieces:
        return None
    known = [*findings, *book.figures, *told.by_id, *told.pieces]
    raise Refused([unknown("figure or finding", name, known)])


def _nodes(entry: Entry, told: _Told) -> Iterator[Node]:
    """Its figure; of a failure all its quantities."""
    if entry.figure is not None:
        yield entry.figure
    elif isinstance(entry.told, Failure) and not entry.key:
        for one in told.pieces[entry.piece.id]:
            if one.told is entry.told and one.figure is not None:
                yield one.figure


# --- The way back -------------------------------------------------------------------------------


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


def _with_entries(steps: Iterator[Step], asked: _Asked, told: _Told) -> Iterator[Step]:
    """Each step with what a piece tells beside the number; warnings where just that was asked for."""
    for step in steps:
        entry = told.by_id.get(step.node.id)
        if entry is None or not isinstance(step.node.origin, Observed | Simulated):
            yield step
            continue
        warnings = told.warnings(entry) if entry is asked.entry else ()
        yield Step(
            node=step.node,
            depth=step.depth,
            quote=step.quote,
            again=step.again,
            entry=entry,
            warnings=warnings,
            brief=asked.entry is not None and asked.entry.sort == FAILURE,
        )


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


def _index_text(names: Mapping[str, Sequence[str]], told: _Told) -> str:
    """Readings stand in tables of their own, also those that the decision needed."""
    own = {kind: [name for name in ids if name not in told.by_id] for kind, ids in names.items()}
    return index_text(own, [(found[0].piece, found) for found in told.pieces.values()])


def _text(
    asked: _Asked,
    steps: Sequence[Step],
    quote: Quote | None,
    told: _Told,
    pieces: Sequence[Piece],
) -> str:
    text = "" if asked.finding is None else finding_text(asked.finding)
    if asked.entry is not None and quote is not None:
        text = entry_text(asked.entry, quote, told.warnings(asked.entry))
    read = [quote, *(step.quote for step in steps)]
    return text + "".join(step_text(step) for step in steps) + files(read, pieces)


# --- JSON ---------------------------------------------------------------------------------------


def _index_json(names: Mapping[str, list[str]], told: _Told, book: Ledger) -> dict[str, Any]:
    """Bare ids of everything; `series` has a row for each series and for each other reading."""
    rows = [row for found in told.pieces.values() for row in listed(found)]
    readings = sorted(name for name in told.by_id if name not in book.figures)
    series = [{**_row(row.entry), "count": row.count} for row in rows]
    return {"format": FORMAT, **names, "readings": readings, "series": series}


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "piece": entry.piece.id,
        "sort": entry.sort,
        "name": entry.name,
        "printed": entry.printed,
        "at": Places({entry.piece.sha256: entry.piece.id}).of_address(entry.pointer),
    }


def _json(
    name: str,
    asked: _Asked,
    steps: Sequence[Step],
    quote: Quote | None,
    decision: Decision,
    told: _Told,
) -> dict[str, Any]:
    said: dict[str, Any] = {"format": FORMAT, "id": name}
    if asked.finding is not None:
        from fiche.render.json import decision_document

        place = decision.findings.index(asked.finding)
        said["finding"] = decision_document(decision)["findings"][place]
    if asked.entry is not None:
        said |= {"reading": _row(asked.entry), "warnings": list(told.warnings(asked.entry))}
    cites = citations(decision.fiche.pieces)
    if quote is not None:
        said["read"] = _read(quote, cites)
    book, places = ledger(decision), Places.of(decision.fiche)
    said["figures"] = [_record(step, book, places, cites) for step in steps if not step.again]
    return said


def _record(
    step: Step, book: Ledger, places: Places, cites: Mapping[str, Citation]
) -> dict[str, Any]:
    from fiche.render._figures import figure

    record = figure(step.node, book, places)
    if step.entry is not None:
        record |= marks(step.entry)
    if step.quote is not None:
        record["read"] = _read(step.quote, cites)
    return record


def _read(quote: Quote, cites: Mapping[str, Citation]) -> dict[str, Any]:
    """Where it was read; of a file that was taken from an archive, its entry there."""
    cited = citation(cites.get(quote.sha256))
    return {"file": quote.file, "sha256": quote.sha256, "text": quote.text, **cited}
