"""A reading in the common vocabulary of evidence, ready for JSON (schemas/pieces.schema.json).

Every key of a failure is there, null where the program printed nothing. Integers for bytes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fiche.kernel.address import Pointer
from fiche.kernel.fact import TENSORS
from fiche.kernel.piece import (
    Capacity,
    Failure,
    NotObserved,
    Observation,
    Printed,
    Reading,
    Result,
    Run,
)

QUANTITIES = (
    "requested",
    "requested_at_least",
    "total_capacity",
    "free",
    "process_in_use",
    "allowed",
    "allocated",
    "in_private_pools",
    "reserved_unallocated",
    "reserved_total",
    "other_in_use",
)


def piece_json(file: str, sha256: str, num_bytes: int, reading: Reading) -> dict[str, object]:
    """One piece: whose bytes, what kind, and all that was read."""
    made: dict[str, object] = _plain(_piece(file, sha256, num_bytes, reading))
    return made


def _plain(thing: Any) -> Any:  # noqa: ANN401 - any part of a document
    """Told texts as the English that they are: a document holds plain strings."""
    if isinstance(thing, str):
        return str(thing)
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return type(thing)(_plain(each) for each in thing)
    return thing


def _piece(file: str, sha256: str, num_bytes: int, reading: Reading) -> dict[str, object]:
    return {
        "file": file,
        "sha256": sha256,
        "bytes": num_bytes,
        "kind": reading.kind,
        "shape": reading.shape,
        "backend": reading.backend,
        "failed": bool(reading.failures),
        "phase_known": False,
        "failures": [failure_json(failure) for failure in reading.failures],
        "observations": [observation_json(seen) for seen in observations(reading)],
        "capacities": [_capacity(capacity) for capacity in reading.capacities],
        "facts": {
            path: {"value": fact.value, **_place_of(fact.address)}
            for path, fact in reading.facts.items()
        },
        "planned": [observation_json(seen) for seen in reading.planned],
        "results": [result_json(result) for result in reading.results],
        "counters": dict(reading.counters),
        "further": dict(reading.further),
        "not_observed": [_not_observed(text) for text in reading.not_observed],
        "warnings": list(reading.warnings),
        "duplicate_messages": reading.duplicate_messages,
        **({"runs": [_run(run) for run in reading.runs]} if _is_told(reading) else {}),
    }


def _is_told(reading: Reading) -> bool:
    """True where the runs say something of themselves: a message of failure is a run without phases."""
    return any(run.phases for run in reading.runs)


def _run(run: Run) -> dict[str, object]:
    """What ran, how it ended and how long it took; its readings stand among the observations."""
    return {
        "id": run.id,
        "outcome": run.outcome,
        "whole_loop": run.whole_loop,
        "phases": list(run.phases),
        "first_pass": run.first_pass,
        "executed": {name: int(figure.low) for name, figure in run.executed.items()},
        "declared": {name: int(figure.low) for name, figure in run.declared.items()},
        "duration_ns": run.duration_ns,
        "output_check": run.output_check,
        "tensors": {
            path.removeprefix(TENSORS): fact.value
            for path, fact in run.facts.items()
            if path.startswith(TENSORS)
        },
        **({} if run.pointer is None else _place(run.pointer)),
    }


def observations(reading: Reading) -> tuple[Observation, ...]:
    """Those of the runs, then those of no run."""
    return (*(seen for run in reading.runs for seen in run.observations), *reading.observations)


def failure_json(failure: Failure) -> dict[str, object]:
    """A failure; `is_need` is always false: what failed was never seen to run whole (C11)."""
    told = failure.quantities
    return {
        **_place(failure.pointer),
        "message_kind": failure.message_kind,
        "memory": failure.memory,
        "backend": failure.backend,
        "device_index": failure.device_index,
        "rank": failure.rank,
        "speaker": failure.speaker or None,
        **{name: quantity_json(told[name]) if name in told else None for name in QUANTITIES},
        "other_processes": [
            {"pid": process.pid, "in_use": quantity_json(process.in_use)}
            for process in failure.other_processes
        ],
        "library": failure.library,
        "component": failure.component,
        "count": failure.count,
        "recovered": failure.recovered,
        "truncated": failure.truncated,
        "message": failure.message,
        "phase_known": False,
        "is_need": False,
    }


def quantity_json(value: Printed) -> dict[str, object]:
    """A figure as printed and the interval of bytes that its rounding allows."""
    if value.unavailable:
        return {"printed": value.text, "unavailable": True}
    return {
        "printed": value.text,
        "unit_bytes": value.unit_bytes,
        "bytes": value.value,
        "low": value.low,
        "high": value.high,
        "rounding": value.rounding,
    }


def observation_json(seen: Observation) -> dict[str, object]:
    """One reading of one counter; a plain number has a `unit`."""
    words = {"unit": seen.unit, "label": seen.label, "phase": seen.phase, "window": seen.window}
    return {
        "counter": seen.counter,
        "value": _number(seen.number) if seen.value is None else quantity_json(seen.value),
        "scope": seen.scope,
        "stat": seen.stat,
        "origin": seen.kind_of_origin,
        "device_index": seen.device_index,
        "rank": seen.rank,
        **{key: text for key, text in words.items() if text},
        **seen.marks,
        **_place(seen.pointer),
    }


def _number(number: int | Fraction | None) -> int | float | None:
    return float(number) if isinstance(number, Fraction) else number


def result_json(result: Result) -> dict[str, object]:
    """A score, a throughput or a latency, as printed and as wide as its printing."""
    return {
        "metric": result.metric,
        "printed": result.text,
        "low": str(result.low),
        "high": str(result.high),
        "unit": result.unit,
        "stat": result.stat,
        "label": result.label,
        **result.marks,
        **_place(result.pointer),
    }


def _capacity(capacity: Capacity) -> dict[str, object]:
    return {
        "counter": capacity.counter,
        "device_index": capacity.device_index,
        "device_name": capacity.device_name,
        "value": quantity_json(capacity.value),
        **_place(capacity.pointer),
    }


def _place_of(address: object) -> dict[str, object]:
    return _place(address) if isinstance(address, Pointer) else {}


def _not_observed(text: NotObserved) -> dict[str, object]:
    return {"text": text.text, "why": text.reason, "line": text.pointer.line}


def _place(pointer: Pointer) -> dict[str, object]:
    if pointer.path is None:
        return {"line": pointer.line}
    return {"line": pointer.line, "path": pointer.path}
