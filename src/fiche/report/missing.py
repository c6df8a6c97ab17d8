"""What is still missing: each open point with what settles it, where it turns and who supplies it (D1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiche.kernel.condition import Condition
from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace
from fiche.kernel.said import listed
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

_FEW = 3
# The topic that a run of the whole loop settles, and the word for its record.
_RUN, _RECORD = "need", "record"
# What the author of a fiche has still to say: no number can be known before.
_STATED = frozenset({"concurrency", "context", "identity", "microbatch", "quality"})


def section(desk: Desk) -> Section:
    """One row per open point, merged across candidates and told for each."""
    rows = tuple(_rows(desk))
    block: Block = Paragraph((Words(desk.word("missing_none")),))
    if rows:
        block = Table(
            id="missing",
            caption=_caption(desk),
            columns=columns(desk, "topic", "provide", "turns_at", "supplier", "concerns"),
            rows=rows,
            notes=tuple(_notes(desk)),
        )
    return Section(id="missing", title=desk.word("missing_title"), blocks=(block,))


def in_full(desk: Desk) -> Section | None:
    """The same under a title of its own, for the annex; None where nothing is open."""
    told = section(desk)
    if not any(isinstance(block, Table) for block in told.blocks):
        return None
    return replace(told, title=desk.word("open_full_title"))


def points(desk: Desk) -> dict[str, dict[tuple[Condition, ...], list[str]]]:
    """Conditions by topic: candidates that lack the same share a row, and none named means all.

    A candidate's conditions of one topic are one point of it (D9), told line by line.
    """
    points: dict[str, dict[tuple[Condition, ...], list[str]]] = {}
    for condition in desk.decision.workload_conditions:
        points.setdefault(condition.topic, {})[(condition,)] = []
    for outcome in movable(desk):
        for topic, conditions in _open(outcome).items():
            shared = points.setdefault(topic, {}).setdefault(conditions, [])
            shared.append(outcome.candidate.id)
    return points


def movable(desk: Desk) -> list[Outcome]:
    """What excludes a candidate stays, whatever else of it is settled."""
    return [o for o in desk.decision.outcomes if o.verdict is not Verdict.EXCLUDE]


def _open(outcome: Outcome) -> dict[str, tuple[Condition, ...]]:
    """The open conditions of a candidate's musts by topic, each once."""
    told: dict[str, dict[Condition, None]] = {}
    for found in outcome.findings:
        for condition in found.conditions if found.level == "must" else ():
            told.setdefault(condition.topic, {})[condition] = None
    return {topic: tuple(conditions) for topic, conditions in told.items()}


def _notes(desk: Desk) -> Iterator[Parts]:
    """What one run settles at once."""
    for topics, who in _together(desk).items():
        told = ", ".join(desk.topic(topic) for topic in topics)
        yield desk.say("one_run", topics=told, who=joined([Code(name) for name in who]))


def _caption(desk: Desk) -> str:
    """What the rows are, and whose points are left out (law 8)."""
    left_out = any(o.verdict is Verdict.EXCLUDE and _open(o) for o in desk.decision.outcomes)
    told = [desk.word("missing_caption")]
    told += [desk.word("excluded_left_out")] if left_out else []
    return listed(told, "; ")


def _together(desk: Desk) -> dict[tuple[str, ...], list[str]]:
    """Topics of a candidate that the record of one run may settle, where there are several."""
    found: dict[tuple[str, ...], list[str]] = {}
    for outcome in movable(desk):
        asked = _open(outcome)
        topics = tuple(t for t, told in asked.items() if all(_RECORD in c.piece_kind for c in told))
        if _RUN in topics and len(topics) > 1:
            found.setdefault(topics, []).append(outcome.candidate.id)
    return found


def _rows(desk: Desk) -> Iterator[Row]:
    place = 0
    for topic, shared in points(desk).items():
        for conditions, who in shared.items():
            place += 1
            named = desk.say("point_topic", point=point(desk, place), topic=desk.topic(topic))
            yield _row(desk, named, conditions, who)


def unnumbered(desk: Desk, conditions: tuple[Condition, ...]) -> Missing:
    """On what a verdict turns where no number is known: a need, or what somebody will say."""
    topics = {condition.topic for condition in conditions}
    told = {condition.piece_kind.partition(" ")[0] for condition in conditions}
    if topics <= {"memory_available", "need"}:
        return Missing(desk.word("turns_need"))
    stated = topics <= _STATED or told <= {"fiche"}
    return Missing(desk.word("turns_stated" if stated else "turns_answer"))


def point(desk: Desk, place: int) -> Parts:
    """What an open point is called everywhere: by its place in the list, as D1."""
    return (Words(desk.word("point").format(n=place), strong=True),)


def _row(desk: Desk, named: Parts, conditions: tuple[Condition, ...], who: list[str]) -> Row:
    def each(texts: Iterable[str]) -> tuple[Parts, ...]:
        return tuple(desk.legible(text) for text in dict.fromkeys(texts) if text)

    turns = each(c.threshold for c in conditions)
    return row(
        cell(named),
        cell(*each(c.text for c in conditions)),
        cell(*turns) if turns else cell(unnumbered(desk, conditions)),
        cell(*dict.fromkeys(supplier(desk, c) for c in conditions)),
        concerned(desk, who),
    )


def concerned(desk: Desk, who: list[str]) -> Cell:
    """The candidates by name; where there are many and it is all of them, that is what is said."""
    many = len(who) > _FEW and len(who) == len(movable(desk))
    return cell(desk.word("all_candidates")) if many or not who else cell(*map(Code, who))


def supplier(desk: Desk, condition: Condition) -> Parts:
    """Who can supply it, and which kind of piece would attest it."""
    named: Parts = (Quoted(condition.supplier),) if condition.supplier else ()
    if not condition.piece_kind:
        return named
    return (*named, *desk.say("piece_wanted", piece=Quoted(condition.piece_kind)))
