"""What else was looked at, and why it was not chosen: a justification names it, with the failed requirement."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Finding, Verdict
from fiche.report.candidates import named
from fiche.report.desk import Desk, cell, columns, row
from fiche.report.parts import Cell, Code, Missing, Part, Parts, Row, Table, Words


def tables(desk: Desk, chosen: Outcome) -> Iterator[Table]:
    """Every candidate that is not the chosen one; none where it is the only one."""
    rows = tuple(r for o in desk.decision.outcomes if o is not chosen for r in _rows(desk, o))
    if rows:
        yield Table(
            id="looked",
            caption=desk.word("looked_caption"),
            columns=columns(
                desk,
                "candidate",
                "looked_why",
                "looked_need:number",
                "looked_have:number",
                "looked_distance:number",
                "looked_source",
            ),
            rows=rows,
        )


def _rows(desk: Desk, outcome: Outcome) -> Iterator[Row]:
    failed = [f for f in outcome.findings if f.level == "must" and f.verdict is Verdict.EXCLUDE]
    if outcome.status != "excluded" or not failed:
        yield _passed_over(desk, outcome)
    for found in failed if outcome.status == "excluded" else ():
        yield _failed(desk, outcome, found)


def _failed(desk: Desk, outcome: Outcome, found: Finding) -> Row:
    """One requirement that excludes: threshold, value, distance, source."""
    need, have = desk.compared(found)
    where = " · ".join(part for part in (found.case, found.device) if part)
    kind = desk.language.kinds.get(found.kind, desk.term(found.kind))
    why: list[Parts] = [(desk.status(outcome.status), Words(": "), Words(kind))]
    why += [(Code(where),)] if where else []
    if found.reason != "above_capacity":
        why.append(desk.legible(found.text))
    return row(
        _who(desk, outcome),
        cell(*why),
        cell(need, numeric=True),
        cell(have, numeric=True),
        cell((_distance(desk, found),), numeric=True),
        cell(desk.references(found.pieces)),
    )


def _distance(desk: Desk, found: Finding) -> Part:
    node = _computed(desk, found)
    return desk.amount(node) if node is not None else Missing(desk.word("looked_no_distance"))


def _computed(desk: Desk, found: Finding) -> Figure | None:
    """The distance that was worked out for this finding."""
    if desk.decision.choosing is None:
        return found.margin
    asked = (found.candidate, found.requirement, found.case, found.device)
    for one in desk.decision.choosing.rejected:
        if (one.candidate, one.requirement, one.case, one.device) == asked:
            return one.distance
    return found.margin


def _passed_over(desk: Desk, outcome: Outcome) -> Row:
    """Retained, or open: nothing excludes it, and it was not chosen."""
    nothing = cell((Missing(desk.word("looked_no_distance")),), numeric=True)
    return row(
        _who(desk, outcome),
        cell((desk.status(outcome.status), Words(": "), *_why(desk, outcome))),
        nothing,
        nothing,
        nothing,
        cell((Missing(desk.word("looked_no_distance")),)),
    )


def _why(desk: Desk, outcome: Outcome) -> Parts:
    if outcome.status == "retained":
        key = "looked_retained" if outcome.rank is None else "looked_ranked"
        return desk.say(key, rank=outcome.rank or 0)
    asked = (*desk.decision.workload_conditions, *outcome.conditions)
    topics = dict.fromkeys(desk.topic(condition.topic) for condition in asked)
    return desk.say("looked_open", topics=", ".join(topics))


def _who(desk: Desk, outcome: Outcome) -> Cell:
    return named(desk, outcome.candidate)
