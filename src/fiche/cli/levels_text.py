"""What each phase of a record held, on a terminal: the allocator's two counters in columns apart (C3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.cli.load_rows import in_unit
from fiche.cli.terminal import paragraph, table
from fiche.kernel.piece import Observation, Run
from fiche.report.numbers import memory_unit

_COLUMNS = (
    ("allocated peak", "max_memory_allocated", "peak"),
    ("allocated at end", "memory_allocated", "current"),
    ("reserved peak", "max_memory_reserved", "peak"),
    ("reserved at end", "memory_reserved", "current"),
    ("process peak", "process_device_used", "peak"),
)
_KNOWN = {(counter, stat): name for name, counter, stat in _COLUMNS}
_ABSENT = "not read"
_SAID = "Allocated and reserved are two counters of the allocator and are never added; a process holds more."
_FAILED = "What a failed phase reached is no need."


def levels(runs: Sequence[Run]) -> Iterator[str]:
    """A row a phase and device; nothing where no phase tells a counter of the allocator."""
    rows = [(run, device, read) for run in runs for device, read in _devices(run).items()]
    if not rows:
        return
    most = max(value for _, _, read in rows for value in read.values())
    word, factor = memory_unit(most)
    shown = [
        (
            run.id,
            device,
            *(in_unit(read[name], factor) if name in read else _ABSENT for name, *_ in _COLUMNS),
        )
        for run, device, read in rows
    ]
    heads = [f"{name} ({word})" for name, *_ in _COLUMNS]
    yield "\n"
    yield table(shown, header=("run", "device", *heads), right=range(2, 7), whole=(0,), indent="  ")
    failed = any(run.outcome == "failure" for run, _, _ in rows)
    yield paragraph(f"{_SAID} {_FAILED}" if failed else _SAID, indent="  ")


def _devices(run: Run) -> dict[str, dict[str, int]]:
    """The bytes of each column, by device."""
    found: dict[str, dict[str, int]] = {}
    for seen in run.observations:
        name = _KNOWN.get((seen.counter, seen.stat))
        value = None if seen.value is None else seen.value.value
        if name is not None and value is not None:
            found.setdefault(_device(seen), {})[name] = value
    return found


def _device(seen: Observation) -> str:
    own = seen.marks.get("device")
    if seen.device_index is None and own is not None:
        return f"{own} of rank {seen.rank}"
    return "not named" if seen.device_index is None else f"device {seen.device_index}"
