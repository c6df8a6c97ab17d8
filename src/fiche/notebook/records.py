"""A measurement record in a notebook: its phases as a table, observed and never more than that (C1 to C14)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Observation, Reading, Run
from fiche.kernel.readings import observed
from fiche.kernel.record import record
from fiche.load.folder import PIECE_LIMIT, UnreadableError, read_file
from fiche.notebook.markup import Told, block, heading, listed, table
from fiche.report.numbers import TERMINAL, elapsed, exact_bytes, fine

_COLUMNS = (
    ("allocated, peak", "max_memory_allocated", "peak"),
    ("reserved, peak", "max_memory_reserved", "peak"),
    ("process, peak", "process_device_used", "peak"),
)
_HEADER = ("phase", "pass", "outcome", "executed", "device")
_CAPTION = (
    "Observed. Allocated and reserved are two counters and are never added; a peak is the largest level of its "
    "phase, whatever was there at its start. A reading of one device describes no other."
)
_ABSENT = "not read"
_PARTIAL = "before it failed: no need"


def read_record(path: str | Path) -> Record:
    """Read a measurement record: a JSON document or a journal, packed or not.

    Args:
        path: the file; nothing of it is changed.

    Returns:
        The record: `phases`, `facts`, `warnings`; a notebook shows it as a table.

    Raises:
        Refused: it cannot be read (F318, F319), or its structure is wrong (F430 to F439).
    """
    try:
        content = read_file(Path(path), str(path), PIECE_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None
    sha256 = hashlib.sha256(content).hexdigest()
    return Record(name=Path(path).name, sha256=sha256, reading=MEMBER.read(content, sha256))


@record
class Record:
    """What one record says. `reading` is all of it, each value with its place in the file."""

    name: str
    sha256: str
    reading: Reading

    @property
    def phases(self) -> tuple[Run, ...]:
        """The phases in their order; one that never ended has the outcome `unknown`."""
        return self.reading.runs

    @property
    def facts(self) -> Mapping[str, str]:
        """What the record says of its scope, under the words of a fiche."""
        return {path: fact.value for path, fact in self.reading.facts.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must be told."""
        return self.reading.warnings

    def __repr__(self) -> str:
        """The same as `fiche import` prints."""
        from fiche.cli.evidence import Evidence
        from fiche.cli.evidence_text import pieces_text

        return pieces_text(
            [Evidence(file=self.name, sha256=self.sha256, num_bytes=0, reading=self.reading)]
        ).replace(", 0 bytes\n", "\n", 1)

    def _repr_html_(self) -> str:
        told = self.facts
        model = told.get("model.name", "workload not named")
        device = told.get("device", told.get("gpu", "device not named"))
        backend = " ".join(
            filter(None, (told.get("framework.name"), told.get("framework.version")))
        )
        policy = f"empty_cache {told['empty_cache']}" if "empty_cache" in told else ""
        below = ", ".join(filter(None, (device, backend, policy, f"sha256 {self.sha256[:12]}…")))
        kind = "xpu" if self.reading.backend == "xpu" else "cuda"
        header = (*_HEADER, *(name for name, _, _ in _COLUMNS), "duration")
        return block(
            heading(f"{self.name}: {model}", below),
            table(_CAPTION, header, [row for run in self.phases for row in _rows(run, kind)]),
            listed("Failures", [each.message for each in self.reading.failures]),
            listed("To know", self.warnings),
        )


def _rows(run: Run, kind: str) -> Iterator[tuple[Told, ...]]:
    """One row a device; one without a device where nothing was read."""
    devices = dict.fromkeys(_device(seen, kind) for seen in run.observations) or {"": None}
    for place, device in enumerate(devices):
        first = (
            Told(", ".join(run.phases), "whole loop" if run.whole_loop else "phased"),
            Told("first" if run.first_pass else "later"),
            Told(run.outcome, _checked(run)),
            Told(_executed(run)),
        )
        lead = first if place == 0 else (Told(""),) * len(first)
        here = [seen for seen in run.observations if _device(seen, kind) == device]
        peaks = [_peak(run, here, counter, stat) for _, counter, stat in _COLUMNS]
        yield (
            *lead,
            Told(device or "not said"),
            *peaks,
            _duration(run) if place == 0 else Told(""),
        )


def _device(seen: Observation, kind: str) -> str:
    """The device of the run, or what one rank of several calls it."""
    if seen.device_index is not None:
        return f"{kind}:{seen.device_index}"
    own = seen.marks.get("device")
    return "" if own is None else f"{own} of rank {seen.rank}"


def _checked(run: Run) -> str:
    return "output not checked" if run.output_check == "not_checked" else run.output_check


def _executed(run: Run) -> str:
    """Dimensions as they really ran, each with what it counts: said once where the name says it."""
    told = [
        f"{name} {figure.low}" + ("" if str(figure.unit) in name else f" {figure.unit}")
        for name, figure in run.executed.items()
    ]
    return ", ".join(told) or "not said"


def _peak(run: Run, here: Sequence[Observation], counter: str, stat: str) -> Told:
    seen = next((each for each in here if (each.counter, each.stat) == (counter, stat)), None)
    figure = None if seen is None else observed(seen, "")
    if figure is None:
        return Told(_ABSENT, is_number=True)
    below = exact_bytes(figure.low) if run.outcome == "success" else _PARTIAL
    return Told(f"{fine(figure, TERMINAL)} observed", below, is_number=True)


def _duration(run: Run) -> Told:
    if run.duration_ns is None:
        return Told(_ABSENT, is_number=True)
    return Told(elapsed(run.duration_ns), is_number=True)
