"""fiche's own measurement record, `fiche-measurement/1`: one JSON document, or a journal of lines.

What is absent stays absent (C2). Each phase is a run; only the un-phased loop is a whole one (C8).
Readings, per device and phase, under their counters' own names:

    start, end    memory_allocated, memory_reserved                 process_allocator
    peak          max_memory_allocated, max_memory_reserved         process_allocator
    process       process_device_used (start, peak, sampled_max, current)      process
    outside       outside_allocator (its stat as recorded)                     process
    others, free  other_processes_used, device_free                             device

What a failed phase reached before it failed is shown as observed; `outcome` keeps it from every need (C11).
One rank of several counts devices of its own: its readings name no device of the run, and its success is
not the run's (C9). The ranks put together (`_record_merge`) tell of the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._opened import opened, opened_head
from fiche.importers._record_capacity import DEVICE_READINGS, totals
from fiche.importers._record_doubts import doubts, index_of
from fiche.importers._record_facts import facts_of, tensors_of
from fiche.importers._record_form import form
from fiche.importers._record_places import FAMILY, Form, rank_of
from fiche.kernel.doors import Importer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Observed
from fiche.kernel.piece import Capacity, Failure, Observation, Reading, Run
from fiche.kernel.rounding import exact_bytes
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of

_LEVELS = {
    ("start", "allocated_bytes"): ("memory_allocated", "start"),
    ("start", "reserved_bytes"): ("memory_reserved", "start"),
    ("peak", "allocated_bytes"): ("max_memory_allocated", "peak"),
    ("peak", "reserved_bytes"): ("max_memory_reserved", "peak"),
    ("end", "allocated_bytes"): ("memory_allocated", "current"),
    ("end", "reserved_bytes"): ("memory_reserved", "current"),
}
_PROCESS = {"start": "start", "peak": "peak", "sampled_max": "sampled_max", "end": "current"}


def read(content: bytes, sha256: str) -> Reading:
    """Runs, readings, capacities and facts of one record.

    Raises:
        Refused: the record's structure is wrong (F430 to F439); doubtful values are warnings.
    """
    record = record_form(content, sha256)
    document = record.document
    facts = facts_of(record)
    runs = tuple(_run(record, place, facts) for place in range(len(document["phases"])))
    failures = tuple(run.failure for run in runs if run.failure is not None)
    backend = document["environment"]["backend"]
    return Reading(
        kind="fiche_record",
        shape="document" if record.header_line is None else "journal",
        backend={"hip": "rocm"}.get(backend, backend),
        failures=failures,
        runs=runs + tuple(_unfinished(record)),
        capacities=tuple(_capacities(record)),
        facts=facts,
        warnings=tuple(dict.fromkeys((*record.warnings, *doubts(document), *_unended(record)))),
        version=document["format"],
    )


def record_form(content: bytes, sha256: str) -> Form:
    """The checked document of a record, whatever its form and packing.

    Raises:
        Refused: as `read`.
    """
    text = opened(content, sha256).removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    return form(text, sha256)


def _run(record: Form, place: int, facts: dict[str, Fact]) -> Run:
    phase = record.document["phases"][place]
    whole = phase["ordering"] == "whole_loop"
    ran = not _failed_before(phase)
    return Run(
        id=f"{record.document['series']['id']}.{phase['index']}.{phase['name']}",
        outcome=_outcome(record, phase),
        whole_loop=whole,
        phases=tuple(phase["covers"]) if whole else (phase["name"],),
        facts={**facts, **tensors_of(record, place)} if "tensors" in phase else facts,
        executed=_dimensions(record, place, "executed") if ran else {},
        declared=_dimensions(record, place, "declared"),
        first_pass=phase["pass"] == "first",
        failure=_failure(record, place) if phase["outcome"] == "failure" else None,
        observations=tuple(_observations(record, place)),
        pointer=record.at("phases", place),
        duration_ns=phase.get("duration_ns"),
        output_check=_check(phase.get("output_check")),
    )


def _failure(record: Form, place: int) -> Failure:
    """Of a phase that failed; what reads its message is loaded where one did."""
    from fiche.importers._record_failure import failure_of_phase

    return failure_of_phase(record, place)


def _outcome(record: Form, phase: dict[str, Any]) -> str:
    """As recorded; but of the whole run one rank of several tells no success."""
    told = str(phase["outcome"])
    alone = phase["ordering"] == "whole_loop" and rank_of(record.document) is not None
    return "unknown" if alone and told == "success" else told


def _failed_before(phase: dict[str, Any]) -> bool:
    """Work before the phase failed: the phase itself executed nothing (C11)."""
    failed: bool = phase["outcome"] == "failure"
    return failed and phase["error"].get("surfaced") == "at_start"


def _check(check: dict[str, Any] | None) -> str:
    """The status, and the result and method where they are told."""
    if check is None:
        return ""
    told, passed = str(check["status"]), check.get("passed")
    if passed is not None:
        told = (
            tell("{status}, passed", status=told)
            if passed
            else tell("{status}, not passed", status=told)
        )
    return (
        tell("{result}: {method}", result=told, method=check["method"])
        if "method" in check
        else told
    )


def _dimensions(record: Form, place: int, which: str) -> dict[str, Figure]:
    """Dimensions as exact counts, each of the last word of its name, as a fiche counts them."""
    found = {}
    for name, count in record.document["phases"][place].get(which, {}).items():
        pointer = record.at("phases", place, which, name, text=str(count))
        origin = Observed(
            pointer=pointer, counter=which, scope="process", stat="executed", printed=str(count)
        )
        unit = count_of(name.rsplit("_", 1)[-1])
        found[name] = Figure(low=count, high=count, unit=unit, origin=origin, label=name)
    return found


def _observations(record: Form, place: int) -> Iterator[Observation]:
    phase = record.document["phases"][place]
    for index, device in enumerate(phase.get("devices", ())):
        whose = _whose(record.document, device["device"])
        for path, counter, stat, scope, label in _readings(device):
            count = device[path[0]][path[1]]
            yield Observation(
                counter=counter,
                scope=scope,
                stat=stat,
                kind_of_origin="measured",
                pointer=record.at("phases", place, "devices", index, *path, text=str(count)),
                value=exact_bytes(count),
                number=None,
                unit="",
                label=label,
                phase=phase["name"],
                window="phase" if stat in ("peak", "sampled_max") else "",
                **whose,
            )


def _whose(document: dict[str, Any], device: str) -> dict[str, Any]:
    """The device and the rank of a reading; one rank of several names no device of the run (C9)."""
    rank, own = rank_of(document), index_of(device)
    if rank is not None:
        return {"device_index": None, "rank": rank, "marks": {"device": device}}
    return {"device_index": own, "rank": _rank_on(document, own), "marks": {}}


_Reading = tuple[tuple[str, str], str, str, str, str]


def _readings(device: dict[str, Any]) -> Iterator[_Reading]:
    """(path, counter, stat, scope, label) of what was read on one device, in a fixed order."""
    for path, (counter, stat) in _LEVELS.items():
        if path[1] in device.get(path[0], {}):
            yield path, counter, stat, "process_allocator", counter
    used = device.get("process_device_bytes", {})
    for key, stat in _PROCESS.items():
        if key in used:
            yield (
                ("process_device_bytes", key),
                "process_device_used",
                stat,
                "process",
                used["counter"],
            )
    if "outside_allocator_bytes" in device:
        outside = device["outside_allocator_bytes"]
        path = ("outside_allocator_bytes", "bytes")
        yield path, "outside_allocator", outside["stat"], "process", outside["how"]
    for key, (counter, stat) in DEVICE_READINGS.items():
        if key in device:
            yield (key, "bytes"), counter, stat, "device", device[key]["counter"]


def _rank_on(document: dict[str, Any], index: int) -> int | None:
    """Which rank of a merged record used the device."""
    if "merged" not in document:
        return None
    devices = document["environment"]["devices"]
    return next((each.get("rank") for each in devices if each["index"] == index), None)


def _unfinished(record: Form) -> Iterator[Run]:
    """Phases that started and never ended: nobody knows how they went."""
    for phase, pointer in record.unfinished:
        name = _name(phase)
        yield Run(
            id=f"{record.document['series']['id']}.{phase.get('index', 'unknown')}.{name}",
            outcome="unknown",
            whole_loop=False,
            phases=(name,),
            first_pass=phase.get("pass") == "first",
            pointer=pointer,
        )


def _unended(record: Form) -> Iterator[str]:
    for phase, pointer in record.unfinished:
        where = f"line {pointer.line}" if pointer.path is None else pointer.path
        yield (
            tell(
                "outcome_unknown: {name} started ({where}) and has no end: neither success nor "
                "failure",
                name=_name(phase),
                where=where,
            )
        )


def _name(phase: dict[str, Any]) -> str:
    return str(phase.get("name", "phase"))[:60]


def _capacities(record: Form) -> Iterator[Capacity]:
    seen = (
        (entry, ("phases", place, "devices", row))
        for place, phase in enumerate(record.document["phases"])
        for row, entry in enumerate(phase.get("devices", ()))
    )
    return totals(record, tuple(seen))


def accepts(head: bytes, name: str) -> int:
    """100 for a JSON text that names the format (any version of it)."""
    text = opened_head(head).removeprefix(b"\xef\xbb\xbf").lstrip()
    named = b'"' + FAMILY.encode()
    return 100 if text.startswith(b"{") and named in text[:65536] else 0


MEMBER = Importer(
    name="fiche_record",
    title="fiche's own measurement record",
    accepts=accepts,
    read=read,
)
