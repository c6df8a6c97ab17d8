"""The pieces: version, scope and digest of each, and the environment they print (D3, E4, A5)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.scope_told import alike, printed_facts, sorted_out, typed_facts
from fiche.report import numbers
from fiche.report.cited import worded
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.imported import place_of
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)
from fiche.report.tested import quieted

# What a reader compares between machines; every other printed fact is scope, told with its piece.
_ENVIRONMENT = (
    "gpu",
    "machine",
    "driver",
    "os",
    "python",
    "torch",
    "framework.version",
    "runtime",
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
_SHORT = 12
# What a fact states by its very name.
_PLAIN = ("value", "amount", "title")


def section(desk: Desk) -> Section:
    """The table of pieces, or that there is none."""
    from fiche.report.cited import shown  # which itself reads facts by what stands here

    pieces = desk.decision.fiche.pieces
    told = {piece.id for piece in shown(desk)[0]}
    block: Block = Paragraph((Words(desk.word("pieces_none")),))
    if pieces:
        block = Table(
            id="pieces",
            caption=desk.word("pieces_caption"),
            columns=columns(desk, "piece", "kind", "scope", "digest_column"),
            rows=tuple(_piece(desk, piece, again=piece.id in told) for piece in pieces),
        )
    return Section(id="pieces", title=desk.word("pieces_title"), blocks=(block,))


def _piece(desk: Desk, piece: Piece, *, again: bool) -> Row:
    """References lead to the pieces that verdicts rest on, or here where a piece stands only here."""
    version = piece.version or piece.reading.version
    told = (
        desk.say("version", version=Quoted(version))
        if version
        else Missing(desk.word("no_version"))
    )
    return row(
        cell((Code(piece.id),), (Code(piece.file),)),
        cell(
            joined([_kind(desk, piece.kind), told]),
            _days(desk, piece),
            _custody(desk, piece),
            _redacted(desk, piece),
            _cited(desk, piece),
        ),
        _scope(desk, piece),
        cell(Code(piece.sha256[:_SHORT] + "…")),
        anchor=f"file-{piece.id}" if again else f"piece-{piece.id}",
    )


def _days(desk: Desk, piece: Piece) -> Parts | None:
    """The day of the piece and its last one, where they are told: what leans on it leans on these."""
    told = [
        desk.say(name, day=day)
        for name, day in (("made", piece.date), ("lasts", piece.valid_until))
        if day
    ]
    return joined(told) if told else None


def _cited(desk: Desk, piece: Piece) -> Parts | None:
    """The entry of an archive that it was taken from."""
    if piece.cites is None:
        return None
    entry, archive = Code(piece.cites.entry), Code(piece.cites.archive)
    return desk.say("cites", entry=entry, archive=archive)


def _custody(desk: Desk, piece: Piece) -> Parts | None:
    """How it may be kept and shown, where somebody said it."""
    told = piece.custody
    said: list[Parts] = []
    if told.confidentiality:
        said.append((Words(desk.term(f"confidentiality.{told.confidentiality}"), strong=True),))
    if told.rights:
        said.append(desk.say("rights", rights=Quoted(told.rights)))
    if told.identifier:
        said.append(desk.say("identified", name=Code(told.identifier)))
    if told.keep_until:
        said.append(desk.say("kept_until", day=told.keep_until))
    if told.supersedes:
        said.append(desk.say("supersedes", old=Quoted(", ".join(told.supersedes))))
    return joined(said) if said else None


def _redacted(desk: Desk, piece: Piece) -> Parts | None:
    """How many things were replaced in the file, by kind: it is not as it was received."""
    if not piece.redacted:
        return None
    told = [f"{desk.term(f'redacted.{kind}')} {count}" for kind, count in piece.redacted.items()]
    return desk.say("redacted", things=", ".join(told))


def _scope(desk: Desk, piece: Piece) -> Cell:
    """What the file prints, what a person typed, what it attests: three different warrants."""
    lines: list[Parts] = []
    facts = printed_facts(piece)
    if facts:
        lines.append(desk.say("printed_scope", facts=_own(desk, facts)))
    for person, typed in typed_facts(piece).items():
        who = Quoted(person) if person else Missing(desk.word("not_known"))
        lines.append(desk.say("typed_scope", by=who, facts=_own(desk, typed)))
    if piece.attested:
        attested = joined(quieted([_attested(desk, item) for item in piece.attested]), "; ")
        lines.append(desk.say("attests", facts=attested))
    return cell(*lines) if lines else cell(Missing(desk.word("scope_untold")))


def _own(desk: Desk, printed: Mapping[str, Fact]) -> Parts:
    """What tells this piece from others: whose it is, what differs; the rest is counted (law 8)."""
    asked = desk.decision.fiche.workload.facts
    sides = sorted_out(printed, asked)
    told = [_one(desk, path, printed[path], asked.get(path)) for path in sides.shown]
    if sides.agreed:
        n = len(sides.agreed)
        told.append(desk.say("facts_agree", n=n, facts=desk.counted("facts_noun", n)))
    if sides.more:
        key = "facts_more" if told else "facts_only"
        told.append(desk.say(key, n=sides.more, facts=desk.counted("facts_noun", sides.more)))
    return joined(told, "; ")


def _attested(desk: Desk, item: Attested) -> Parts:
    """A fact with what it states, as a sentence would: `price 109.99 USD per 168 h for the lot`."""
    told: list[Parts] = [_key(desk, key, _term(desk, key, t)) for key, t in item.terms.items()]
    told += [_word(desk, key, fact.value) for key, fact in item.words.items()]
    name: Parts = (Words(desk.term(item.fact)),)
    if item.pointer is not None:
        place = worded(desk, place_of(item.pointer))
        name = desk.say("attested_from", fact=desk.term(item.fact), place=place)
    return (*name, Words(" "), *joined(told, " "))


def _word(desk: Desk, key: str, value: str) -> Parts:
    """One of a few choices has words of its own; what somebody wrote stands behind its key."""
    choice = desk.language.terms.get(f"attested.{key}.{value}")
    return (Words(choice),) if choice else _key(desk, key, Quoted(value))


def _key(desk: Desk, key: str, value: Part) -> Parts:
    if key in _PLAIN:
        return (value,)
    word = desk.language.terms.get(f"attested.{key}") or desk.term(key)
    return (Words(f"{word} "), value)


def _kind(desk: Desk, kind: str) -> Part:
    """What people read has a word; a format of a program is called by its code."""
    word = desk.language.terms.get(f"piece.{kind}")
    return Words(word) if word else Code(kind)


def _term(desk: Desk, key: str, term: Figure) -> Part:
    """A rate is printed as sellers print it, in percent."""
    return desk.amount(term, numbers.percent(term, desk.style) if key == "rate" else "")


def environment(desk: Desk) -> Section:
    """What the fiche asks for, then what each piece prints: a difference says so (A5, C6)."""
    asked = {k: f for k, f in desk.decision.fiche.workload.facts.items() if k in _ENVIRONMENT}
    same: dict[Parts, list[str]] = {}
    for piece in desk.decision.fiche.pieces:
        facts = {k: f for k, f in printed_facts(piece).items() if k in _ENVIRONMENT}
        if facts:
            same.setdefault(_told(desk, facts, asked), []).append(piece.id)
    rows = [row(cell(joined(map(Code, pieces))), cell(told)) for told, pieces in same.items()]
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
    return joined(
        [_one(desk, path, facts[path], asked.get(path)) for path in _ENVIRONMENT if path in facts]
    )


def _one(desk: Desk, path: str, fact: Fact, asked: Fact | None) -> Parts:
    name = Words(f"{desk.term(path)} ")
    if asked is not None and not alike(asked, fact):
        return (name, *desk.say("differs_here", value=Quoted(fact.value, strong=True)))
    return (name, Quoted(fact.value))
