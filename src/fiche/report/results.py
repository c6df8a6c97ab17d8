"""Scores, throughputs and latencies that files state: each as printed, with what it is of (A7, C13, C14)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Piece, Result
from fiche.kernel.readings import results as read
from fiche.report.counters import table
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.imported import named, place_of
from fiche.report.parts import Block, Code, Parts, Quoted, Row, Words


def results(desk: Desk) -> Iterator[Block]:
    """One table, where any piece has a result."""
    rows = [
        _row(desk, piece, result, figure)
        for piece in desk.decision.fiche.pieces
        for _, result, figure in read(piece)
    ]
    if rows:
        titles = columns(desk, "task", "metric", "value:number", "place")
        yield table(desk, "results", titles, rows, 0)


def _row(desk: Desk, piece: Piece, result: Result, figure: Figure) -> Row:
    error = result.marks.get("stderr")
    return row(
        cell((Quoted(result.label),) if result.label else None, _of(desk, result)),
        cell(_metric(desk, result)),
        cell(
            desk.listed(figure, _digits(desk, result.text)),
            desk.say("standard_error", value=Quoted(_digits(desk, str(error))))
            if error is not None
            else None,
            numeric=True,
        ),
        cell(named(piece.id, figure.id), (Quoted(place_of(result.pointer)),)),
        anchor=figure.id,
    )


def _digits(desk: Desk, text: str) -> str:
    """Each digit as the file has it, under the language's decimal sign."""
    return _POINT.sub(desk.style.decimal, text)


_POINT = lazy(r"(?<=\d)\.(?=\d)")


def _of(desk: Desk, result: Result) -> Parts | None:
    """Shots, and how many samples of how many: a part of a data set stands for no whole (D6)."""
    marks, told = result.marks, []
    if "num_fewshot" in marks:
        told.append(desk.say("shots", n=str(marks["num_fewshot"])))
    asked, of = marks.get("samples"), marks.get("of_samples")
    if asked is not None and asked != of:
        told.append(desk.say("samples_of", n=str(asked), of=str(of)))
    return joined(told) if told else None


def _metric(desk: Desk, result: Result) -> Parts:
    chosen = str(result.marks.get("filter") or "")
    more = [word for word in (chosen if chosen != "none" else "", desk.term(result.stat)) if word]
    return (Code(result.metric), *(Words(f", {word}") for word in more))
