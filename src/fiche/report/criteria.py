"""Every criterion of every candidate, excluded ones included: needed, available, margin, verdict (D1)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Items,
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


def section(desk: Desk) -> Section:
    """One table, a group of rows per candidate, then the second reading."""
    table = Table(
        id="criteria",
        caption=desk.word("criteria_caption"),
        columns=columns(
            desk, "criterion", "needed:number", "available:number", "margin:number", "verdict"
        ),
        rows=tuple(_rows(desk)),
    )
    return Section(
        id="criteria",
        title=desk.word("criteria_title"),
        blocks=(table, *_second(desk)),
    )


def _rows(desk: Desk) -> Iterator[Row]:
    for outcome in desk.decision.outcomes:
        card = outcome.candidate.card
        name = Quoted(card.name if card else outcome.candidate.gpu)
        status = desk.status(outcome.status)
        yield group(status, Words(" — "), Code(outcome.candidate.id), Words(", "), name)
        yield from (_row(desk, found) for found in _shared(desk, outcome.findings))


def _shared(desk: Desk, findings: tuple[Finding, ...]) -> Iterator[list[Finding]]:
    """Cases and devices of one requirement that say the same share a row; each stays named in it."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        said = (f.requirement, f.verdict, desk.compared(f), f.text, f.pieces, f.attested_by)
        alike.setdefault((*said, desk.amount(f.margin)), []).append(f)
    return iter(alike.values())


def _row(desk: Desk, shared: list[Finding]) -> Row:
    found = shared[0]
    need, have = desk.compared(found)
    memory = found.kind == "memory"
    return row(
        _criterion(desk, shared),
        cell(need, desk.definition(found.need) if memory else None, numeric=True),
        cell(have, desk.definition(found.have) if memory else None, numeric=True),
        cell(_margin(desk, found), numeric=True),
        cell((desk.verdict(found.verdict), *_reason(desk, found), *_pieces(desk, found))),
    )


def _criterion(desk: Desk, shared: list[Finding]) -> Cell:
    found = shared[0]
    kind = desk.language.kinds.get(found.kind, desk.term(found.kind))
    told = (dict.fromkeys(getattr(f, part) for f in shared) for part in ("case", "device"))
    where = " · ".join(filter(None, (", ".join(filter(None, names)) for names in told)))
    level: Parts = (Words(f" ({desk.word('want')})"),) if found.level == "want" else ()
    named: Parts = (Words(", "), Code(found.requirement)) if found.requirement != found.kind else ()
    return cell((Words(kind), *named, *level), (Code(where),) if where else None)


def _margin(desk: Desk, found: Finding) -> Part:
    """Words have no distance between them: that is not the same as not knowing it."""
    words = bool(found.need_words or found.have_words)
    return Missing(desk.word("not_compared")) if words else desk.amount(found.margin)


def _reason(desk: Desk, found: Finding) -> Parts:
    """What keeps a verdict from being admissible; an admissible one is told by its two numbers."""
    if found.verdict is Verdict.ADMISSIBLE:
        if not found.attested_by:
            return ()
        people = joined([Quoted(name) for name in found.attested_by])
        return (Words(", "), *desk.say("on_word", people=people))
    topics = dict.fromkeys(desk.topic(c.topic) for c in found.conditions)
    if found.reason == "open" and topics:
        return (Words(": "), *desk.say("open_on", topics=", ".join(topics)))
    return (Words(": "), *desk.legible(found.text))


def _pieces(desk: Desk, found: Finding) -> Parts:
    return (Words(" · "), *desk.references(found.pieces)) if found.pieces else ()


def _second(desk: Desk) -> Iterator[Block]:
    readings = desk.decision.second_readings
    if readings:
        yield Paragraph(
            (
                Words(desk.word("second_title") + ". ", strong=True),
                Words(desk.word("second_lead")),
            )
        )
        yield Items(tuple(_reading(desk, second) for second in readings))


def _reading(desk: Desk, second: SecondReading) -> Parts:
    found = second.finding
    where = ", ".join(part for part in (found.requirement, found.case, found.device) if part)
    return desk.say(
        "second",
        candidate=Code(found.candidate),
        requirement=Code(where),
        state=desk.verdict(second.would_be),
        held=joined([desk.legible(text) for text in second.if_held], "; "),
    )
