"""The workload: identity, and each case as declared beside what was executed (A1-A4)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.piece import Piece, Run
from fiche.kernel.workload import Case
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.observed import sizes
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


def section(desk: Desk) -> Section:
    """Identity and cases."""
    return Section(
        id="workload",
        title=desk.word("workload_title"),
        blocks=(*_identity(desk), *_cases(desk)),
    )


def _identity(desk: Desk) -> Iterator[Block]:
    """One row per subject (model, formats, engine, …), every stated value of it in the row."""
    load = desk.decision.fiche.workload
    subjects: dict[str, list[Parts]] = {}
    for path, fact in load.facts.items():
        subject, _, name = path.partition(".")
        subjects.setdefault(subject, []).append(_named(desk, name, (Quoted(fact.value),)))
    for path, stated in load.figures.items():
        subject, _, name = path.partition(".")
        counted = bool(str(stated.unit))
        shown = _named(desk, "" if counted else name, (desk.amount(stated),))
        subjects.setdefault(subject, []).append(shown)
    if load.method_targets:
        targets = joined([Quoted(target) for target in load.method_targets])
        subjects.setdefault("method", []).append(_named(desk, "targets", targets))
    if subjects:
        yield Table(
            id="identity",
            caption=desk.word("identity_caption"),
            columns=columns(desk, "property", "value"),
            rows=tuple(
                row(Words(desk.term(subject)), cell(joined(told)))
                for subject, told in subjects.items()
            ),
        )


def _named(desk: Desk, name: str, value: Parts) -> Parts:
    return (Words(f"{desk.term(name)} "), *value) if name else value


def _cases(desk: Desk) -> Iterator[Block]:
    cases = desk.decision.fiche.workload.cases
    if not cases:
        yield Paragraph((Words(desk.word("no_cases")),))
        return
    yield Table(
        id="cases",
        caption=desk.word("cases_caption"),
        columns=columns(desk, "case", "dimensions", "executed"),
        rows=tuple(
            row(
                cell((Code(case.id),), (Words(desk.language.roles.get(case.role, case.role)),)),
                cell(_declared(desk, case), _phases(desk, case)),
                _executed(desk, case),
            )
            for case in cases
        ),
    )


def _declared(desk: Desk, case: Case) -> Parts:
    return joined([_size(desk, name, case) for name in case.dimensions])


def _size(desk: Desk, name: str, case: Case) -> Parts:
    size = case.dimensions[name]
    shown: Parts = (desk.amount(size),)
    return shown if str(size.unit) else (Words(f"{desk.term(name)} "), *shown)


def _phases(desk: Desk, case: Case) -> Parts | None:
    if not case.phases:
        return None
    return desk.say("phases_of", phases=joined([Quoted(desk.term(p)) for p in case.phases]))


def _executed(desk: Desk, case: Case) -> Cell:
    """The whole-loop successes that the memory findings of this case cite, with what they ran."""
    lines = [
        (Code(f"{piece.id}/{run.id}"), Words(": "), *sizes(desk, piece, run))
        for piece, run in cited(desk, case.id)
    ]
    return cell(*lines) if lines else cell(Missing(desk.word("never_executed")))


def cited(desk: Desk, case: str) -> list[tuple[Piece, Run]]:
    """Successful runs of the whole loop in pieces that a memory finding of this case rests on."""
    names = dict.fromkeys(
        name
        for found in desk.decision.findings
        if found.kind == "memory" and found.case == case
        for name in found.pieces
    )
    return [
        (piece, run)
        for piece in desk.decision.fiche.pieces
        if piece.id in names
        for run in piece.reading.runs
        if run.outcome == "success" and run.whole_loop
    ]
