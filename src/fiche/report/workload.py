"""The workload: identity, and each case as declared beside what was executed (A1-A4)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.gaps import case_of, reaches
from fiche.kernel.piece import Piece, Run
from fiche.kernel.workload import Case
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Section,
    Table,
    Words,
)
from fiche.report.tested import dimensions, executed, quieted


def section(desk: Desk) -> Section:
    """Identity and cases."""
    return Section(
        id="workload",
        title=desk.word("workload_title"),
        blocks=(*_identity(desk), *_cases(desk)),
    )


def _identity(desk: Desk) -> Iterator[Block]:
    """Every stated value, by subject (model, formats, engine, …), in one run of text."""
    load = desk.decision.fiche.workload
    subjects: dict[str, list[Parts]] = {}
    for path, fact in load.facts.items():
        if path in load.figures:  # a setting that counts is told once, as the number it is
            continue
        subject, _, name = path.partition(".")
        # What fiche's own records say of their processes is a term; any other value is somebody's own.
        terms = desk.language.terms if path == "process_protocol" else {}
        subjects.setdefault(subject, []).append(
            _named(desk, name, (Quoted(terms.get(fact.value, fact.value)),))
        )
    for path, stated in load.figures.items():
        subject, _, name = path.partition(".")
        number = desk.count(stated) if stated.unit.is_count else desk.amount(stated)
        shown = _named(desk, name, (number,))
        subjects.setdefault(subject, []).append(shown)
    if load.method_targets:
        targets = joined([Quoted(target) for target in load.method_targets])
        subjects.setdefault("method", []).append(_named(desk, "targets", targets))
    told = [
        (Words(f"{desk.term(subject)}: ", strong=True), *joined(quieted(values)))
        for subject, values in subjects.items()
    ]
    if told:
        yield Paragraph((*joined(told, "; "), Words(".")))


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
                cell(_name(desk, case)),
                cell(dimensions(desk, case.dimensions), _phases(desk, case)),
                _executed(desk, case),
            )
            for case in cases
        ),
    )


def _name(desk: Desk, case: Case) -> Parts:
    if case.id == case.role:
        return (Code(case.id),)
    role = desk.language.roles.get(case.role, case.role)
    return (Code(case.id), Words(" "), *desk.say("role", role=role))


def _phases(desk: Desk, case: Case) -> Parts | None:
    if not case.phases:
        return None
    return desk.say("phases_of", phases=joined([Quoted(desk.term(p)) for p in case.phases]))


def _executed(desk: Desk, case: Case) -> Cell:
    """The whole loops that succeeded and reached this case and no more demanding one (A3)."""
    alike: dict[Parts, list[Code]] = {}
    for piece in desk.decision.fiche.pieces:
        for run in piece.reading.runs:
            if run.outcome == "success" and run.whole_loop and _stands_for(desk, run, case):
                told = _beside(desk, piece, run, case)
                alike.setdefault(told, []).append(Code(f"{piece.id}/{run.id}"))
    lines = [(*told, Words(": "), *joined(runs)) for told, runs in alike.items()]
    return cell(*lines) if lines else cell(_reached(desk, case))


def _beside(desk: Desk, piece: Piece, run: Run, case: Case) -> Parts:
    """What was executed, or that it was the case as declared, to the last dimension."""
    sizes = {name: size.low for name, size in run.executed.items()}
    if sizes == {name: size.low for name, size in case.dimensions.items()}:
        return (Words(desk.word("as_declared")),)
    return executed(desk, piece, run)


def _reached(desk: Desk, case: Case) -> Parts:
    """A case that only more demanding runs reached is covered by them."""
    runs = [
        Code(f"{piece.id}/{run.id}")
        for piece in desk.decision.fiche.pieces
        for run in piece.reading.runs
        if run.outcome == "success" and run.whole_loop and reaches(run, case)
    ]
    if runs:
        return desk.say("reached_by", runs=joined(runs))
    return (Missing(desk.word("never_executed")),)


def _stands_for(desk: Desk, run: Run, case: Case) -> bool:
    return case_of(run, desk.decision.fiche.workload) is case
