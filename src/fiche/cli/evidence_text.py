"""What a file of evidence says, for a terminal: what happened, where, which figures, what is not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fiche.cli.documents_text import document_text
from fiche.cli.evidence import Evidence
from fiche.cli.levels_text import levels
from fiche.cli.readings_text import readings, set_aside, stated
from fiche.cli.redactions_text import redactions
from fiche.cli.results_text import results_text
from fiche.cli.simulation_lines import simulation_lines
from fiche.cli.snapshot_text import snapshot_lines
from fiche.cli.terminal import paragraph, table
from fiche.importers._vocabulary import QUANTITIES, observations
from fiche.kernel.fact import TENSORS
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Failure, Printed, Reading, Run
from fiche.render.visible import visible
from fiche.report.numbers import PAGE, elapsed

KINDS = {
    "allocator_oom": "an allocator could not get memory",
    "driver_oom": "the driver reported: out of memory, without figures",
    "library_alloc_failed": "a library could not allocate; the cause can be another one",
    "admission_check": "a program refused to start by its own arithmetic",
    "allocation_size_limit": "one request was larger than the platform permits",
    "process_killed": "the system killed the process",
    "kernel_resource_limit": "a kernel asked for more on-chip memory than there is",
    "oom_counter": "a counter of failures is above zero",
    "workload_error": "the workload failed, not for lack of memory",
}
LABELS = {
    "requested": "requested",
    "requested_at_least": "requested, at least",
    "total_capacity": "total of the device",
    "free": "free on the device",
    "process_in_use": "this process on the device",
    "allowed": "limit set for the process",
    "allocated": "allocated by the framework",
    "in_private_pools": "of it, in private pools",
    "reserved_unallocated": "reserved, not in use",
    "reserved_total": "reserved in total",
    "other_in_use": "outside the allocator",
}
MEMORIES = {
    "device": "device memory",
    "unified": "unified memory",
    "host": "host memory",
    "on_chip": "on-chip memory",
}


def pieces_text(pieces: Sequence[Evidence]) -> str:
    """All files, one after the other."""
    return "\n".join("".join(_piece(piece)) for piece in pieces)


def one_line_each(pieces: Sequence[Evidence]) -> str:
    """Many files: what each is, how many failures and figures it holds."""
    rows = [
        (
            visible(piece.file),
            piece.reading.kind,
            str(len(piece.reading.failures)),
            str(len(observations(piece.reading))),
        )
        for piece in pieces
    ]
    return table(rows, header=("file", "kind", "failures", "figures"), whole=(0,), right=(2, 3))


def _piece(piece: Evidence) -> Iterator[str]:
    reading = piece.reading
    joined = reading.further.get("joined_kinds", ())
    also = f", with lines of {', '.join(joined)}" if isinstance(joined, tuple) and joined else ""
    yield paragraph(f"{visible(piece.file)}: {reading.kind}, {reading.shape}{also}")
    yield f"  sha256 {piece.sha256}, {piece.num_bytes} bytes\n"
    if piece.redacted is not None:
        yield paragraph(f"redacted: {redactions(piece.redacted)}", indent="  ")
    if reading.kind == "torch_snapshot":
        yield from snapshot_lines(reading)
        yield from stated(reading)
    else:
        yield from _told(reading)
    if reading.warnings:
        yield "\n"
    for warning in reading.warnings:
        yield paragraph(f"warning: {warning}", indent="  ")
    yield paragraph(_unsaid(reading), indent="  ") if reading.failures else ""


def _told(reading: Reading) -> Iterator[str]:
    for number, failure in enumerate(reading.failures, 1):
        yield from _failure(failure, number)
    if reading.duplicate_messages:
        yield f"  {reading.duplicate_messages} further message(s) repeat a failure above\n"
    yield from _runs(reading.runs)
    yield from stated(reading)
    yield from readings(observations(reading))
    if reading.simulation is not None:
        yield from simulation_lines(reading.simulation)
    else:
        yield from readings(reading.planned, planned=True)
    yield from results_text(reading.results)
    yield from document_text(reading)
    yield from set_aside(reading.not_observed)


def _failure(failure: Failure, number: int) -> Iterator[str]:
    where = failure.pointer.path or f"line {failure.pointer.line}"
    told = [MEMORIES.get(failure.memory or "", ""), failure.backend or ""]
    told += [f"device {failure.device_index}"] if failure.device_index is not None else []
    told += [f"rank {failure.rank}"] if failure.rank is not None else []
    told += [failure.speaker] if failure.speaker else []
    told += [failure.library] if failure.library else []
    told += [failure.component] if failure.component else []
    words = ", ".join(word for word in told if word)
    yield "\n"
    yield paragraph(
        f"Failure {number}, {where}: {KINDS[failure.message_kind]} ({words})", indent="  "
    )
    rows = [
        (LABELS[name], *_quantity(failure.quantities[name]))
        for name in QUANTITIES
        if name in failure.quantities
    ]
    rows += [(f"process {p.pid}", *_quantity(p.in_use)) for p in failure.other_processes]
    if rows:
        yield table(
            rows, header=("", "as printed", "bytes, from", "to"), right=(1, 2, 3), indent="    "
        )
    if failure.recovered:
        yield "    the program went on afterwards\n"


def _quantity(value: Printed) -> tuple[str, str, str]:
    if value.unavailable:
        return value.text, "not available", ""
    return value.text, _bytes(value.low), _bytes(value.high)


def _bytes(count: int | None) -> str:
    return "open" if count is None else f"{count:,}".replace(",", " ")


def _runs(runs: Sequence[Run]) -> Iterator[str]:
    told = [run for run in runs if run.phases]
    if told:
        yield "\n"
        yield table(
            [
                (
                    run.id,
                    run.outcome,
                    "whole loop" if run.whole_loop else "phased",
                    "first pass" if run.first_pass else "later pass",
                    _executed(run),
                    _took(run),
                )
                for run in told
            ],
            header=("run", "outcome", "ordering", "pass", "executed", "took"),
            right=(5,),
            whole=(0,),
            indent="  ",
        )
    yield from levels(told)
    yield from _tensors(told)


def _executed(run: Run) -> str:
    """What was executed; where nobody tells, what was asked for stands there as just that (A3, C11)."""
    asked = _dimensions(run.declared)
    return _dimensions(run.executed) or (f"not told; asked for {asked}" if asked else "not told")


def _dimensions(named: Mapping[str, Figure]) -> str:
    return ", ".join(f"{name} {figure.low}" for name, figure in named.items())


def _took(run: Run) -> str:
    """The time between two synchronizations (C14)."""
    return "not told" if run.duration_ns is None else elapsed(run.duration_ns, PAGE)


def _tensors(runs: Sequence[Run]) -> Iterator[str]:
    """Shapes and dtypes as executed, each once, with the first run that saw it (A1, A3)."""
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        for path, fact in run.facts.items():
            if path.startswith(TENSORS):
                seen.setdefault((path.removeprefix(TENSORS), fact.value), run.id)
    if seen:
        yield "\n"
        rows = [(name, shape, first) for (name, shape), first in seen.items()]
        yield table(rows[:_MOST], header=("tensor", "as executed", "first in"), indent="  ")
        if len(rows) > _MOST:
            yield f"  and {len(rows) - _MOST} more: --json has all facts\n"


_MOST = 40


def _unsaid(reading: Reading) -> str:
    """What a message of failure never says, and what these ones left out; a record names its phase."""
    failures = reading.failures
    missing = [
        LABELS[name]
        for name in ("requested", "total_capacity", "free", "process_in_use")
        if all(name not in failure.quantities for failure in failures)
    ]
    left_out = f" Not printed: {', '.join(missing)}." if missing else ""
    told = any(run.outcome == "failure" and run.phases for run in reading.runs)
    where = "" if told else "in which phase it happened, and "
    return (
        f"Not said: {where}what a complete run would need. A failure is no need: "
        f"neither the size asked for, nor used plus asked.{left_out}"
    )
