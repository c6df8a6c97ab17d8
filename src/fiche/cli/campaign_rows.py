"""The rows of a campaign's comparison table (F5): one a phase, a device and a trial, read from records.

What was not observed leaves its cell empty, never 0 (C2). Allocated and reserved have their own columns,
peaks and levels too, and no row holds a reading of another device (C3, C4, C9).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from fiche.cli.skeleton import COLUMNS
from fiche.importers.fiche_record import read
from fiche.kernel.campaign import Campaign
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Observation, Reading, Run
from fiche.kernel.record import record
from fiche.measure.campaign.drive import Standing
from fiche.measure.campaign.folder import DONE, FAILED, INTERRUPTED, LIVING, REFUSED, Try
from fiche.measure.campaign.work import records

_READINGS = {
    ("max_memory_allocated", "peak"): "allocated_peak_bytes",
    ("memory_allocated", "current"): "allocated_current_bytes",
    ("max_memory_reserved", "peak"): "reserved_peak_bytes",
    ("memory_reserved", "current"): "reserved_current_bytes",
}
_EXECUTED = "executed_"
_DIMENSIONS = {name.removeprefix(_EXECUTED): name for name in COLUMNS if name.startswith(_EXECUTED)}
_SIDES = ("image_width", "image_height")
_OUTCOMES = {FAILED: "failure", REFUSED: "refused", INTERRUPTED: "unknown"}
_ENDED = {FAILED: "failed", REFUSED: "was refused", INTERRUPTED: "was interrupted"}
_WHOLE = "whole loop"


@record(eq=False)
class Row:
    """One row: its cells by column, the job it belongs to, the record it was read from and its digest."""

    job: str
    cells: Mapping[str, str]
    piece: str = ""
    sha256: str = ""


def rows(campaign: Campaign, stand: Iterable[Standing], output: Path) -> Iterator[Row]:
    """Every row of a campaign, job by job and try by try."""
    for one in stand:
        for tried in one.tries:
            if tried.state not in LIVING:
                yield from _of_try(campaign, one, tried, output)


def table_csv(found: Iterable[Row]) -> str:
    """The table with exactly the columns of the empty one."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([row.cells.get(name, "") for name in COLUMNS] for row in found)
    return out.getvalue()


def _of_try(campaign: Campaign, one: Standing, tried: Try, output: Path) -> Iterator[Row]:
    job = one.job
    always = {
        "candidate": campaign.candidate,
        "case": job.case,
        "machine": tried.host,
        "changed_variable": ", ".join(f"{name}={value}" for name, value in job.changed_shown),
    }
    where = [f"repeat {job.repetition}"] if campaign.repeat_process > 1 else []
    where += [f"try {tried.number}"] if tried.number > 1 else []
    where += [f"the job {_ENDED[tried.state]}"] if tried.state != DONE else []
    seen = False
    for path in records(tried.folder):
        seen = True
        inside = path.relative_to(tried.folder).as_posix()
        noted = tried.records.get(inside)
        yield from _of_record(job.id, always, where, path, _printable(path, output), noted)
    if not seen:
        notes = "; ".join((*where, tried.message))
        cells = {**always, "outcome": _OUTCOMES.get(tried.state, ""), "notes": notes}
        yield Row(job=job.id, cells=cells)


def _printable(path: Path, output: Path) -> str:
    """A name that any file can hold: what is no text in it is escaped."""
    return path.relative_to(output).as_posix().encode("utf-8", "backslashreplace").decode()


def _of_record(
    job: str,
    always: Mapping[str, str],
    where: Sequence[str],
    path: Path,
    name: str,
    noted: str | None,
) -> Iterator[Row]:
    try:
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        reading = read(content, digest)
    except (OSError, Refused) as error:
        why = error.diagnostics[0].message if isinstance(error, Refused) else error.strerror
        notes = "; ".join((*where, f"this record cannot be read: {why}"))
        yield Row(job=job, cells={**always, "piece": name, "notes": notes}, piece=name)
        return
    changed = noted not in (None, "", digest)
    told_of = [*where, "this record was changed after the job noted it"] if changed else where
    for run in reading.runs:
        for cells in _of_run(reading, run, told_of):
            told = {**always, **{key: value for key, value in cells.items() if value}}
            yield Row(job=job, cells={**told, "piece": name}, piece=name, sha256=digest)


def _of_run(reading: Reading, run: Run, where: Sequence[str]) -> Iterator[dict[str, str]]:
    dimensions, others = _executed(run)
    notes = [*where, *others]
    if run.failure is not None:
        notes.append(run.failure.message.partition("\n")[0])
    cells = {
        "phase": _phase(run),
        "first_or_later_pass": "" if run.outcome == "unknown" else _pass(run),
        **dimensions,
        "outcome": run.outcome,
        "output_check": run.output_check,
        "duration_s": _seconds(run.duration_ns),
        "notes": "; ".join(each for each in notes if each),
        "machine": _fact(run, "machine"),
    }
    by_device = _by_device(run.observations)
    for index, levels in by_device.items():
        yield {**cells, **levels, "device_index": str(index), "gpu": _gpu(reading, run, index)}
    if not by_device:
        yield {**cells, "gpu": _fact(run, "gpu")}


def _phase(run: Run) -> str:
    """A whole loop is never mistaken for a phase: its name says what it covers (C8)."""
    covered = ", ".join(run.phases)
    return (f"{_WHOLE}: {covered}" if covered else _WHOLE) if run.whole_loop else covered


def _pass(run: Run) -> str:
    return "first" if run.first_pass else "later"


def _executed(run: Run) -> tuple[dict[str, str], list[str]]:
    """Dimensions that have a column, and the others in words: none is lost."""
    counts = {name: str(int(figure.low)) for name, figure in run.executed.items()}
    if all(side in counts for side in _SIDES):
        width, height = (int(counts[side]) for side in _SIDES)
        counts.setdefault("image_pixels", str(width * height))
    told = {column: counts[name] for name, column in _DIMENSIONS.items() if name in counts}
    return told, [f"{name} {n}" for name, n in counts.items() if name not in _DIMENSIONS]


def _by_device(seen: Iterable[Observation]) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    for each in seen:
        if each.device_index is None:
            continue
        levels = found.setdefault(each.device_index, {})
        column = _READINGS.get((each.counter, each.stat))
        if column and each.value is not None and each.value.value is not None:
            levels[column] = str(each.value.value)
    return found


def _gpu(reading: Reading, run: Run, index: int) -> str:
    """The card's id in a catalog if the record has one, else as its own software prints it."""
    printed = (c.device_name for c in reading.capacities if c.device_index == index)
    return _fact(run, "gpu") or next(printed, "")


def _fact(run: Run, key: str) -> str:
    return str(run.facts[key].value) if key in run.facts else ""


def _seconds(nanoseconds: int | None) -> str:
    if nanoseconds is None:
        return ""
    whole, rest = divmod(nanoseconds, 10**9)
    return f"{whole}.{rest:09d}"
