"""Duration: how many hours the whole work takes on this candidate (C14, D8).

From the work that the fiche counts and a throughput seen in scope; from a recorded pass of the whole loop and
how many passes the work is; or from a document that reports the whole of it. A stated rental time is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.criteria import _conditions, _measured
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.criteria._executed import load_of
from fiche.criteria._scope import joined, noted, question, scope_of
from fiche.criteria._words import figure_text, number_text
from fiche.criteria._work import needed_of
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Piece, Run
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.unit import HOUR

_NS = 3600 * 10**9


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison, in hours: what was observed on this candidate's card and engine against the most."""
    threshold = Threshold(figure=requirement.figures["at_most"], at_least=False)
    values = [
        *_of_work(candidate, ground),
        *_of_passes(requirement, threshold, candidate, ground),
        *_attested(threshold, candidate, ground),
    ]
    found = compared(threshold, values, lambda: _lacking(requirement, candidate), spread=True)
    guess = needed_of(candidate, ground)
    if guess is None or guess.hours is None or not guess.guess or values:
        return (found,)
    open_point = guess.condition or _lacking(requirement, candidate)
    return (
        replace(
            found,
            need_low=guess.hours,
            need_high=guess.hours,
            need_shown=guess.hours,
            have_shown=threshold.figure,
            have_low=threshold.figure,
            have_high=threshold.figure,
            conditions=(open_point,),
        ),
    )


def _of_work(candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    """One reading a piece, so that two that differ stand side by side."""
    work = candidate.workload.work
    for name in dict.fromkeys(told.piece.value for told in work.measured) if work else ():
        alone = tuple(piece for piece in ground.pieces if piece.id == name)
        needed = needed_of(candidate, replace(ground, pieces=alone))
        if needed is not None and needed.hours is not None and not needed.guess:
            hours = needed.hours.named(f"{candidate.id}/work.hours.{name}", needed.hours.label)
            yield Value(piece=name, figure=hours, by=needed.by)


def _of_passes(
    requirement: Requirement, threshold: Threshold, candidate: Candidate, ground: Inquiry
) -> Iterator[Value]:
    """A recorded whole loop, as often as the work asks for it."""
    passes = requirement.figures.get("passes")
    for piece in ground.pieces if passes is not None else ():
        for run in piece.reading.runs:
            took = _took(piece, run)
            if passes is None or took is None or run.outcome != "success" or not run.whole_loop:
                continue
            hours = (passes * took).named(
                f"{took.id}.{requirement.id}",
                "hours of all passes, each as long as the recorded one",
            )
            covered = _covered(hours, threshold, candidate, piece, run, ground)
            if covered is not None:
                yield covered


def _covered(
    hours: Figure,
    threshold: Threshold,
    candidate: Candidate,
    piece: Piece,
    run: Run,
    ground: Inquiry,
) -> Value | None:
    """In the scope of a case: as large or larger where it keeps the limit, as large or smaller where not."""
    wrong = "larger" if hours.low > threshold.figure.low else "smaller"
    for case in candidate.workload.cases:
        ask = question(candidate, case)
        scope = joined(
            scope_of(ask, piece, run, "duration", ground), load_of(ask, piece, run, wrong, ground)
        )
        if scope.covers:
            beside = noted(ask, piece, run, "duration", ground)
            return Value(piece=piece.id, figure=hours, by=scope.by, noted=beside)
    return None


def _took(piece: Piece, run: Run) -> Figure | None:
    if run.duration_ns is None or run.pointer is None:
        return None
    value = Fraction(run.duration_ns, _NS)
    origin = Observed(
        pointer=run.pointer,
        counter="duration_ns",
        scope="process",
        stat="total",
        printed=f"{run.duration_ns} ns",
    )
    name = f"{piece.id}/{run.id}.duration"
    return Figure(
        low=value, high=value, unit=HOUR, origin=origin, id=name, label="duration of the whole loop"
    )


def _attested(threshold: Threshold, candidate: Candidate, ground: Inquiry) -> Iterator[Value]:
    """A document that reports the whole work, in the scope of every strict fact."""
    ask = question(candidate)
    for _, one in _measured.attested("duration", ground):
        scope = scope_of(ask, one.piece, None, "duration", ground)
        if scope.covers and not one.doubts:
            by = tuple(dict.fromkeys((*scope.by, *one.by)))
            yield Value(piece=one.piece.id, figure=one.figure, by=by)


def _lacking(requirement: Requirement, candidate: Candidate) -> Condition:
    most, passes = requirement.figures["at_most"], requirement.figures.get("passes")
    work = candidate.workload.work
    if passes is not None:
        what = f"record one pass of the whole loop ({number_text(passes.low)} are to be run)"
    elif work is not None:
        what = f"measure how many {work.of} a second are done"
    else:
        what = (
            "state the work (workload.work) and measure its throughput, or the passes of the loop"
        )
    text = f"{what} on {candidate.gpu} with this model, formats and engine"
    return _conditions.measured("duration", text, threshold=f"<= {figure_text(most)}")


MEMBER = Criterion(
    name="duration",
    title="Duration of the work",
    compare=compare,
    expects="result of a benchmark, record of the whole loop, or a document that reports the whole work",
    settles=(
        "hours computed from the counted work and a rate seen with this card, formats and engine, or from a "
        "recorded pass times the passes; within the limit admits, above it excludes, a stated time does neither"
    ),
    needs=(("at_most",),),
)
