"""What is still missing: each open point with what settles it, where it turns and who supplies it (D1)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.condition import Condition
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import Block, Code, Missing, Paragraph, Part, Quoted, Row, Section, Table, Words


def section(desk: Desk) -> Section:
    """One row per open point, merged across candidates and told for each."""
    points = _points(desk)
    block: Block = Paragraph((Words(desk.word("missing_none")),))
    if points:
        block = Table(
            id="missing",
            caption=desk.word("missing_caption"),
            columns=columns(desk, "topic", "provide", "turns_at", "supplier", "concerns"),
            rows=tuple(_rows(desk, points)),
        )
    return Section(id="missing", title=desk.word("missing_title"), blocks=(block,))


def _points(desk: Desk) -> dict[str, dict[Condition, list[str]]]:
    """Conditions by topic, in the order of the candidates; no candidate means every one."""
    points: dict[str, dict[Condition, list[str]]] = {}
    for condition in desk.decision.workload_conditions:
        points.setdefault(condition.topic, {})[condition] = []
    for outcome in desk.decision.outcomes:
        for condition in outcome.conditions:
            named = points.setdefault(condition.topic, {}).setdefault(condition, [])
            named.append(outcome.candidate.id)
    return points


def _rows(desk: Desk, points: dict[str, dict[Condition, list[str]]]) -> Iterator[Row]:
    for topic, conditions in points.items():
        for condition, who in conditions.items():
            yield _row(desk, topic, condition, who)


def _row(desk: Desk, topic: str, condition: Condition, who: list[str]) -> Row:
    turns: Part = Missing(desk.word("no_threshold"))
    supplier = (Quoted(condition.supplier),) if condition.supplier else ()
    piece = (
        desk.say("piece_wanted", piece=Quoted(condition.piece_kind)) if condition.piece_kind else ()
    )
    return row(
        cell(Words(desk.language.topics.get(topic, desk.term(topic)))),
        cell(desk.legible(condition.text)),
        cell(desk.legible(condition.threshold) if condition.threshold else turns),
        cell((*supplier, *piece)),
        cell(*map(Code, who), None if who else desk.word("all_candidates")),
    )


def topics(desk: Desk) -> tuple[str, ...]:
    """The topics that are open, in words."""
    return tuple(desk.language.topics.get(t, desk.term(t)) for t in _points(desk))


def told(desk: Desk) -> tuple[tuple[Part, ...], ...]:
    """One line per open topic with the candidates it concerns, for a terminal."""
    return tuple(
        (
            Words(desk.language.topics.get(topic, desk.term(topic)), strong=True),
            Words(": "),
            *joined([desk.legible(c.text) for c in conditions], "; "),
        )
        for topic, conditions in _points(desk).items()
    )
