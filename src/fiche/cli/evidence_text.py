"""What a file of evidence says, for a terminal: what happened, where, which figures, what is not said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.cli.evidence import Evidence
from fiche.cli.results_text import results_text
from fiche.cli.terminal import paragraph, table
from fiche.importers._vocabulary import QUANTITIES, observations
from fiche.kernel.address import Pointer
from fiche.kernel.piece import Failure, Observation, Printed, Reading, Run
from fiche.kernel.series import Series, series
from fiche.report.imported import decimal, place_of

_KINDS = {
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
_LABELS = {
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
_MEMORIES = {
    "device": "device memory",
    "unified": "unified memory",
    "host": "host memory",
    "on_chip": "on-chip memory",
}


def pieces_text(pieces: Sequence[Evidence]) -> str:
    """All files, one after the other."""
    return "\n".join("".join(_piece(piece)) for piece in pieces)


def _piece(piece: Evidence) -> Iterator[str]:
    reading = piece.reading
    yield paragraph(f"{piece.file}: {reading.kind}, {reading.shape}")
    yield f"  sha256 {piece.sha256}, {piece.num_bytes} bytes\n"
    for number, failure in enumerate(reading.failures, 1):
        yield from _failure(failure, number)
    if reading.duplicate_messages:
        yield f"  {reading.duplicate_messages} further message(s) repeat a failure above\n"
    yield from _runs(reading.runs)
    yield from _stated(reading)
    yield from _readings(observations(reading))
    yield from _readings(reading.planned, planned=True)
    yield from results_text(reading.results)
    if reading.not_observed:
        yield "\n"
    for text in reading.not_observed:
        where = place_of(text.pointer)
        yield paragraph(f"not evidence ({text.reason}), {where}: {text.text[:200]}", indent="  ")
    if reading.warnings:
        yield "\n"
    for warning in reading.warnings:
        yield paragraph(f"warning: {warning}", indent="  ")
    yield paragraph(_unsaid(reading.failures), indent="  ") if reading.failures else ""


def _failure(failure: Failure, number: int) -> Iterator[str]:
    where = failure.pointer.path or f"line {failure.pointer.line}"
    told = [_MEMORIES.get(failure.memory or "", ""), failure.backend or ""]
    told += [f"device {failure.device_index}"] if failure.device_index is not None else []
    told += [f"rank {failure.rank}"] if failure.rank is not None else []
    told += [failure.library] if failure.library else []
    words = ", ".join(word for word in told if word)
    yield "\n"
    yield paragraph(
        f"Failure {number}, {where}: {_KINDS[failure.message_kind]} ({words})", indent="  "
    )
    rows = [
        (_LABELS[name], *_quantity(failure.quantities[name]))
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
                    ", ".join(f"{name} {f.low}" for name, f in run.executed.items()) or "not told",
                )
                for run in told
            ],
            header=("run", "outcome", "ordering", "pass", "executed"),
            indent="  ",
        )


_TITLES = {
    False: "Measured, or reported by the program itself:",
    True: "Planned, not measured (budgets and estimates: nothing is compared with them):",
}


def _readings(seen: Sequence[Observation], *, planned: bool = False) -> Iterator[str]:
    """One row a counter that only time tells apart: its largest reading, and of how many."""
    if not seen:
        return
    yield "\n"
    yield paragraph(_TITLES[planned], indent="  ")
    rows = [_series_row(one) for one in series(("", each) for each in seen)]
    yield table(
        rows, header=("counter", "of", "as printed", "bytes", "place"), right=(2, 3), indent="    "
    )


def _series_row(one: Series) -> tuple[str, ...]:
    _, seen = one.largest
    words = [
        seen.phase or seen.label,
        *(f"{key} {seen.marks[key]}" for key in _SHOWN_MARKS if key in seen.marks),
    ]
    told = ", ".join(str(word) for word in words if word and word != seen.counter)
    stat = "" if seen.counter.endswith(f"{seen.stat}") else f", {seen.stat.replace('_', ' ')}"
    several = f"largest of {len(one.readings)}" if len(one.readings) > 1 else ""
    if several and one.constant:
        several = f"the same {len(one.readings)} times"
    if one.repeats:
        several += f"{', ' if several else ''}printed again {one.repeats} times"
    place = place_of(seen.pointer) + (f" ({several})" if several else "")
    return (
        f"{seen.counter}{stat}" + (f": {told}" if told else ""),
        _whose(seen),
        _printed(seen),
        _value(seen),
        place,
    )


_SHOWN_MARKS = ("step", "buffer", "process", "pid", "at_tokens")
_SCOPES = {
    "process_allocator": "allocator",
    "process": "process",
    "device": "whole device",
    "component": "one buffer",
    "host_process": "process, host memory",
    "host": "whole host",
}


def _whose(seen: Observation) -> str:
    """The scope, and whose it is: device, slice, rank."""
    told = [_SCOPES.get(seen.scope, seen.scope)]
    told += [f"device {seen.device_index}"] if seen.device_index is not None else []
    mig = seen.marks.get("mig")
    if isinstance(mig, dict):
        told.append("MIG " + " ".join(f"{key} {value}" for key, value in mig.items()))
    told += [f"rank {seen.rank}"] if seen.rank is not None else []
    return ", ".join(told)


def _printed(seen: Observation) -> str:
    if seen.value is not None:
        return seen.value.text
    return "" if seen.number is None else f"{decimal(seen.number)} {seen.unit}".strip()


def _value(seen: Observation) -> str:
    if seen.value is None:
        return "" if seen.number is not None else "not available"
    if seen.value.unavailable:
        return "not available"
    if seen.value.low == seen.value.high:
        return _bytes(seen.value.low)
    return f"{_bytes(seen.value.low)} to {_bytes(seen.value.high)}"


def _stated(reading: Reading) -> Iterator[str]:
    """What the file itself says of its scope, with the place of each fact."""
    if not (reading.facts or reading.capacities or reading.counters):
        return
    yield "\n"
    rows = [(path, fact.value, _place(fact.address)) for path, fact in reading.facts.items()]
    rows += [
        (
            f"total of device {'?' if one.device_index is None else one.device_index}",
            f"{one.value.text} {one.device_name}".strip(),
            place_of(one.pointer),
        )
        for one in reading.capacities
        if one.counter != "oom_total_capacity"
    ]
    rows += [(name, str(count), "") for name, count in reading.counters.items()]
    if rows:
        yield table(rows, header=("the file states", "", "place"), indent="  ")


def _place(address: object) -> str:
    return place_of(address) if isinstance(address, Pointer) else ""


def _unsaid(failures: Sequence[Failure]) -> str:
    """What a message of failure never says, and what these ones left out."""
    missing = [
        _LABELS[name]
        for name in ("requested", "total_capacity", "free", "process_in_use")
        if all(name not in failure.quantities for failure in failures)
    ]
    left_out = f" Not printed: {', '.join(missing)}." if missing else ""
    return (
        "Not said: in which phase it happened, and what a complete run would need. A failure is no need: "
        f"neither the size asked for, nor used plus asked.{left_out}"
    )
