"""What is still missing: each open point with what settles it, where it turns and who supplies it (D1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.condition import Condition
from fiche.report.desk import Desk, cell, columns, row
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

_FEW = 3


def section(desk: Desk) -> Section:
    """One row per open point, merged across candidates and told for each."""
    rows = tuple(_rows(desk))
    block: Block = Paragraph((Words(desk.word("missing_none")),))
    if rows:
        block = Table(
            id="missing",
            caption=desk.word("missing_caption"),
            columns=columns(desk, "topic", "provide", "turns_at", "supplier", "concerns"),
            rows=rows,
        )
    return Section(id="missing", title=desk.word("missing_title"), blocks=(block,))


def _points(desk: Desk) -> dict[str, dict[tuple[Condition, ...], list[str]]]:
    """Conditions by topic: candidates that lack the same share a row, and none named means all.

    A candidate's conditions of one topic are one point of it (D9), told line by line.
    """
    points: dict[str, dict[tuple[Condition, ...], list[str]]] = {}
    for condition in desk.decision.workload_conditions:
        points.setdefault(condition.topic, {})[(condition,)] = []
    for outcome in desk.decision.outcomes:
        open_topics: dict[str, dict[Condition, None]] = {}
        for found in outcome.findings:
            for condition in found.conditions if found.level == "must" else ():
                open_topics.setdefault(condition.topic, {})[condition] = None
        for topic, conditions in open_topics.items():
            shared = points.setdefault(topic, {}).setdefault(tuple(conditions), [])
            shared.append(outcome.candidate.id)
    return points


def _rows(desk: Desk) -> Iterator[Row]:
    for topic, shared in _points(desk).items():
        for conditions, who in shared.items():
            yield _row(desk, topic, conditions, who)


def _row(desk: Desk, topic: str, conditions: tuple[Condition, ...], who: list[str]) -> Row:
    def each(texts: Iterable[str]) -> tuple[Parts, ...]:
        return tuple(desk.legible(text) for text in dict.fromkeys(texts) if text)

    turns = each(c.threshold for c in conditions)
    return row(
        cell(desk.topic(topic)),
        cell(*each(c.text for c in conditions)),
        cell(*turns) if turns else cell(Missing(desk.word("no_threshold"))),
        cell(*dict.fromkeys(_supplier(desk, c) for c in conditions)),
        _concerned(desk, who),
    )


def _concerned(desk: Desk, who: list[str]) -> Cell:
    """The candidates by name; where there are many and it is all of them, that is what is said."""
    many = len(who) > _FEW and len(who) == len(desk.decision.outcomes)
    return cell(desk.word("all_candidates")) if many or not who else cell(*map(Code, who))


def _supplier(desk: Desk, condition: Condition) -> Parts:
    supplier: Parts = (Quoted(condition.supplier),) if condition.supplier else ()
    if not condition.piece_kind:
        return supplier
    return (*supplier, *desk.say("piece_wanted", piece=Quoted(condition.piece_kind)))
