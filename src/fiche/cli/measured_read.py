"""What a trial left, read back by the same importer as anybody's record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from fiche.importers import fiche_record
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Reading, Run
from fiche.kernel.record import record
from fiche.measure.trials import Trial

_COUNTERS = {
    ("memory_allocated", "current"): "allocated",
    ("max_memory_allocated", "peak"): "allocated_peak",
    ("memory_reserved", "current"): "reserved",
    ("max_memory_reserved", "peak"): "reserved_peak",
}


@record
class PhaseRow:
    """One phase on one device: four counters in bytes, None where one was not read (C2, C9)."""

    name: str
    passed: str
    outcome: str
    device: str
    duration_ns: int | None
    allocated: int | None = None
    allocated_peak: int | None = None
    reserved: int | None = None
    reserved_peak: int | None = None


@record
class Measured:
    """A trial and its record: `reading` is None where there is none, or none that can be read."""

    trial: Trial
    sha256: str = ""
    reading: Reading | None = None

    @property
    def rows(self) -> tuple[PhaseRow, ...]:
        """Phases in their order, a row a device."""
        return rows_of(self.reading)

    @property
    def failed(self) -> Run | None:
        """The first phase that failed."""
        runs = () if self.reading is None else self.reading.runs
        return next((run for run in runs if run.outcome == "failure"), None)

    @property
    def finished(self) -> int:
        """How many phases came to an end."""
        runs = () if self.reading is None else self.reading.runs
        return sum(run.outcome != "unknown" for run in runs)

    @property
    def unfinished(self) -> str:
        """The phase that began and has no end; empty where each has one."""
        runs = () if self.reading is None else self.reading.runs
        return next((name_of(run) for run in runs if run.outcome == "unknown"), "")


def measured_of(trial: Trial) -> Measured:
    """Read the record of a trial; a journal cut before its first line is whole tells nothing."""
    if trial.record is None:
        return Measured(trial=trial)
    content = trial.record.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    return Measured(trial=trial, sha256=sha256, reading=_reading(content, sha256))


def _reading(content: bytes, sha256: str) -> Reading | None:
    try:
        return fiche_record.read(content, sha256)
    except Refused:
        return None


def read_record(path: Path) -> tuple[str, Reading | None]:
    """The digest of a file, and what it says as a record; None where it is none."""
    content = path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    return sha256, _reading(content, sha256)


def name_of(run: Run) -> str:
    """The name of the phase, or of the whole loop."""
    return run.id.rpartition(".")[2]


def rows_of(reading: Reading | None) -> tuple[PhaseRow, ...]:
    """Phases in their order, a row a device; none where there is no reading."""
    return () if reading is None else tuple(_rows(reading))


def cuda_or_xpu(reading: Reading) -> str:
    """How PyTorch calls the devices of a record; ROCm's are `cuda` too."""
    return "xpu" if reading.backend == "xpu" else "cuda"


def _rows(reading: Reading) -> Iterator[PhaseRow]:
    kind = cuda_or_xpu(reading)
    for run in reading.runs:
        levels: dict[int | None, dict[str, int | None]] = {}
        for seen in run.observations:
            device = levels.setdefault(seen.device_index, {})
            column = _COUNTERS.get((seen.counter, seen.stat))
            if column is not None and seen.value is not None:
                device[column] = seen.value.value
        for index, device in (levels or {None: {}}).items():
            yield PhaseRow(
                name=name_of(run),
                passed="first" if run.first_pass else "later",
                outcome=run.outcome,
                device="" if index is None else f"{kind}:{index}",
                duration_ns=run.duration_ns,
                **device,
            )
