"""Measurements in the terminal and for programs: planned ones, and what was recorded."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fiche.cli.load_rows import in_unit
from fiche.cli.measured_read import Measured, PhaseRow, cuda_or_xpu, name_of
from fiche.cli.measuring_jobs import Asked
from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Run
from fiche.kernel.record import field_names, replace
from fiche.measure.job import Job
from fiche.measure.trials import DONE, Trial
from fiche.report.numbers import elapsed, memory, memory_unit

_COUNTERS = ("allocated", "allocated_peak", "reserved", "reserved_peak")
_FEW = 2
_UNREAD = "not measured"
_SAME = ("name", "passed", "outcome", "device")


def duration(nanoseconds: int | None) -> str:
    """`12.3 ms`; a phase that was not timed says so."""
    return _UNREAD if nanoseconds is None else elapsed(nanoseconds)


# --- Planned --------------------------------------------------------------------------------------


def planned_text(what: Asked, planned: Sequence[Job], declared: Sequence[Mapping[str, Any]]) -> str:
    """One line a job: its record, its ordering and passes, its exact dimensions."""
    text = paragraph(f"Nothing is measured. {_would(what, len(planned))}")
    rows = [
        (Path(job.output).name, job.ordering.replace("_", " "), _passes(job), _dimensions(exact))
        for job, exact in zip(planned, declared, strict=True)
    ]
    header = ("record", "ordering", "passes", "dimensions")
    text += "\n" + table(rows, header=header, whole=(0,))
    first = planned[0]
    text += f"\ndevice: {first.device or 'the current one'}; empty_cache: {first.empty_cache}; "
    text += f"seed: {first.seed}; order: {first.order}\n"
    shared = {name: v for name, v in first.options.items() if name not in _varied(what)}
    if shared:
        text += f"options: {_dimensions(shared)}\n"
    return text + notes_text(what)


def _varied(what: Asked) -> tuple[str, ...]:
    return () if what.plan.variable is None else (what.plan.variable.name,)


def _would(what: Asked, count: int) -> str:
    name = what.workload.name
    if what.plan.kind == "frontier":
        return f"The search would try {name} in fresh processes at these two ends and then between them."
    return f"{count} fresh process{'' if count == 1 else 'es'} would run the workload {name}."


def _passes(job: Job) -> str:
    return f"first, {job.warmups} warm-up, {job.repeats} repeats"


def _dimensions(told: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in told.items())


def planned_json(
    what: Asked, planned: Sequence[Job], declared: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The jobs as their processes would be told, and their exact dimensions."""
    told = [
        {**job.json(), "declared": dict(exact)}
        for job, exact in zip(planned, declared, strict=True)
    ]
    return {
        "format": "fiche-measure-plan/1",
        "workload": what.workload.name,
        "notes": [*what.notes],
        "jobs": told,
    }


# --- Recorded -------------------------------------------------------------------------------------


def measured_text(what: Asked, measured: Sequence[Measured]) -> str:
    """A table of phases for one measurement, a line a record for a series, then the next step."""
    few = len(measured) <= _FEW
    text = "\n".join(map(_one, measured)) if few else _series(what, measured)
    return text + _cards_text(measured) + notes_text(what) + next_step(measured)


def _cards_text(measured: Sequence[Measured]) -> str:
    """Which card each device is by its own name, and what it declares: a capacity of this machine alone."""
    lines = dict.fromkeys(
        f"{cuda_or_xpu(reading)}:{one.device_index} is {one.device_name or 'a card without a name'}, "
        f"and declares {memory(one.value.low)} ({one.counter})."
        for each in measured
        if (reading := each.reading) is not None
        for one in reading.capacities
        if one.counter == "torch_total_memory" and one.value.low is not None
    )
    return "\n" + "".join(map(paragraph, lines)) if lines else ""


def notes_text(what: Asked) -> str:
    """What the fiche asks for and the records will leave open."""
    return "".join(paragraph(f"note: {note}") for note in what.notes)


def next_step(measured: Sequence[Measured]) -> str:
    """How the records come into a fiche."""
    records = [str(each.trial.record) for each in measured if each.trial.record is not None]
    if not records:
        return ""
    return f"\nnext: fiche import {' '.join(records)} --to FICHE\n"


def _one(measured: Measured) -> str:
    trial = measured.trial
    rows = measured.rows
    devices = _devices(rows)
    text = f"{trial.record or trial.job.output}: {trial.job.ordering.replace('_', ' ')}"
    text += f" on {devices[0]}" if len(devices) == 1 else ""
    text = paragraph(f"{text}, {ended(measured)}")
    return text + ("\n" + phase_table(rows) if rows else "")


def ended(measured: Measured) -> str:
    """How a trial ended, in a sentence."""
    trial = measured.trial
    if trial.outcome == DONE:
        return _phases_of(measured)
    why = _WHY.get(trial.outcome, _other)(measured)
    return why if trial.cut or trial.record is not None else f"{why}; no record"


def _phases_of(measured: Measured) -> str:
    return f"{measured.finished} phase{'' if measured.finished == 1 else 's'}"


def _failed(measured: Measured) -> str:
    run = measured.failed
    if run is None:
        return f"the workload failed outside its phases: {_last(measured.trial)}"
    failure = run.failure
    lines = failure.message.strip().splitlines() if failure is not None else []
    return f"{_failed_in(run)}: {lines[0][:300] if lines else 'no message'}"


def _failed_in(run: Run) -> str:
    failure = run.failure
    kind = " (device memory)" if failure is not None and failure.memory == "device" else ""
    return f"failed in {name_of(run)}{kind}"


def _killed(measured: Measured) -> str:
    name = _signal(-measured.trial.code)
    running = f" during {measured.unfinished}" if measured.unfinished else ""
    text = f"killed by {name}{running}"
    if measured.trial.cut:
        text += f"; the journal holds what finished before: {_phases_of(measured)}"
    return text


def _signal(number: int) -> str:
    """Its name; a system may send one that has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stopped(measured: Measured) -> str:
    return f"ended when its time was up, after {_phases_of(measured)}"


def _refused(measured: Measured) -> str:
    return f"refused: {_last(measured.trial)}"


def _other(measured: Measured) -> str:
    return f"ended with code {measured.trial.code}: {_last(measured.trial)}"


_WHY = {"failed": _failed, "killed": _killed, "stopped": _stopped, "refused": _refused}


def _last(trial: Trial) -> str:
    lines = [line.strip() for line in trial.told.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


def phase_table(rows: Sequence[PhaseRow]) -> str:
    """A row a phase, pass, outcome and device; several of one kind share it, with the largest of each counter.

    Allocated and reserved are two columns, never added (C3); current is the level at the end. A single
    device has no column: the line above names it, and the table fits 80 columns.
    """
    word, factor = _unit(rows)
    alike: dict[tuple[Any, ...], list[PhaseRow]] = {}
    for row in rows:
        alike.setdefault(tuple(getattr(row, name) for name in _SAME), []).append(row)
    grouped = [_largest(same) for same in alike.values()]
    several = len(_devices(rows)) > 1
    shown = [
        (
            *_told(row, times),
            *((row.device,) if several else ()),
            *_levels(row, factor),
            duration(row.duration_ns),
        )
        for row, times in grouped
    ]
    header = ("phase", "pass", "outcome", *(("device",) if several else ()), *_heads(word))
    first = len(header) - len(_COUNTERS)
    last = len(header)
    text = table(shown, header=(*header, "duration"), right=range(first, last + 1), whole=(last,))
    if any(times > 1 for _, times in grouped):
        text += "x N: the largest of N phases; the record holds each.\n"
    return text


def _devices(rows: Sequence[PhaseRow]) -> list[str]:
    """Those that were read; a phase without an end names none."""
    return [device for device in dict.fromkeys(row.device for row in rows) if device]


def _heads(word: str) -> tuple[str, ...]:
    return tuple(
        f"{name} {'peak' if peak else 'current'} ({word})"
        for name in ("allocated", "reserved")
        for peak in (False, True)
    )


def _unit(rows: Sequence[PhaseRow]) -> tuple[str, int]:
    most = max((getattr(row, name) or 0 for row in rows for name in _COUNTERS), default=0)
    word, factor = memory_unit(most, "GiB")
    return (word, factor) if factor > 1 else ("KiB", 1024)


def _largest(same: Sequence[PhaseRow]) -> tuple[PhaseRow, int]:
    largest = {name: _most(same, name) for name in (*_COUNTERS, "duration_ns")}
    return replace(same[0], **largest), len(same)


def _most(rows: Sequence[PhaseRow], name: str) -> int | None:
    return max((v for row in rows if (v := getattr(row, name)) is not None), default=None)


def _told(row: PhaseRow, times: int) -> tuple[str, ...]:
    name = f"{row.name} x {times}" if times > 1 else row.name
    outcome = "no end" if row.outcome == "unknown" else row.outcome
    return name, row.passed, outcome


def _levels(row: PhaseRow, factor: int) -> tuple[str, ...]:
    return tuple(_level(getattr(row, name), factor) for name in _COUNTERS)


def _level(value: int | None, factor: int) -> str:
    return _UNREAD if value is None else in_unit(value, factor)


def peaks_of(
    trials: Sequence[Sequence[PhaseRow]],
) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """The heads of two columns, allocated and reserved, and the peaks of each trial; empty without phases."""
    word, factor = _unit([row for rows in trials for row in rows])
    _, allocated, _, reserved = _heads(word)
    cells = [
        (
            _level(_most(rows, "allocated_peak"), factor) if rows else "",
            _level(_most(rows, "reserved_peak"), factor) if rows else "",
        )
        for rows in trials
    ]
    return (allocated, reserved), cells


def _series(what: Asked, measured: Sequence[Measured]) -> str:
    peaks, cells = peaks_of([each.rows for each in measured])
    head = _varied(what)
    shown = [
        (*(str(each.trial.job.options[name]) for name in head), *_summed_up(each, own))
        for each, own in zip(measured, cells, strict=True)
    ]
    header = (*head, "record", "ordering", *peaks, "ended")
    first = len(head)
    text = table(shown, header=header, right=(first + 2, first + 3), whole=(first,))
    text += "\nPeaks are the largest over all phases of a record, on its most used device.\n"
    failed = [each for each in measured if each.failed is not None]
    return text + "".join(paragraph(f"{_name(each)}: {ended(each)}") for each in failed)


def _name(each: Measured) -> str:
    return str(each.trial.record or each.trial.job.output)


def _summed_up(each: Measured, peaks: tuple[str, str]) -> tuple[str, ...]:
    trial = each.trial
    return (
        _name(each),
        trial.job.ordering.replace("_", " "),
        *(peak or _UNREAD for peak in peaks),
        "success" if trial.outcome == DONE else _shortly(each),
    )


def _shortly(each: Measured) -> str:
    """How it ended, without the message of a failure: that stands below the table."""
    return ended(each) if each.failed is None else _failed_in(each.failed)


def measured_json(what: Asked, measured: Sequence[Measured]) -> dict[str, Any]:
    """The same for programs: counters in bytes, null where one was not read."""
    return {
        "format": "fiche-measured/1",
        "unit": "B",
        "workload": what.workload.name,
        "notes": list(what.notes),
        "trials": [trial_json(each) for each in measured],
    }


def trial_json(measured: Measured) -> dict[str, Any]:
    """One trial: its record with its digest, how it ended, its phases."""
    trial = measured.trial
    return {
        "record": None if trial.record is None else str(trial.record),
        "sha256": measured.sha256 or None,
        "journal": trial.cut,
        "ordering": trial.job.ordering,
        "options": dict(trial.job.options),
        "outcome": trial.outcome,
        "ended": ended(measured),
        "phases": list(_phases(measured.rows)),
    }


def _phases(rows: Sequence[PhaseRow]) -> Iterator[dict[str, Any]]:
    for row in rows:
        yield {name: getattr(row, name) for name in field_names(row)}
