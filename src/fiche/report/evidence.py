"""The pieces: version, scope and digest of each, and the environment they print (D3, E4, A5)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.fact import Fact
from fiche.kernel.piece import Attested, Piece
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

# What a reader compares between machines; every other printed fact is scope, told with its piece.
_ENVIRONMENT = (
    "gpu",
    "machine",
    "driver",
    "os",
    "python",
    "torch",
    "cuda",
    "hip",
    "rocm",
    "backend",
    "engine.name",
    "engine.version",
    "attention",
    "allocator.backend",
    "allocator.settings",
    "ecc",
    "process_protocol",
    "warmups",
    "empty_cache",
)
_OWN = ("gpu", "machine")
_SHORT = 16


def section(desk: Desk) -> Section:
    """The table of pieces, or that there is none."""
    pieces = desk.decision.fiche.pieces
    block: Block = Paragraph((Words(desk.word("pieces_none")),))
    if pieces:
        block = Table(
            id="pieces",
            caption=desk.word("pieces_caption"),
            columns=columns(desk, "piece", "kind", "scope", "digest_column"),
            rows=tuple(_piece(desk, piece) for piece in pieces),
        )
    return Section(id="pieces", title=desk.word("pieces_title"), blocks=(block,))


def _piece(desk: Desk, piece: Piece) -> Row:
    version = piece.version or piece.reading.version
    told = desk.say("version", version=Quoted(version)) if version else Missing(desk.word("no_version"))
    return row(
        cell((Code(piece.id),), (Code(piece.file),)),
        cell(joined([Quoted(piece.kind), told])),
        _scope(desk, piece),
        cell(Code(piece.sha256[:_SHORT] + "…")),
        anchor=f"piece-{piece.id}",
    )


def _scope(desk: Desk, piece: Piece) -> Cell:
    """What the file prints, what a person typed, what it attests: three different warrants."""
    lines: list[Parts] = []
    printed = _printed(piece)
    own = {k: f for k, f in printed.items() if k not in _ENVIRONMENT or k in _OWN}
    if own:
        told = _facts(desk, own)
        told += (Words("; " + desk.word("elsewhere")),) if len(own) < len(printed) else ()
        lines.append(desk.say("printed_scope", facts=told))
    by_person: dict[str, dict[str, Fact]] = {}
    for path, fact in piece.typed.items():
        by_person.setdefault(fact.by, {})[path] = fact
    for person, facts in by_person.items():
        who = Quoted(person) if person else Missing(desk.word("not_known"))
        lines.append(desk.say("typed_scope", by=who, facts=_facts(desk, facts)))
    if piece.attested:
        attested = joined([_attested(desk, item) for item in piece.attested])
        lines.append(desk.say("attests", facts=attested))
    return cell(*lines) if lines else cell(Missing(desk.word("scope_untold")))


def _printed(piece: Piece) -> dict[str, Fact]:
    runs = {path: fact for run in piece.reading.runs for path, fact in run.facts.items()}
    return {**runs, **piece.reading.facts}


def _facts(desk: Desk, facts: Mapping[str, Fact]) -> Parts:
    return joined(
        [(Words(f"{desk.term(path)} "), Quoted(fact.value)) for path, fact in facts.items()], "; "
    )


def _attested(desk: Desk, item: Attested) -> Parts:
    told: list[Parts] = [(Quoted(fact.value),) for fact in item.words.values()]
    told = [(desk.amount(term),) for term in item.terms.values()] + told
    line = item.pointer.line if item.pointer else None
    name: Parts = (Words(desk.term(item.fact)),)
    if line is not None:
        name = desk.say("attested_from", fact=desk.term(item.fact), line=line)
    return (*name, Words(" "), *joined(told, " "))


def environment(desk: Desk) -> Section:
    """What the fiche asks for, then what each piece prints: a difference says so (A5, C6)."""
    asked = {k: f for k, f in desk.decision.fiche.workload.facts.items() if k in _ENVIRONMENT}
    rows = [
        row(Code(piece.id), cell(_told(desk, facts, asked)))
        for piece in desk.decision.fiche.pieces
        if (facts := {k: f for k, f in _printed(piece).items() if k in _ENVIRONMENT})
    ]
    block: Block = Paragraph((Words(desk.word("environment_none")),))
    if rows:
        none = Missing(desk.word("not_asked"))
        first = row(Words(desk.word("asked")), cell(_told(desk, asked, {}) if asked else none))
        block = Table(
            id="environment",
            caption=desk.word("environment_caption"),
            columns=columns(desk, "printed_by", "environment_title"),
            rows=(first, *rows),
        )
    return Section(id="environment", title=desk.word("environment_title"), blocks=(block,))


def _told(desk: Desk, facts: Mapping[str, Fact], asked: Mapping[str, Fact]) -> Parts:
    return joined([_one(desk, path, facts[path], asked.get(path)) for path in _ENVIRONMENT if path in facts])


def _one(desk: Desk, path: str, fact: Fact, asked: Fact | None) -> Parts:
    name = Words(f"{desk.term(path)} ")
    if asked is not None and asked.value.casefold() != fact.value.casefold():
        return (name, *desk.say("differs_here", value=Quoted(fact.value, strong=True)))
    return (name, Quoted(fact.value))
