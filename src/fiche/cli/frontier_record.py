"""The trials of a frontier on disk: found again, judged by their records, listed in a summary (C11)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fiche.cli.measured_read import read_record
from fiche.cli.measuring_jobs import Asked, between
from fiche.cli.measuring_plan import digest
from fiche.cli.output import write_file
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.piece import Reading
from fiche.kernel.record import record, replace
from fiche.measure.frontier import bracket
from fiche.measure.protocol.journal import journal_of

FORMAT = "fiche-frontier/1"
SUCCESS, MEMORY, OTHER, CUT = "success", "device_memory", "other_failure", "cut"
UNFINISHED = "unfinished"
_SAME_MACHINE = ("framework.name", "framework.version", "driver", "device", "devices.0.uuid")


@record
class FrontierTrial:
    """One trial: its value, how it went, its record and the digest of that.

    `outcome`: success, device_memory (a failure for want of it), other_failure, cut (no end is known).
    """

    value: int
    outcome: str
    record: Path | None
    sha256: str = ""
    environment: tuple[str, ...] = ()
    index: int = 0


@record
class Found:
    """The trials so far in their order, and why the search stopped."""

    trials: tuple[FrontierTrial, ...] = ()
    stopped: str = UNFINISHED
    because: str = "the search has not come to its end"

    @property
    def outcomes(self) -> list[tuple[int, bool]]:
        """What bounds the search: successes, and failures for want of device memory only."""
        return [
            (t.value, t.outcome == SUCCESS) for t in self.trials if t.outcome in (SUCCESS, MEMORY)
        ]

    def with_trial(self, trial: FrontierTrial) -> Found:
        """One trial more."""
        return replace(self, trials=(*self.trials, trial))

    def ended(self, stopped: str, because: str) -> Found:
        """The same, come to an end."""
        return replace(self, stopped=stopped, because=because)


def outcome_of(reading: Reading | None) -> str:
    """How a trial went, by its record alone."""
    if reading is None or not reading.runs or any(r.outcome == "unknown" for r in reading.runs):
        return CUT
    if reading.shape == "journal":
        return CUT
    failures = [run.failure for run in reading.runs if run.outcome == "failure"]
    if not failures:
        return SUCCESS
    starved = all(failure is not None and failure.memory == "device" for failure in failures)
    return MEMORY if starved else OTHER


def environment_of(reading: Reading | None) -> tuple[str, ...]:
    """What has to stay the same over a search: program, driver, device."""
    facts = {} if reading is None else reading.facts
    return tuple(str(facts[name].value) for name in _SAME_MACHINE if name in facts)


# --- Files ----------------------------------------------------------------------------------------


def summary_path(what: Asked) -> Path:
    """`m.frontier.json` beside the trials."""
    return between(Path(what.job.output), "frontier")


def free_output(output: str) -> str:
    """The first name that no trial has: a value is tried again where the first try was cut."""
    path, number = Path(output), 1
    while _taken(path):
        number += 1
        path = between(Path(output), str(number))
    return str(path)


def _taken(path: Path) -> bool:
    return os.path.lexists(path) or os.path.lexists(journal_of(path))


def earlier_trials(what: Asked) -> list[FrontierTrial]:
    """Trials of this search that lie there already, in their order.

    Raises:
        Refused: F524 one of them, or the summary, is that of another plan.
    """
    wanted = digest(what.job, what.plan)
    found, wrong = [], []
    for path, value in _candidates(what):
        plan = _plan(path)
        if plan is not None and plan.get("digest") != wanted:
            wrong.append(path)
            continue
        sha256, reading = read_record(path)
        index = (plan or {}).get("index", 0)
        found.append(
            FrontierTrial(
                value=value,
                outcome=outcome_of(reading),
                record=path,
                sha256=sha256,
                environment=environment_of(reading),
                index=index,
            )
        )
    if _other_summary(summary_path(what), wanted):
        wrong.append(summary_path(what))
    if wrong:
        raise Refused(_of_another_plan(path) for path in wrong)
    return sorted(found, key=lambda trial: trial.index)


def _candidates(what: Asked) -> Iterator[tuple[Path, int]]:
    """Documents and journals by their names, the document of a trial that has both."""
    output, (variable, _) = Path(what.job.output), what.plan.searched
    stem = re.escape(f"{output.stem}.{variable.name.replace('_', '-')}-")
    form = re.compile(rf"{stem}([0-9]+)(\.[0-9]+)?{re.escape(output.suffix)}(\.journal)?")
    for path in sorted(output.parent.glob("*")) if output.parent.is_dir() else ():
        read = form.fullmatch(path.name)
        if read is None or not path.is_file():
            continue
        if read[3] is None or not path.with_name(path.name.removesuffix(".journal")).exists():
            yield path, int(read[1])


def _plan(path: Path) -> dict[str, Any] | None:
    """The plan in a document, or in the first line of a journal; None where that line is cut."""
    text = path.read_bytes()
    if path.suffix == ".journal":
        text = text.split(b"\n", 1)[0]
    try:
        plan = json.loads(text)["series"]["plan"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None if path.suffix == ".journal" else {}
    return plan if isinstance(plan, dict) else {}


def _other_summary(path: Path, wanted: str) -> bool:
    if not path.is_file():
        return False
    try:
        told = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return True
    return not isinstance(told, dict) or told.get("digest") != wanted


def _of_another_plan(path: Path) -> Diagnostic:
    message = f"{path} was measured under another plan, or under none"
    hint = "repeat the options of that search exactly, or choose another name with --output"
    return Diagnostic(code="F524", message=message, address=None, hint=hint)


# --- Summary --------------------------------------------------------------------------------------


def summary(what: Asked, found: Found) -> dict[str, Any]:
    """The bounds reached, each trial with its record, and what the reader must know."""
    plan, seen = what.plan, bracket(found.outcomes)
    variable, extent = plan.searched
    return {
        "format": FORMAT,
        "digest": digest(what.job, plan),
        "variable": variable.name,
        "range": {
            "low": extent.low,
            "high": extent.high,
            "step": extent.step,
            "step_by": "asked" if plan.step_asked else "default",
        },
        "workload": what.workload.name,
        "options": dict(what.job.options),
        "ordering": "whole_loop",
        "pass": "first",
        "largest_success": seen.success,
        "smallest_failure_above": seen.failure,
        "contrary_failures": list(seen.contrary),
        "stopped": found.stopped,
        "because": found.because,
        "notes": list(notes(found)),
        "trials": [_trial(trial) for trial in found.trials],
    }


def _trial(trial: FrontierTrial) -> dict[str, Any]:
    told: dict[str, Any] = {"value": trial.value, "outcome": trial.outcome}
    if trial.record is not None:
        told |= {"record": trial.record.name, "sha256": trial.sha256}
    return told


def notes(found: Found) -> Iterator[str]:
    """What speaks against taking the bounds as one line (C11), or the trials as one series (C7)."""
    seen = bracket(found.outcomes)
    if seen.contrary:
        values = ", ".join(map(str, seen.contrary))
        yield (
            f"not monotone: {values} failed for want of device memory although {seen.success} worked; "
            "the bounds hold for these trials, not for every value between them"
        )
    environments = {trial.environment for trial in found.trials if trial.environment}
    if len(environments) > 1:
        told = "; ".join(sorted(", ".join(each) for each in environments))
        yield f"the trials ran in different environments: {told}"
    cut = [str(trial.value) for trial in found.trials if trial.outcome == CUT]
    if cut:
        yield f"cut before its end, and no bound: the trial at {', '.join(cut)}"
    other = [str(trial.value) for trial in found.trials if trial.outcome == OTHER]
    if other:
        yield f"failed for another reason, and no bound: the trial at {', '.join(other)}"


def write_summary(what: Asked, found: Found) -> Path:
    """Write the summary whole in the place of the last one; it is no measurement.

    Raises:
        Refused: F611 it cannot be written.
    """
    path = summary_path(what)
    content = json.dumps(summary(what, found), indent=1, ensure_ascii=True) + "\n"
    write_file(path, content.encode("ascii"), force=True)
    return path
