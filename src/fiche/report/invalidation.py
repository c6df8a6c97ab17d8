"""What would void the conclusion, where it turns, and what that follows from (E3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.invalidation import Invalidation
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Code,
    Items,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Table,
    Words,
)
from fiche.report.tested import dimensions


def section(desk: Desk) -> Section:
    """What follows from scope, bounds and dates in a table, then the author's own words."""
    events = desk.decision.invalidations
    blocks: list[Block] = [*_table(desk, [e for e in events if e.kind not in _APART])]
    assumed = tuple(_said(event) for event in events if event.kind == "assumption")
    if assumed:
        blocks += [_lead(desk, "void_assumption"), Items(assumed)]
    told = tuple((Quoted(fact.value),) for fact in desk.decision.fiche.invalidated_by)
    if told:
        blocks += [_lead(desk, "void_author"), Items(told)]
    else:
        blocks.append(Paragraph((Words(desk.word("invalidated_none")),)))
    return Section(id="invalidation", title=desk.word("void_title"), blocks=tuple(blocks))


# Told in sentences, below the table.
_APART = ("assumption", "author")


def _lead(desk: Desk, key: str) -> Paragraph:
    return Paragraph((Words(desk.word(key), strong=True),))


def _said(event: Invalidation) -> Parts:
    who = joined([Code(name) for name in event.candidates])
    return (*who, Words(": "), Quoted(event.text)) if who else (Quoted(event.text),)


def _table(desk: Desk, events: list[Invalidation]) -> Iterator[Block]:
    if events:
        yield Table(
            id="invalidations",
            caption=_caption(desk),
            columns=columns(desk, "void_what", "void_turns", "void_because"),
            rows=tuple(_row(desk, event) for event in events),
        )


def _caption(desk: Desk) -> str:
    names = {name for event in desk.decision.invalidations for name in event.candidates}
    order = [o.candidate.id for o in desk.decision.outcomes if o.candidate.id in names]
    return desk.word("void_caption").format(candidates=", ".join(order))


def _row(desk: Desk, event: Invalidation) -> Row:
    words = desk.word(f"void_{event.kind}")
    return row(
        cell((Words(words, strong=True),), _who(desk, event)),
        cell(*turns(desk, event)),
        cell(_because(desk, event)),
    )


def _who(desk: Desk, event: Invalidation) -> Parts:
    """Whom it concerns, where that is not every candidate that the conclusion leans on."""
    every = {name for each in desk.decision.invalidations for name in each.candidates}
    if set(event.candidates) == every:
        return ()
    return joined([Code(name) for name in event.candidates])


def _because(desk: Desk, event: Invalidation) -> Parts:
    pieces = {piece.id for piece in desk.decision.fiche.pieces}
    told: list[Part] = [Reference(n) if n in pieces else Code(n) for n in event.because]
    return joined(told)


# --- Where it turns -------------------------------------------------------------------------------


def turns(desk: Desk, event: Invalidation) -> Iterator[Parts]:
    """The values at which an event begins, as far as they are told."""
    if event.figures:
        figures = {name: node for name, node in event.figures if isinstance(node, Figure)}
        yield desk.say("void_more", case=Code(event.case), dimensions=dimensions(desk, figures))
    elif event.values:
        yield joined(
            [(Words(f"{desk.term(_short(path))} "), Quoted(value)) for path, value in event.values]
        )
    else:
        yield from _single(desk, event)


def _short(path: str) -> str:
    """The last words of a path are enough beside the kind that heads the row."""
    return path.partition(".")[2] or path


def _single(desk: Desk, event: Invalidation) -> Iterator[Parts]:
    if event.kind == "rate" and event.figure is not None:
        rate = desk.amount(event.figure)
        sides = event.subject.replace("->", "→")
        yield desk.say("void_rate_at", sides=Code(sides), rate=rate, day=Code(event.day))
    elif event.day:
        yield desk.say(f"void_{event.kind}_at", subject=_subject(desk, event), day=Code(event.day))
    elif event.kind == "growth" and event.figure is not None:
        yield desk.say("void_growth_at", n=desk.count(event.figure), case=Code(event.case))
    elif event.figure is not None:
        subject = Words(desk.language.kinds.get(event.subject, event.subject))
        yield desk.say(f"void_{event.kind}_at", amount=desk.amount(event.figure), subject=subject)
    elif event.subject:
        yield (Code(event.subject),)
    else:
        yield (Missing(desk.word("not_told")),)


def _subject(desk: Desk, event: Invalidation) -> Part:
    pieces = {piece.id for piece in desk.decision.fiche.pieces}
    return Reference(event.subject) if event.subject in pieces else Code(event.subject)
