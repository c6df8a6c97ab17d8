"""Loads tested: what each run executed, how it ended, how long it took (E1, A3, C8, C14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.figure import Figure
from fiche.kernel.piece import Failure, Piece, Run
from fiche.kernel.readings import quantity
from fiche.kernel.record import replace
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.numbers import elapsed
from fiche.report.parts import Amount, Block, Code, Missing, Part, Parts, Quoted, Row, Table, Words

_ENDS = {"success": "admissible", "failure": "exclude", "failed": "exclude"}


def runs(desk: Desk) -> Iterator[Block]:
    """The table of runs, if there is one."""
    told = [(piece, run) for piece in desk.decision.fiche.pieces for run in piece.reading.runs]
    largest = largest_run([run for _, run in told if run.outcome == "success" and run.whole_loop])
    if told:
        yield Table(
            id="runs",
            caption=desk.word("runs_caption"),
            columns=columns(desk, "run", "executed", "outcome", "duration:number"),
            rows=tuple(_run(desk, piece, run, run is largest) for piece, run in told),
        )


def asked_and_free(desk: Desk, failure: Failure, name: str) -> list[Part]:
    """What a failed allocation asked for, and what was free, as its message prints them."""
    told = {
        key: quantity(value, failure.pointer, key, f"{name}.{key}")
        for key, value in failure.quantities.items()
    }
    asked = told.get("requested")
    return desk.alike(
        [told.get("requested_at_least") if asked is None else asked, told.get("free")]
    )


def _run(desk: Desk, piece: Piece, run: Run, largest: bool) -> Row:
    told: Parts | str = desk.word("output_unchecked")
    if run.output_check not in ("", "not_checked"):
        told = desk.say("output_checked", check=Quoted(run.output_check))
    return row(
        cell((Code(f"{piece.id}/{run.id}"),), protocol(desk, run)),
        cell(
            executed(desk, piece, run),
            (Words(desk.word("largest"), strong=True),) if largest else None,
        ),
        cell(ended(desk, run), told),
        cell(_duration(desk, run), numeric=True),
    )


def ended(desk: Desk, run: Run) -> Part:
    """Success or failure, by glyph and word."""
    code = _ENDS.get(run.outcome, "to_confirm")
    return desk.state(code, {code: desk.term(run.outcome)})


def protocol(desk: Desk, run: Run) -> Parts:
    """Whole loop or phase by phase, first pass or after warm-up, and the phases gone through.

    A bare log says none of it (C2).
    """
    if not (run.whole_loop or run.phases):
        return (Missing(desk.word("not_recorded")),)
    told = [desk.word("loop" if run.whole_loop else "phased")]
    told.append(desk.word("first_pass" if run.first_pass else "later_pass"))
    phases = joined([Quoted(desk.term(phase)) for phase in run.phases])
    return (Words(", ".join(told)), *((Words(": "), *phases) if run.phases else ()))


def executed(desk: Desk, piece: Piece, run: Run) -> Parts:
    """The dimensions that were executed; one that was declared otherwise says both (A3)."""
    told = {**piece.typed_dimensions, **run.executed}
    return dimensions(desk, told, run.declared) if told else (Missing(desk.word("not_recorded")),)


def dimensions(
    desk: Desk, told: Mapping[str, Figure], asked: Mapping[str, Figure] | None = None
) -> Parts:
    """Dimensions in one line, marked once where all are of one kind."""
    return joined(
        quieted([_dimension(desk, n, size, (asked or {}).get(n)) for n, size in told.items()])
    )


def quieted(shown: list[Parts]) -> list[Parts]:
    """The same parts, where the last amount bears the mark of all if they are of one kind."""
    amounts = [part for parts in shown for part in parts if isinstance(part, Amount)]
    if len({amount.mark for amount in amounts}) != 1:
        return shown
    last = amounts[-1]
    return [
        tuple(_unmarked(p) if isinstance(p, Amount) and p is not last else p for p in parts)
        for parts in shown
    ]


def _unmarked(amount: Amount) -> Amount:
    return replace(amount, mark_word="")


def _dimension(desk: Desk, name: str, size: Figure, asked: Figure | None) -> Parts:
    """A size and what it counts: `5 800 prompt tokens`, since tokens alone would not say which."""
    counts = desk.language.dimensions.get(name)
    shown: Parts = (Words(f"{desk.term(name)} "), desk.count(size))
    if counts is not None:
        shown = (desk.count(size, desk.language.form(counts, size.low)),)
    if asked is not None and (asked.low, asked.high) != (size.low, size.high):
        differs = desk.say("declared_shape", value=desk.count(asked))
        shown = (*shown, Words(" ("), *differs, Words(")"))
    return shown


def largest_run(succeeded: list[Run]) -> Run | None:
    """The run that no other exceeds in any dimension, where one stands above all (E1)."""

    def reaches(high: Run, low: Run) -> bool:
        return all(
            name in high.executed and high.executed[name].low >= size.low
            for name, size in low.executed.items()
        )

    above = [r for r in succeeded if r.executed and all(reaches(r, other) for other in succeeded)]
    return above[0] if above else None


def _duration(desk: Desk, run: Run) -> Part:
    if run.duration_ns is None:
        return Missing(desk.word("not_recorded"))
    return Words(elapsed(run.duration_ns, desk.style))  # decision.json has the nanoseconds
