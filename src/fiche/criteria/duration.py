"""Duration: how many hours the whole work takes on this candidate (C14, D8).

From the work that the fiche counts and a throughput seen in scope; from a recorded pass of the whole loop and
how many passes the work is; or from a document that reports the whole of it. A stated rental time is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from fiche.criteria import _conditions, _measured
from fiche.criteria._attested_number import Threshold, Value, compared
from fiche.criteria._executed import load_of
from fiche.criteria._lost import lost
from fiche.criteria._measured import Asked, Reading
from fiche.criteria._scope import Scope, joined, noted, question, scope_of
from fiche.criteria._words import figure_text, number_text
from fiche.criteria._work import Needed, needed_of, rates_of
from fiche.criteria.throughput import counted, same_of
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Piece, Run
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import HOUR
from fiche.kernel.workload import Case

_NS = 3600 * 10**9


@record
class _Hours:
    """Hours that one piece shows: `scope` tells whether they answer for a case, `by` whose word they take."""

    value: Value
    scope: Callable[[Case | None], Scope]
    doubts: tuple[str, ...] = ()


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison a case, in hours: what was observed on this card and engine against the most."""
    threshold = Threshold(figure=requirement.figures["at_most"], at_least=False)
    told = [
        *_of_work(requirement, threshold, candidate, ground),
        *_of_passes(requirement, threshold, candidate, ground),
        *_attested(candidate, ground),
    ]
    guess = needed_of(candidate, ground)
    cases = _measured.cases_of(requirement, candidate)
    return tuple(
        _of_case(requirement, threshold, candidate, case, told, guess, ground) for case in cases
    )


def _of_case(
    requirement: Requirement,
    threshold: Threshold,
    candidate: Candidate,
    case: Case | None,
    told: list[_Hours],
    guess: Needed | None,
    ground: Inquiry,
) -> Comparison:
    values, short = [], []
    for one in told:
        scope = one.scope(case)
        why = (*one.doubts, *scope.short, *scope.contradicted)
        if why:
            short.append(
                tell(
                    "{piece} does not answer: {why}",
                    piece=one.value.piece,
                    why=listed(why[:3], "; "),
                )
            )
        else:
            by = tuple(dict.fromkeys((*one.value.by, *scope.by)))
            values.append(replace(one.value, by=by))
    lacking = _lacking(requirement, candidate, case, short)
    if (
        not told and guess is not None and guess.condition is not None
    ):  # it says why a rate does not count
        lacking = replace(guess.condition, topic=lacking.topic, threshold=lacking.threshold)
    found = compared(threshold, values, lambda: lacking, spread=True)
    found = replace(found, case="" if case is None else case.id)
    if values or guess is None or guess.hours is None or not guess.guess:
        return found
    return replace(
        found,
        need_low=guess.hours,
        need_high=guess.hours,
        need_shown=guess.hours,
        have_shown=threshold.figure,
        have_low=threshold.figure,
        have_high=threshold.figure,
        conditions=(guess.condition or lacking,),
    )


def _of_work(
    requirement: Requirement, threshold: Threshold, candidate: Candidate, ground: Inquiry
) -> Iterator[_Hours]:
    """One reading a result that the work names, so that two that differ stand side by side."""
    work = candidate.workload.work
    for place, told in enumerate(work.measured if work is not None else (), 1):
        assert work is not None
        alone = replace(work, measured=(told,), assumed=None)
        asked = replace(candidate, workload=replace(candidate.workload, work=alone))
        needed = needed_of(asked, ground)
        if needed is None or needed.hours is None:
            continue
        (piece,) = (one for one in ground.pieces if one.id == told.piece.value)
        ((_, result),) = rates_of(piece, told, work)
        hours = needed.hours.named(f"{candidate.id}/work.hours.{place}", needed.hours.label)
        one = Reading(piece=piece, figure=hours, text="", result=result)
        yield _Hours(
            value=Value(piece=piece.id, figure=hours, by=needed.by),
            scope=_under(one, requirement, threshold, candidate, ground),
            doubts=tuple(lost(piece, result)),
        )


def _under(
    one: Reading,
    requirement: Requirement,
    threshold: Threshold,
    candidate: Candidate,
    ground: Inquiry,
) -> Callable[[Case | None], Scope]:
    """The load that a rate was seen under against a case's, as for a throughput that is asked for."""
    same = same_of(counted(one.result)) if one.result is not None else frozenset()

    def scope(case: Case | None) -> Scope:
        asked = Asked(
            criterion="duration",
            candidate=candidate,
            case=case,
            threshold=threshold,
            what="",
            said="",
            load=_measured.load_of(requirement, case),
            equal=same,
        )
        return _measured.executed(asked, one, ground)

    return scope


def _of_passes(
    requirement: Requirement, threshold: Threshold, candidate: Candidate, ground: Inquiry
) -> Iterator[_Hours]:
    """A recorded whole loop, as often as the work asks for it."""
    passes = requirement.figures.get("passes")
    for piece in ground.pieces if passes is not None else ():
        for run in piece.reading.runs:
            took = _took(piece, run)
            if passes is None or took is None or run.outcome != "success" or not run.whole_loop:
                continue
            hours = (passes * took).named(
                f"{took.id}.{requirement.id}",
                tell("hours of all passes, each as long as the recorded one"),
            )
            beside = noted(question(candidate), piece, run, "duration", ground)
            yield _Hours(
                value=Value(piece=piece.id, figure=hours, noted=beside),
                scope=_executed(hours, threshold, candidate, piece, run, ground),
            )


def _executed(
    hours: Figure,
    threshold: Threshold,
    candidate: Candidate,
    piece: Piece,
    run: Run,
    ground: Inquiry,
) -> Callable[[Case | None], Scope]:
    """Of a case: as large or larger where it keeps the limit, as large or smaller where not."""
    wrong = "larger" if hours.low > threshold.figure.low else "smaller"

    def scope(case: Case | None) -> Scope:
        ask = question(candidate, case)
        facts = scope_of(ask, piece, run, "duration", ground)
        return joined(facts, load_of(ask, piece, run, wrong, ground))

    return scope


def _took(piece: Piece, run: Run) -> Figure | None:
    if run.duration_ns is None or run.pointer is None:
        return None
    value = Fraction(run.duration_ns, _NS)
    origin = Observed(
        pointer=run.pointer,
        counter="duration_ns",
        scope="process",
        stat="total",
        printed=tell("{duration_ns} ns", duration_ns=run.duration_ns),
    )
    name = f"{piece.id}/{run.id}.duration"
    return Figure(
        low=value,
        high=value,
        unit=HOUR,
        origin=origin,
        id=name,
        label=tell("duration of the whole loop"),
    )


def _attested(candidate: Candidate, ground: Inquiry) -> Iterator[_Hours]:
    """A document that reports the whole work, in the scope of every strict fact."""
    ask = question(candidate)
    for _, one in _measured.attested("duration", ground):
        facts = scope_of(ask, one.piece, None, "duration", ground)
        value = Value(piece=one.piece.id, figure=one.figure, by=one.by)
        yield _Hours(value=value, scope=_of_all(facts), doubts=one.doubts)


def _of_all(scope: Scope) -> Callable[[Case | None], Scope]:
    """The whole work is of every case."""
    return lambda case: scope


def _lacking(
    requirement: Requirement, candidate: Candidate, case: Case | None, short: list[str]
) -> Condition:
    most, passes = requirement.figures["at_most"], requirement.figures.get("passes")
    work = candidate.workload.work
    if passes is not None:
        what = tell(
            "record one pass of the whole loop ({passes} are to be run)",
            passes=number_text(passes.low),
        )
    elif work is not None:
        what = tell("measure how many {of} a second are done", of=work.of)
    else:
        what = tell(
            "state the work (workload.work) and measure its throughput, or the passes of the loop"
        )
    under = tell(" under the load of case '{case}'", case=case.id) if case is not None else ""
    near = (
        tell(" ({short})", short=min(short, key=lambda text: (text.count(";"), text)))
        if short
        else ""
    )
    text = tell(
        "{what} on {gpu} with this model, formats and engine{under}{near}",
        what=what,
        gpu=candidate.gpu,
        under=under,
        near=near,
    )
    return _conditions.measured(
        "duration", text, threshold=tell("<= {most}", most=figure_text(most))
    )


MEMBER = Criterion(
    name="duration",
    title=tell("Duration of the work"),
    compare=compare,
    expects=tell(
        "result of a benchmark, record of the whole loop, or a document that reports the whole work"
    ),
    settles=tell(
        "hours computed from the counted work and a rate seen with this card, formats and engine under the "
        "case's load, or from a recorded pass times the passes; within the limit admits, above it excludes, a "
        "stated time does neither"
    ),
    needs=(("at_most",),),
)
