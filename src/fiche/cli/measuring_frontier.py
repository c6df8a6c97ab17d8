"""`fiche measure --frontier`: trials in fresh processes until the bounds are as near as asked (C11)."""

from __future__ import annotations

import time

from fiche.cli.frontier_record import (
    CUT,
    MEMORY,
    OTHER,
    SUCCESS,
    Found,
    FrontierTrial,
    earlier_trials,
    environment_of,
    free_output,
    notes,
    outcome_of,
    summary,
    summary_path,
    write_summary,
)
from fiche.cli.measured_read import PhaseRow, measured_of, read_record, rows_of
from fiche.cli.measured_text import ended, peaks_of
from fiche.cli.measuring import (
    GATE,
    code_of,
    exists,
    nothing_measured,
    show_planned,
    stop_if_asked,
)
from fiche.cli.measuring_jobs import Asked, at_point, run_id
from fiche.cli.measuring_watch import watch_of
from fiche.cli.terminal import clean, paragraph, put_json, put_text, table
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record, replace
from fiche.measure.frontier import bracket, next_value
from fiche.measure.job import Job
from fiche.measure.trials import DONE, FAILED, REFUSED, STOPPED, Trial, run_trial

_ORDER = "by bisection; whole loop, first pass, each in a fresh process"
_MINUTE = 60.0


@record
class _Step:
    """What came of one trial: why the search stops there, empty where it goes on; the exit code."""

    trial: FrontierTrial
    stopped: str = ""
    because: str = ""
    code: int = 0


def search(what: Asked, *, resume: bool, dry_run: bool, json: bool) -> int:
    """Search, keeping every trial's record and a summary; the exit code.

    Raises:
        Refused: F520 nothing could be measured; F523 there are trials already, and nothing says to go
            on from them; F524 they are those of another plan.
    """
    if dry_run:
        ends = [_job(what, value, 0) for value in _ends(what)]
        return show_planned(what, ends, json=json)
    found = _begun(what, resume=resume)
    found, code = _searched(what, found)
    write_summary(what, found)
    _show(what, found, json=json)
    return code


def _ends(what: Asked) -> tuple[int, int]:
    _, extent = what.plan.searched
    return extent.low, extent.high


def _begun(what: Asked, *, resume: bool) -> Found:
    """What is there already: nothing, or with `resume` the trials of this very plan."""
    trials = earlier_trials(what)
    if not resume:
        there = [summary_path(what)] if summary_path(what).exists() else []
        there += [each.record for each in trials if each.record is not None]
        if there:
            hint = "say --resume to go on from them, or choose another name with --output"
            raise Refused([exists(there, hint)])
    return Found(trials=tuple(trials))


def _searched(what: Asked, found: Found) -> tuple[Found, int]:
    """Try value after value; after each trial the summary on disk is that of all so far."""
    plan, began, made = what.plan, time.monotonic(), 0
    _, extent = plan.searched
    end = None if plan.max_minutes is None else began + plan.max_minutes * _MINUTE
    while (value := next_value(extent, found.outcomes)) is not None:
        if plan.max_trials is not None and made >= plan.max_trials:
            return found.ended("max_trials", f"{made} trials were made, as many as allowed"), 0
        if end is not None and time.monotonic() >= end:
            return found.ended("max_minutes", "the minutes allowed are over"), 0
        step = _tried(what, value, len(found.trials), end)
        made += 1
        found = found.with_trial(step.trial)
        if step.stopped:
            return found.ended(step.stopped, step.because), step.code
        write_summary(what, found)
    return found.ended(*_why_done(what, found)), 0


def _tried(what: Asked, value: int, index: int, end: float | None) -> _Step:
    job = _job(what, value, index)
    seconds = None if end is None else max(0.0, end - time.monotonic())
    trial = run_trial(job, watch_of(job, index, 0), seconds)
    if trial.outcome == REFUSED:
        raise Refused([nothing_measured(trial)])
    stop_if_asked(trial)
    return _step(value, index, trial)


def _job(what: Asked, value: int, index: int) -> Job:
    job = at_point(what, value, 0, _ORDER)
    place = {**(job.plan or {}), "index": index}
    output = free_output(job.output)
    return replace(
        job, output=output, plan=place, ordering="whole_loop", run=run_id(what.job.output)
    )


def _step(value: int, index: int, trial: Trial) -> _Step:
    measured = measured_of(trial)
    one = FrontierTrial(
        value=value,
        outcome=outcome_of(measured.reading),
        record=trial.record,
        sha256=measured.sha256,
        environment=environment_of(measured.reading),
        index=index,
    )
    if trial.outcome == STOPPED:
        why = f"the minutes allowed ran out during the trial at {value}"
        return _Step(trial=one, stopped="max_minutes", because=why)
    if (trial.outcome, one.outcome) in ((DONE, SUCCESS), (FAILED, MEMORY)):
        return _Step(trial=one)
    why = f"the trial at {value} {ended(measured)}; that is no want of device memory and bounds nothing"
    kind = "other_failure" if trial.outcome == FAILED else "killed"
    return _Step(trial=one, stopped=kind, because=why, code=code_of(trial) or GATE)


def _why_done(what: Asked, found: Found) -> tuple[str, str]:
    """Why nothing of the range is left to try."""
    seen, (low, high) = bracket(found.outcomes), _ends(what)
    if seen.success is None:
        return "low_failed", f"{low} failed already; smaller values are outside the range"
    if seen.failure is None:
        return "high_succeeded", f"{high} works; larger values are outside the range"
    return "found", f"no further value lies between them at a step of {what.plan.searched[1].step}"


# --- Shown ----------------------------------------------------------------------------------------


def _show(what: Asked, found: Found, *, json: bool) -> None:
    if json:
        put_json(summary(what, found))
    else:
        put_text(clean(frontier_text(what, found)))


def frontier_text(what: Asked, found: Found) -> str:
    """The trials in their order, the bounds as an interval, why the search stopped, where it lies."""
    variable, extent = what.plan.searched
    heads, peaks = peaks_of([_succeeded(trial) for trial in found.trials])
    rows = [
        (str(t.value), _WORDS[t.outcome], *peak, "" if t.record is None else str(t.record))
        for t, peak in zip(found.trials, peaks, strict=True)
    ]
    step = f"{extent.step} ({'as asked' if what.plan.step_asked else '1/64 of the range'})"
    text = paragraph(
        f"Frontier of {variable.name} from {extent.low} to {extent.high}, step {step}. Each trial is the "
        "first pass of the whole loop in a fresh process."
    )
    header = (variable.name, "outcome", *heads, "record")
    text += "\n" + table(rows, header=header, right=(0, 2, 3), whole=(4,)) + "\n"
    text += paragraph(f"{_interval(found)} {found.because[0].upper()}{found.because[1:]}.")
    text += "".join(paragraph(f"Note: {note}.") for note in notes(found))
    return text + f"\nsummary: {summary_path(what)}\n" + _next(found)


def _succeeded(trial: FrontierTrial) -> tuple[PhaseRow, ...]:
    """The phases of a success; what a failed trial reached is no need, and none is shown."""
    if trial.outcome != SUCCESS or trial.record is None or not trial.record.is_file():
        return ()
    return rows_of(read_record(trial.record)[1])


_WORDS = {SUCCESS: "success", MEMORY: "no device memory", OTHER: "other failure", CUT: "cut"}


def _interval(found: Found) -> str:
    seen = bracket(found.outcomes)
    below = "no success was seen" if seen.success is None else f"largest success {seen.success}"
    above = "no failure above it was seen (open)"
    if seen.failure is not None:
        above = f"smallest failure{' above it' if seen.contrary else ''} {seen.failure}"
    return f"{below[0].upper()}{below[1:]}, {above}."


def _next(found: Found) -> str:
    records = [str(trial.record) for trial in found.trials if trial.record is not None]
    return f"next: fiche import {' '.join(records)} --to FICHE\n" if records else ""
