"""After the failures at hand: where each failed, what takes most there, and what may be changed (D7)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.remedy import Lever, Remedy
from fiche.report import numbers
from fiche.report.desk import Desk, cell, columns, joined, row, short_label
from fiche.report.parts import (
    Code,
    Missing,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    State,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """One row for each failure that a verdict rests on, or that nobody has explained; None without one."""
    found = desk.decision.remedies
    if not found:
        return None
    table = Table(
        id="remedies",
        caption=desk.word("remedies_caption"),
        columns=columns(desk, "remedy_failed", "remedy_points", "remedy_dominant", "remedy_levers"),
        rows=tuple(_row(desk, one) for one in found),
        notes=((Words(desk.word("remedies_note")),),),
    )
    return Section(id="remedies", title=desk.word("remedies_title"), blocks=(table,))


def _row(desk: Desk, one: Remedy) -> Row:
    proven = "remedy_proven" if one.proven else "remedy_unexplained"
    state = State(
        "exclude" if one.proven else "to_confirm", "✕" if one.proven else "▲", desk.word(proven)
    )
    who = joined([Code(name) for name in one.candidates])
    case = (Code(one.case), Words(": ")) if one.case else ()
    return row(
        cell((Reference(one.piece),), (state,), (*case, *who)),
        cell(*_points(desk, one)),
        cell(*_dominant(desk, one)),
        cell(*_levers(desk, one)),
    )


def _points(desk: Desk, one: Remedy) -> Iterator[Parts]:
    if not one.phase_told:
        yield (Missing(desk.word("remedy_no_phase")),)
        if one.phase:
            yield desk.say("remedy_likely", phase=desk.term(one.phase))
        return
    yield (Words(desk.term(one.phase), strong=True),)
    cause = desk.word(f"cause_{one.stage}") if one.stage else ""
    if cause:
        yield (Words(cause),)


def _dominant(desk: Desk, one: Remedy) -> Iterator[Parts]:
    """What takes most of what is exactly known there; what is not exact is named, and in no share."""
    if one.item is None:
        yield (Missing(desk.word("not_known")),)
        return
    yield (Quoted(short_label(one.item)), Words(": "), desk.amount(one.item))
    if one.share is not None and one.known is not None:
        percent = desk.amount(one.share, _percent(one.share, desk))
        yield desk.say("remedy_share", share=percent, known=desk.amount(one.known))
    if one.open_items:
        names = joined([Words(desk.term(name)) for name in one.open_items])
        yield desk.say("remedy_open", items=names)


def _percent(share: Figure, desk: Desk) -> str:
    """In percent, with one decimal: a share beside its bytes is for the eye."""
    return numbers.percented(numbers.rounded(share.low * 100, 1, desk.style), desk.style)


def _levers(desk: Desk, one: Remedy) -> Iterator[Parts]:
    for lever in one.levers:
        yield _lever(desk, lever)
    if not one.levers:
        yield (Missing(desk.word("remedy_none")),)
    if one.stage == "evaluation":
        names = joined([Code(name) for name in one.useless])
        yield (Words(desk.word("remedy_evaluation")),)
        if names:
            yield desk.say("remedy_useless", candidates=names)


def _lever(desk: Desk, lever: Lever) -> Parts:
    keeps = joined([Words(desk.word(f"keep_{code}")) for code in lever.keeps])
    told: Parts = (Words(desk.word(f"lever_{lever.name}"), strong=True),)
    told += (Words(" — "), *keeps) if keeps else ()
    if lever.candidates:
        names = joined([Code(name) for name in lever.candidates])
        told += desk.say("lever_tried", candidates=names)
    return told
