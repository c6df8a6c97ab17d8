"""What a simulation says, as a document `fiche-simulation/1`: whole bytes, computed, nothing observed."""

from __future__ import annotations

import io
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiche import __version__
from fiche.kernel.said import tell
from fiche.measure.child import merged
from fiche.simulate.alike import alike
from fiche.simulate.curves import levels_of, timeline
from fiche.simulate.job import Job
from fiche.simulate.ledger.kinds import BLOCK_REST, KINDS
from fiche.simulate.workload import notes_of

if TYPE_CHECKING:
    from fiche.measure.workloads import Workload
    from fiche.simulate.allocator import Replay
    from fiche.simulate.ledger.origins import Origin
    from fiche.simulate.simulation import Group, PhasePeak, Simulation

FORMAT = "fiche-simulation/1"
SHORTENED = tell(
    "an earlier phase was shortened, so which blocks the allocator held by then is unknown"
)
_LARGEST = 50
_MOST = 2_000


def document(job: Job, workload: Workload, simulation: Simulation) -> dict[str, Any]:
    """The whole of it, its phases in the order in which they began, a row a device."""
    from fiche.simulate.reserved import reserved

    held = reserved(job, simulation)
    simulation.replayed(held.levels)
    told = list(phases(simulation, held.levels))
    peak = peak_of(told)
    device = peak["device_index"]
    return {
        "format": FORMAT,
        "tool": {"name": "fiche", "version": __version__},
        "simulator": _simulator(job, simulation),
        "workload": _words(job, workload),
        "case": job.case,
        "gpu": job.gpu,
        "machine": job.machine,
        "phases": told,
        "peak": peak,
        "allocator": held.words,
        "effects": [dict(each) for each in simulation.effects],
        "uncovered": _uncovered(job, simulation),
        "notes": _notes((*job.notes, *notes_of(job, workload), *simulation.notes, *held.notes)),
        "timeline": timeline(simulation, held.levels[device].reserved, device),
    }


def encoded(told: Mapping[str, Any]) -> bytes:
    """The bytes of a document, as those of a record: one space an indent, a line feed at the end."""
    return (json.dumps(told, ensure_ascii=True, indent=1, allow_nan=False) + "\n").encode("ascii")


def _simulator(job: Job, simulation: Simulation) -> dict[str, Any]:
    import torch

    answers = [{key: str(text) for key, text in each.items()} for each in simulation.answers]
    if job.capability_by != "assumed":
        answers.append(_told_by("get_device_capability", job.capability, job.capability_by))
    if job.capacity_bytes is not None:
        answers.append(_told_by("mem_get_info", f"{job.capacity_bytes} B", job.capacity_by))
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "rules": simulation.rules,
        "answers": answers,
    }


def _told_by(name: str, told: str, by: str) -> dict[str, str]:
    return {"asked": f"torch.cuda.{name}", "told": told, "by": str(by) or "told"}


def _words(job: Job, workload: Workload) -> dict[str, Any]:
    """Words of a fiche beside those of the workload; what is laid out over devices is the job's."""
    words = merged(workload.words, job.words)
    kept = {name: v for name, v in job.placement.items() if name != "rank" and v}
    if kept:
        words["placement"] = {**words.get("placement", {}), **kept}
    return words


def _uncovered(job: Job, simulation: Simulation) -> list[dict[str, Any]]:
    from fiche.simulate.effects._uncovered import uncovered

    return list(uncovered(job, simulation))


def _notes(said: Sequence[str]) -> list[str]:
    return [note[:_MOST] for note in dict.fromkeys(said) if note]


# --- Phases ---------------------------------------------------------------------------------------


def phases(simulation: Simulation, levels: Sequence[Replay]) -> Iterator[dict[str, Any]]:
    """Every phase on every device."""
    blurred = _blurred(simulation)
    for one in simulation.phases():
        why = blurred.get(one.order, "")
        yield _phase(one, levels_of(levels[one.device].reserved, one.begin, one.end), why)


def _blurred(simulation: Simulation) -> dict[int, str]:
    """Phases without reserved bytes, by their order, and why: the shortened ones, around and after them."""
    whys = {
        span.order: str(span.notes["reserved_why"])
        for span in simulation.spans
        if "reserved_why" in span.notes
    }
    if not whys:
        return whys
    since = min(simulation.spans[order].begins[0] for order in whys)
    behind = (span.order for span in simulation.spans if span.ends and span.ends[0] > since)
    return {**dict.fromkeys(behind, str(SHORTENED)), **whys}


def _phase(one: PhasePeak, reserved: Mapping[str, int], why: str) -> dict[str, Any]:
    return {
        "name": one.name,
        "pass": one.passed,
        "order": one.order,
        "ordering": one.ordering,
        "declared": dict(one.declared),
        "executed": dict(one.executed),
        "device_index": one.device,
        "allocated_bytes": {
            "start": one.start_bytes,
            "peak": one.peak_bytes,
            "end": one.end_bytes,
        },
        "reserved_bytes": None if why else dict(reserved),
        **({"reserved_why": why} if why else {}),
        "at_peak": {
            **_place(one.origin),
            "live": list(_live(one.groups)),
            "largest": [
                _group(each)
                for each in alike(each for each in one.groups if each.kind != BLOCK_REST)[:_LARGEST]
            ],
        },
    }


def _place(origin: Origin | None) -> dict[str, Any]:
    if origin is None:
        return {"operator": "", "module": "", "source": None}
    return {
        "operator": origin.operator[:500],
        "module": origin.module[:_MOST],
        "source": {"file": Path(origin.file).name[:500], "line": origin.line}
        if origin.file and origin.line > 0
        else None,
    }


def _live(groups: Iterable[Group]) -> Iterator[dict[str, Any]]:
    """Bytes by kind, in the order of the kinds."""
    found: dict[str, tuple[int, int]] = {}
    for each in groups:
        num_bytes, count = found.get(each.kind, (0, 0))
        found[each.kind] = (num_bytes + each.num_bytes, count + each.count)
    for kind in KINDS:
        if kind in found:
            yield {"kind": kind, "bytes": found[kind][0], "count": found[kind][1]}


def _group(each: Group) -> dict[str, Any]:
    return {
        "bytes": each.num_bytes,
        "count": each.count,
        "kind": each.kind,
        **_place(each.origin),
        "shape": [int(length) for length in each.shape],
        "dtype": each.dtype,
    }


def peak_of(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The phase with the largest allocated peak, one within a loop before the loop; the largest reserved peak.

    A phase without reserved bytes may have the largest: where there is one, none is named.

    Raises:
        ValueError: there is no phase; one sentence.
    """
    if not told:
        raise ValueError(
            "what was simulated has no phase: say `with rec.phase(...)` around its work"
        )
    most = max(told, key=_rank)
    reserved = [phase["reserved_bytes"] for phase in told]
    return {
        "allocated_bytes": most["allocated_bytes"]["peak"],
        "reserved_bytes": None if None in reserved else max(each["peak"] for each in reserved),
        "phase": most["name"],
        "pass": most["pass"],
        "order": most["order"],
        "device_index": most["device_index"],
    }


def _rank(phase: Mapping[str, Any]) -> tuple[int, bool, int]:
    peak = int(phase["allocated_bytes"]["peak"])
    return peak, phase["ordering"] != "whole_loop", -int(phase["order"])


# --- Events ---------------------------------------------------------------------------------------

_OPS = ("alloc", "free", "mark", "empty_cache")


def events_csv(simulation: Simulation) -> bytes:
    """Every memory event of every device, a row each; what an allocation is for stands in its row."""
    import csv

    text = io.StringIO()
    written = csv.writer(text, lineterminator="\n")
    columns = ("device", "event", "operation", "id", "bytes", "stream")
    written.writerow((*columns, "kind", "operator", "module", "source"))
    for device, events in enumerate(simulation.events):
        rows = zip(events.ops, events.ids, events.num_bytes, events.streams, strict=True)
        for number, (op, entry, num_bytes, stream) in enumerate(rows):
            row = (device, number, _OPS[op], entry, num_bytes, stream)
            written.writerow((*row, *_told_of(simulation, events.marks, op, entry)))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _told_of(
    simulation: Simulation, marks: Sequence[str], op: int, entry: int
) -> tuple[str, str, str, str]:
    if _OPS[op] == "mark":
        return "", marks[entry], "", ""
    if _OPS[op] != "alloc":
        return "", "", "", ""
    table = simulation.entries
    origin = table.origins[entry]
    source = f"{Path(origin.file).name}:{origin.line}" if origin.file else ""
    return table.kinds[entry] or "temporary", origin.operator, origin.module, source
