"""Pieces as decision.json writes them: the digest of the bytes, and all that was read beside them.

Every reading of a counter has an id of its own (`run-4090/whole-loop.3`), which cells of a report bear.
Dimensions are figures: they stand in `figures`, and here by id. What a run's scope shares with its
piece's is told once, by the piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from fiche.kernel.figure import Figure
from fiche.kernel.ledger import Ledger
from fiche.kernel.piece import (
    Attested,
    Capacity,
    Failure,
    NotObserved,
    Observation,
    Piece,
    Printed,
    Result,
    Run,
)
from fiche.kernel.places import Places
from fiche.kernel.readings import capacities, failures, observation_id
from fiche.render._custody import citation, custody
from fiche.render._figures import decimal, fact
from fiche.render._simulations import simulation


def piece(cited: Piece, book: Ledger, places: Places) -> dict[str, Any]:
    """One piece; `scope` is what the file prints and what the author typed, told apart by `by`."""
    reading = cited.reading
    scope = {**cited.typed, **reading.facts}
    return {
        "id": cited.id,
        "file": cited.file,
        "kind": cited.kind,
        "version": cited.version or reading.version,
        "date": cited.date,
        "sha256": cited.sha256,
        "bytes": cited.num_bytes,
        "media_type": cited.media_type,
        "machine": scope["machine"].value if "machine" in scope else None,
        "scope": {path: fact(told, places) for path, told in scope.items()},
        "dimensions": _dimensions(cited.typed_dimensions, book),
        "shape": reading.shape,
        "backend": reading.backend,
        "at": places.of_address(cited.span),
        "runs": [_run(cited, run, book, places) for run in reading.runs],
        "failures": [
            {**_failure(failure, name, places), "run": run.id if run else None}
            for name, run, failure in failures(cited)
        ],
        "observations": _observations(cited.id, "", reading.observations, places),
        "capacities": [
            {"id": name, **_capacity(capacity, places)} for name, capacity in capacities(cited)
        ],
        "not_observed": [_not_observed(text, places) for text in reading.not_observed],
        "attested": [_attested(item, book, places) for item in cited.attested],
        "warnings": list(reading.warnings),
        "duplicate_messages": reading.duplicate_messages,
        **({"run": cited.run} if cited.run else {}),
        **({"redacted": dict(cited.redacted)} if cited.redacted else {}),
        **custody(cited.custody),
        **citation(cited.cites),
        **_lasting(cited, book, places),
        **_further(cited, book, places),
    }


def _lasting(cited: Piece, book: Ledger, places: Places) -> dict[str, Any]:
    """Until when it holds, and what it hung on when it was made; each key only where that is told."""
    told: dict[str, Any] = {
        "valid_until": cited.valid_until,
        "about": {path: fact(one, places) for path, one in cited.about.items()},
        "about_dimensions": _dimensions(cited.about_dimensions, book),
    }
    return {key: value for key, value in told.items() if value}


def _further(cited: Piece, book: Ledger, places: Places) -> dict[str, Any]:
    """What few formats tell: each key only where there is something under it."""
    reading = cited.reading
    planned = _observations(cited.id, "planned", reading.planned, places)
    told: dict[str, Any] = {
        "planned": planned,
        "results": [
            {"id": f"{cited.id}/result.{place}", **_result(result, places)}
            for place, result in enumerate(reading.results, 1)
        ],
        "counters": dict(reading.counters),
        "further": dict(reading.further),
        "simulation": simulation(cited, book),
    }
    return {key: value for key, value in told.items() if value}


def _result(result: Result, places: Places) -> dict[str, Any]:
    told = {"stat": result.stat, "label": result.label, "marks": dict(result.marks)}
    return {
        "metric": result.metric,
        "printed": result.text,
        "low": str(result.low),
        "high": str(result.high),
        "unit": result.unit,
        "at": places.of_address(result.pointer),
        **{name: value for name, value in told.items() if value},
    }


def _dimensions(dimensions: Mapping[str, Figure], book: Ledger) -> dict[str, str]:
    return {name: book.of(figure).id for name, figure in dimensions.items()}


def _run(cited: Piece, run: Run, book: Ledger, places: Places) -> dict[str, Any]:
    shared = {**cited.typed, **cited.reading.facts}
    return {
        "id": run.id,
        "outcome": run.outcome,
        "whole_loop": run.whole_loop,
        "first_pass": run.first_pass,
        "phases": list(run.phases),
        "scope": {
            path: fact(told, places) for path, told in run.facts.items() if shared.get(path) != told
        },
        "executed": _dimensions(run.executed, book),
        "declared": _dimensions(run.declared, book),
        "observations": _observations(cited.id, run.id, run.observations, places),
        "duration_ns": run.duration_ns,
        "output_check": run.output_check,
        "at": places.of_address(run.pointer),
    }


def _observations(
    owner: str, run: str, observations: Iterable[Observation], places: Places
) -> list[dict[str, Any]]:
    return [
        {"id": observation_id(owner, run, place), **_observation(seen, places)}
        for place, seen in enumerate(observations, 1)
    ]


def _observation(seen: Observation, places: Places) -> dict[str, Any]:
    told = {
        "device_index": seen.device_index,
        "rank": seen.rank,
        "label": "" if seen.label == seen.counter else seen.label,
        "phase": seen.phase,
        "window": seen.window,
        "number": decimal(seen.number) if isinstance(seen.number, Fraction) else seen.number,
        "marks": dict(seen.marks) or None,
        "unit": seen.unit,
    }
    return {
        "counter": seen.counter,
        "scope": seen.scope,
        "stat": seen.stat,
        "kind_of_origin": seen.kind_of_origin,
        "value": None if seen.value is None else printed(seen.value),
        "at": places.of_address(seen.pointer),
        **{name: value for name, value in told.items() if value not in (None, "")},
    }


def printed(value: Printed) -> dict[str, Any]:
    """A quantity as its program printed it, with the interval that its rounding allows.

    A count of bytes printed in full is just that: its interval is one point.
    """
    if value.unavailable:
        return {"printed": value.text, "unavailable": True}
    if value.rounding == "exact" and value.text == str(value.value):
        return {"printed": value.text, "bytes": value.value}
    return {
        "printed": value.text,
        "unit_bytes": value.unit_bytes,
        "bytes": value.value,
        "low_bytes": value.low,
        "high_bytes": value.high,
        "rounding": value.rounding,
    }


def _failure(failure: Failure, name: str, places: Places) -> dict[str, Any]:
    return {
        "id": name,
        "message_kind": failure.message_kind,
        "memory": failure.memory,
        "backend": failure.backend,
        "device_index": failure.device_index,
        "rank": failure.rank,
        **({"speaker": failure.speaker} if failure.speaker else {}),
        "quantities": {
            key: {"id": f"{name}.{key}", **printed(value)}
            for key, value in failure.quantities.items()
        },
        "other_processes": [
            {"pid": other.pid, "in_use": printed(other.in_use)} for other in failure.other_processes
        ],
        "library": failure.library,
        "component": failure.component,
        "count": failure.count,
        "recovered": failure.recovered,
        "truncated": failure.truncated,
        "message": failure.message,
        "at": places.of_address(failure.pointer),
    }


def _capacity(capacity: Capacity, places: Places) -> dict[str, Any]:
    return {
        "counter": capacity.counter,
        "device_index": capacity.device_index,
        "device_name": capacity.device_name,
        "value": printed(capacity.value),
        "others": None if capacity.others is None else printed(capacity.others),
        "at": places.of_address(capacity.pointer),
    }


def _not_observed(text: NotObserved, places: Places) -> dict[str, Any]:
    return {"text": text.text, "reason": text.reason, "at": places.of_address(text.pointer)}


def _attested(item: Attested, book: Ledger, places: Places) -> dict[str, Any]:
    record: dict[str, Any] = {
        "fact": item.fact,
        "terms": _dimensions(item.terms, book),
        "words": {name: fact(told, places) for name, told in item.words.items()},
        "at": places.of_address(item.span),
        "printed_at": places.of_address(item.pointer),
    }
    return {**record, "by": item.by} if item.by else record
