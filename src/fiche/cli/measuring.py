"""What `fiche measure` does: plan, run each job in a fresh process, show what was recorded."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fiche.cli.measured_read import Measured, measured_of
from fiche.cli.measuring_jobs import Asked, asked, jobs
from fiche.cli.measuring_watch import watch_of
from fiche.cli.terminal import clean, put_json, put_message, put_text
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.measure.job import Job
from fiche.measure.protocol.journal import journal_of
from fiche.measure.trials import (
    BROKEN,
    DONE,
    REFUSED,
    Trial,
    run_trial,
    written,
)

GATE = 3
_DEFECT = 1


def measure_asked(typed: Mapping[str, Any]) -> int:
    """Do what the options ask for; the exit code.

    Raises:
        Refused: F520 nothing could be measured; F523 a record exists; whatever is wrong with the options.
    """
    what = asked(typed)
    if what.plan.kind == "frontier":
        from fiche.cli.measuring_frontier import search

        return search(what, resume=typed["resume"], dry_run=typed["dry_run"], json=typed["json"])
    planned = jobs(what)
    if typed["dry_run"]:
        return show_planned(what, planned, json=typed["json"])
    refuse_existing(planned)
    trials = _run(planned)
    _show(what, [measured_of(trial) for trial in trials], json=typed["json"])
    return max(code_of(trial) for trial in trials)


def show_planned(what: Asked, planned: Sequence[Job], *, json: bool) -> int:
    """Say what would run, with the exact dimensions; nothing is measured or written."""
    from fiche.cli.measured_text import planned_json, planned_text

    try:
        declared = [dict(what.workload.build(job.options).declared) for job in planned]
    except ValueError as error:
        raise Refused([_wrong_value(error)]) from None
    if json:
        put_json(planned_json(what, planned, declared))
    else:
        put_text(clean(planned_text(what, planned, declared)))
    return 0


def _wrong_value(error: ValueError) -> Diagnostic:
    return Diagnostic(code="F521", message=str(error), address=None)


def refuse_existing(planned: Sequence[Job]) -> None:
    """No measurement is overwritten, and none is begun whose name is taken (C10).

    Raises:
        Refused: F523 a record or its journal exists.
    """
    paths = [path for job in planned for path in (written(job), journal_of(written(job)))]
    there = [path for path in paths if os.path.lexists(path)]
    if there:
        raise Refused([exists(there)])


_NO_OTHER = "choose another name with --output: a measurement is never overwritten"


def exists(there: Sequence[Path], hint: str = _NO_OTHER) -> Diagnostic:
    """F523, with the first of the files that are there."""
    more = f", and {len(there) - 1} more records do" if len(there) > 1 else ""
    message = f"{there[0]} exists already{more}"
    return Diagnostic(code="F523", message=message, address=None, hint=hint)


def _run(planned: Sequence[Job]) -> list[Trial]:
    """Every trial, also behind one that failed; the first one's refusal is that of all."""
    trials: list[Trial] = []
    for place, job in enumerate(planned):
        trial = run_trial(job, watch_of(job, place, len(planned)))
        stop_if_asked(trial)
        if trial.outcome == REFUSED and not trials:
            raise Refused([nothing_measured(trial)])
        trials.append(trial)
    return trials


def stop_if_asked(trial: Trial) -> None:
    """End as the one wants who asked for it, once the child has ended.

    Raises:
        KeyboardInterrupt: by Ctrl-C; another signal has its usual effect.
    """
    if trial.asked is None:
        return
    if trial.record is not None:
        put_message(f"{trial.record} holds what was finished")
    if trial.asked != signal.SIGINT:
        os.kill(os.getpid(), trial.asked)
    raise KeyboardInterrupt


def nothing_measured(trial: Trial) -> Diagnostic:
    """F520: what the child said, and what it left on the way to a full disk."""
    told = said(trial) or "the process that measures said nothing"
    kept = trial.record is not None and str(trial.record) not in told
    hint = f"{trial.record} holds the phases that finished" if kept else ""
    return Diagnostic(code="F520", message=told, address=None, hint=hint)


def said(trial: Trial) -> str:
    """The last line that the child said: its own sentence stands behind what libraries print."""
    lines = [line.strip() for line in trial.told.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def code_of(trial: Trial) -> int:
    """The exit code for one trial: a failed workload is a gate not met, its record kept (law 9)."""
    if trial.outcome == DONE:
        return 0
    if trial.outcome == BROKEN and trial.record is None:
        put_message(trial.told)
        return _DEFECT
    return GATE


def _show(what: Asked, measured: Sequence[Measured], *, json: bool) -> None:
    from fiche.cli.measured_text import measured_json, measured_text

    if json:
        put_json(measured_json(what, measured))
    else:
        put_text(clean(measured_text(what, measured)))
