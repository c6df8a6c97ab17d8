"""Every criterion of every candidate, excluded ones included: needed, available, margin, verdict (D1)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.devices import ranged
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
    State,
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
        notes=(finding_counts(desk),),
    )
    return Section(
        id="criteria",
        title=desk.word("criteria_title"),
        blocks=(table, *_second(desk)),
    )


def finding_counts(desk: Desk) -> Parts:
    """How many findings of each verdict; the parts add up to the total."""
    findings = desk.decision.findings
    return desk.say(
        "finding_counts",
        total=len(findings),
        noun=desk.counted("findings", len(findings)),
        **{v.code: sum(found.verdict is v for found in findings) for v in Verdict},
    )


def _rows(desk: Desk) -> Iterator[Row]:
    for outcome in desk.decision.outcomes:
        card = outcome.candidate.card
        name = Quoted(card.name if card else outcome.candidate.gpu)
        status = desk.status(outcome.status)
        yield group(status, Words(" — "), Code(outcome.candidate.id), Words(", "), name)
        movable = outcome.verdict is not Verdict.EXCLUDE
        shared = _shared(desk, outcome.findings)
        yield from (_row(desk, found, movable=movable) for found in shared)


def _shared(desk: Desk, findings: tuple[Finding, ...]) -> Iterator[list[Finding]]:
    """Cases and devices of one requirement that say the same share a row; each stays named in it."""
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        said = (f.requirement, f.verdict, desk.compared(f), f.text, f.pieces, f.attested_by)
        alike.setdefault((*said, desk.amount(f.margin)), []).append(f)
    return iter(alike.values())


def _row(desk: Desk, shared: list[Finding], *, movable: bool) -> Row:
    found = shared[0]
    need, have = desk.compared(found)
    memory = found.kind == "memory"
    return row(
        _criterion(desk, shared),
        cell(need, desk.definition(found.need) if memory else None, numeric=True),
        cell(have, desk.definition(found.have) if memory else None, numeric=True),
        cell((_margin(desk, found),), _kept(desk, found), numeric=True),
        cell(
            (
                _verdict(desk, found),
                *_reason(desk, found),
                *_concluded(desk, found),
                *_aside(desk, found),
                *_pieces(desk, found),
                *_sources(desk, found),
            ),
            _expected(desk, found) if movable else None,
        ),
        candidate=found.candidate,
        requirement=found.requirement,
    )


def _criterion(desk: Desk, shared: list[Finding]) -> Cell:
    found = shared[0]
    kind = desk.language.kinds.get(found.kind, desk.term(found.kind))
    told = (ranged(dict.fromkeys(getattr(f, part) for f in shared)) for part in ("case", "device"))
    where = " · ".join(filter(None, (", ".join(filter(None, names)) for names in told)))
    level: Parts = (Words(f" ({desk.word('want')})"),) if found.level == "want" else ()
    named: Parts = (Words(", "), Code(found.requirement)) if found.requirement != found.kind else ()
    return cell((Words(kind), *named, *level), (Code(where),) if where else None)


def _margin(desk: Desk, found: Finding) -> Part:
    """Words have no distance between them: that is not the same as not knowing it."""
    words = bool(found.need_words or found.have_words)
    return Missing(desk.word("not_compared")) if words else desk.amount(found.margin)


def _kept(desk: Desk, found: Finding) -> Parts | None:
    """The stated margin beside the useful one (D5)."""
    kept = desk.kept() if found.kind == "memory" and found.margin is not None else ()
    return desk.say("kept", kept=kept) if kept else None


def _verdict(desk: Desk, found: Finding) -> State:
    """A wish is met or not; only what is mandatory admits or excludes (D1)."""
    words = desk.language.wants if found.level == "want" else desk.language.verdicts
    return desk.state(found.verdict.code, words)


def _reason(desk: Desk, found: Finding) -> Parts:
    """What keeps a verdict from being admissible; two numbers and their distance need no words."""
    if found.reason == "above_capacity" and found.margin is not None:
        return ()
    if found.verdict is Verdict.ADMISSIBLE:
        if not found.attested_by:
            return ()
        people = joined([Quoted(name) for name in found.attested_by])
        return (Words(", "), *desk.say("on_word", people=people))
    told = desk.open_on(found)
    return (Words(": "), *((Words(told),) if told else desk.legible(found.text)))


def _concluded(desk: Desk, found: Finding) -> Parts:
    """What a percentile says of another one: they are in order."""
    told = found.comparison.concluded if found.comparison is not None else ()
    if found.verdict is Verdict.TO_CONFIRM or not told:
        return ()
    texts = (part for text in told for part in (Words("; "), *desk.legible(text)))
    return (Words(" ("), *tuple(texts)[1:], Words(")"))


def _aside(desk: Desk, found: Finding) -> Parts:
    """What is out of date and would have spoken too."""
    if not found.aside:
        return ()
    return (Words("; "), *desk.say("left_aside", told=desk.legible(found.aside)))


def _pieces(desk: Desk, found: Finding) -> Parts:
    return (Words(" · "), *desk.references(found.pieces)) if found.pieces else ()


def _sources(desk: Desk, found: Finding) -> Parts:
    """The documents behind a row of the catalog, where that decides: they are no pieces of the fiche."""
    if not found.sources or found.verdict is Verdict.EXCLUDE:  # the reason names them
        return ()
    told = joined([Quoted(source) for source in found.sources], "; ")
    return (Words(" · "), *desk.say("by_catalog", sources=told))


def _expected(desk: Desk, found: Finding) -> Parts | None:
    """The kind of piece that would settle it (F8); nothing moves a candidate that is excluded."""
    return desk.say("expected_piece", piece=Quoted(found.expects)) if found.expects else None


def _second(desk: Desk) -> Iterator[Block]:
    readings = desk.decision.second_readings
    if readings:
        yield Paragraph(
            (
                Words(desk.word("second_title") + ". ", strong=True),
                Words(desk.word("second_lead")),
            )
        )
        alike: dict[tuple[object, ...], list[SecondReading]] = {}
        for second in readings:
            alike.setdefault((second.would_be, second.if_held), []).append(second)
        yield Items(tuple(_reading(desk, shared) for shared in alike.values()))


def _reading(desk: Desk, shared: list[SecondReading]) -> Parts:
    """Findings that would turn the same way under the same guesses; each stays named."""
    named = [_place(second.finding) for second in shared]
    return desk.say(
        "second",
        named=joined(named, "; "),
        state=desk.verdict(shared[0].would_be),
        held=joined([desk.legible(text) for text in shared[0].if_held], "; "),
    )


def _place(found: Finding) -> Parts:
    where = ", ".join(part for part in (found.requirement, found.case, found.device) if part)
    return (Code(found.candidate), Words(", "), Code(where))
