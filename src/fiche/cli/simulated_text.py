"""Simulations in the terminal and for programs: planned ones, and what was computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fiche.cli.load_rows import in_unit
from fiche.cli.simulated_peak import is_capacity, largest, left_of, place
from fiche.cli.simulating_jobs import Asked
from fiche.cli.terminal import paragraph, table
from fiche.report.numbers import TERMINAL, elapsed, exact_bytes, memory, memory_unit, whole

_SAME = ("name", "pass", "device_index")
_NOT = "not computed"
# Of more, the first ones are shown and the rest is counted (law 8).
_MOST_ANSWERS = 6
_KINDS = {
    "parameter": "parameters",
    "buffer": "buffers",
    "gradient": "gradients",
    "optimizer_state": "optimizer states",
    "activation": "activations",
    "cache": "cache",
    "input": "inputs",
    "temporary": "temporaries",
    "workspace": "workspaces",
    "block_rest": "rests",
}
Phase = Mapping[str, Any]


# --- Planned --------------------------------------------------------------------------------------


def planned_text(what: Asked) -> str:
    """What would run, and with which device and limits."""
    job = what.job
    limits = [
        "no limit of time" if what.seconds is None else f"{what.seconds} s",
        "no limit of memory" if job.memory_bytes is None else memory(job.memory_bytes),
    ]
    text = paragraph(
        f"Nothing is simulated. One process would run {what.title}, within {' and '.join(limits)}."
    )
    told = {"options": job.options, "placement": job.placement, "device": _device(what)}
    for name, words in told.items():
        if words:
            text += paragraph(f"{name}: " + ", ".join(f"{k} {v}" for k, v in words.items()))
    text += paragraph("files: " + ", ".join(map(str, what.paths)))
    return text + "".join(paragraph(f"note: {note}") for note in job.notes)


def _device(what: Asked) -> dict[str, str]:
    job = what.job
    capacity = "without an end" if job.capacity_bytes is None else _both(job.capacity_bytes)
    by = f" ({job.capacity_by})" if job.capacity_by else ""
    told = {"memory": capacity + by}
    told["capability"] = f"{job.capability} ({job.capability_by})"
    if job.allocator:
        told["allocator"] = job.allocator
    return told


def planned_json(what: Asked) -> dict[str, Any]:
    """The job as its process would be told."""
    return {
        "format": "fiche-simulate-plan/1",
        "output": str(what.output),
        "events": None if what.events is None else str(what.events),
        "seconds": what.seconds,
        "job": what.job.json(),
    }


# --- Computed -------------------------------------------------------------------------------------


def simulated_text(what: Asked, told: Mapping[str, Any], nanoseconds: int) -> str:
    """The peaks of all phases, what is alive at each, what is in no figure, and the next step."""
    phases: list[Phase] = told["phases"]
    text = paragraph(
        f"{what.output}: {what.title}, simulated in {elapsed(nanoseconds)}: computed, not observed."
    )
    grouped = _grouped(phases)
    text += "\n" + _peaks(grouped) + _kinds(grouped)
    text += "\n" + paragraph(_largest(told["peak"], len(_devices(phases)) > 1))
    text += "".join(left_of(told))
    text += largest(told) + "\n"
    text += "".join(_device_text(told))
    text += "".join(_uncovered(told["uncovered"]))
    text += "".join(paragraph(f"note: {note}") for note in told["notes"])
    return text + f"\nnext: fiche import {what.output} --to FICHE\n"


def _devices(phases: Sequence[Phase]) -> set[int]:
    return {int(phase["device_index"]) for phase in phases}


def _grouped(phases: Sequence[Phase]) -> list[tuple[Phase, int]]:
    """Phases of one name, pass and device share a row: the one with the largest allocated peak.

    Its reserved peak is the largest of them all, which may be another one's; None where one has none.
    """
    alike: dict[tuple[Any, ...], list[Phase]] = {}
    for phase in phases:
        alike.setdefault(tuple(phase[name] for name in _SAME), []).append(phase)
    rows: list[tuple[Phase, int]] = []
    for same in alike.values():
        most = max(same, key=_allocated)
        rows.append(({**most, "reserved_bytes": _most_reserved(same)}, len(same)))
    return rows


def _most_reserved(same: Sequence[Phase]) -> Mapping[str, int] | None:
    reserved = [phase["reserved_bytes"] for phase in same]
    return None if None in reserved else max(reserved, key=lambda each: each["peak"])


def _allocated(phase: Phase) -> int:
    return int(phase["allocated_bytes"]["peak"])


def _unit(grouped: Sequence[tuple[Phase, int]]) -> tuple[str, int]:
    word, factor = memory_unit(max(_allocated(phase) for phase, _ in grouped), "GiB")
    return (word, factor) if factor > 1 else ("KiB", 1024)


def _peaks(grouped: Sequence[tuple[Phase, int]]) -> str:
    """Both counters, never added (C3), and where the allocated one is highest."""
    word, factor = _unit(grouped)
    several = len(_devices([phase for phase, _ in grouped])) > 1
    rows = [
        (
            *_named(phase, times, several),
            in_unit(_allocated(phase), factor),
            _NOT
            if phase["reserved_bytes"] is None
            else in_unit(phase["reserved_bytes"]["peak"], factor),
            _where(phase["at_peak"]),
        )
        for phase, times in grouped
    ]
    first = 3 if several else 2
    heads = (f"allocated peak ({word})", f"reserved peak ({word})", "at the allocated peak")
    header = ("phase", "pass", *(("device",) if several else ()), *heads)
    return table(rows, header=header, right=(first, first + 1), whole=(0,))


def _named(phase: Phase, times: int, several: bool) -> tuple[str, ...]:
    name = f"{phase['name']} x {times}" if times > 1 else str(phase["name"])
    device = (f"cuda:{phase['device_index']}",) if several else ()
    return (name, str(phase["pass"]), *device)


def _where(at_peak: Mapping[str, Any]) -> str:
    """Operator, module and line; a peak that is the level at the start has none."""
    if not at_peak["operator"]:
        return "as at its start"
    return place(at_peak)


def _kinds(grouped: Sequence[tuple[Phase, int]]) -> str:
    """What is alive at each allocated peak, by kind."""
    word, factor = _unit(grouped)
    several = len(_devices([phase for phase, _ in grouped])) > 1
    alive = [
        {each["kind"]: int(each["bytes"]) for each in phase["at_peak"]["live"]}
        for phase, _ in grouped
    ]
    found = [kind for kind in _KINDS if any(kind in each for each in alive)]
    if not found:
        return ""
    rows = [
        (
            *_named(phase, times, several),
            *(in_unit(live[kind], factor) if kind in live else "" for kind in found),
        )
        for (phase, times), live in zip(grouped, alive, strict=True)
    ]
    first = 3 if several else 2
    header = (f"alive then ({word})", "pass", *(("device",) if several else ()))
    right = range(first, first + len(found))
    heads = (*header, *(_KINDS[kind] for kind in found))
    return "\n" + table(rows, header=heads, right=right, whole=(0,))


def _largest(peak: Mapping[str, Any], several: bool) -> str:
    passed = "first pass" if peak["pass"] == "first" else "later pass"
    where = f" on cuda:{peak['device_index']}" if several else ""
    text = f"The largest allocated peak is {_both(peak['allocated_bytes'])}"
    text += f", in {peak['phase']}, {passed}{where}"
    if peak["reserved_bytes"] is None:
        return f"{text}; of reserved bytes the largest is not computed."
    return f"{text}; the largest reserved one {_both(peak['reserved_bytes'])}."


def _both(num_bytes: int) -> str:
    if whole(num_bytes):
        return memory(num_bytes)
    return f"{memory(num_bytes)} ({exact_bytes(num_bytes, TERMINAL)})"


def _device_text(told: Mapping[str, Any]) -> Iterator[str]:
    """What of the device was assumed or told, where the code asked for it."""
    answers = [each for each in told["simulator"]["answers"] if not is_capacity(each, told)]
    for answer in answers[:_MOST_ANSWERS]:
        yield paragraph(f"Asked for {answer['asked']}: {answer['told']} ({answer['by']}).")
    if len(answers) > _MOST_ANSWERS:
        yield paragraph(f"{len(answers) - _MOST_ANSWERS} further answers; --json has them all.")
    text = told["allocator"]["settings"].get("text")
    if text:
        yield paragraph(f"The allocator was set to {text}.")
    applied = ", ".join(each["name"] for each in told["effects"])
    if applied:
        yield paragraph(
            f"Rules of what CUDA takes besides that applied (--json has each with its source): {applied}."
        )


def _uncovered(items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What takes memory on a device and is in no figure above."""
    if not items:
        return
    named = ", ".join(f"{item['name']}{_bounds(item)}" for item in items)
    yield paragraph(f"In no figure here (--json says why, and whence the bounds): {named}.")


def _bounds(item: Mapping[str, Any]) -> str:
    low, high = item["low_bytes"] or 0, item["high_bytes"]
    if high is None:
        return f" (at least {memory(low)})" if low else ""
    return f" ({memory(low)} to {memory(high)})" if low else f" (at most {memory(high)})"
