"""One row a record: what a table of many records shows of each, without a reading of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.importers._record_places import Form
from fiche.kernel.record import record

_Phase = Mapping[str, Any]


@record
class Largest:
    """The largest peak of the allocator's reserve that a successful phase showed, in bytes, and where."""

    bytes: int
    device: str
    phase: str


@record
class RecordRow:
    """One record of a campaign or a series.

    `outcome` is failure where a phase failed, unknown where one has no end or the text breaks off. Peaks are
    of the un-phased loop where there is one (C8), of first and of later passes apart (C7), and of phases that
    succeeded: what a failed one reached is no need (C11).
    """

    file: str
    sha256: str
    shape: str
    series: str
    run: str
    rank: int | None
    world: int | None
    trial: str
    gpu: str
    empty_cache: str
    ordering: str
    outcome: str
    failed: str
    num_phases: int
    executed: Mapping[str, int]
    first: Largest | None
    later: Largest | None


def row_of(found: Form, file: str) -> RecordRow:
    """The row of a checked record."""
    document = found.document
    series, phases = document["series"], document["phases"]
    rank = series.get("rank") or {}
    whole = [phase for phase in phases if phase["ordering"] == "whole_loop"]
    shown = whole or phases
    failed = [phase for phase in phases if phase["outcome"] == "failure"]
    unknown = found.cut or bool(found.unfinished)
    return RecordRow(
        file=file,
        sha256=found.sha256,
        shape="document" if found.header_line is None else "journal",
        series=series["id"],
        run=series.get("run", ""),
        rank=rank.get("rank"),
        world=rank.get("world"),
        trial=_trial(series.get("plan")),
        gpu=document.get("gpu", "") or document["environment"]["devices"][0]["name"],
        empty_cache=series.get("empty_cache", ""),
        ordering="whole loop" if whole else "phased",
        outcome="failure" if failed else "unknown" if unknown else "success",
        failed=failed[0]["name"] if failed else "",
        num_phases=len(phases),
        executed=next((p["executed"] for p in reversed(shown) if p.get("executed")), {}),
        first=_largest(shown, "first"),
        later=_largest(shown, "later"),
    )


def _trial(plan: Mapping[str, Any] | None) -> str:
    """`context 4096, trial 3` as planned; empty where nothing was."""
    if plan is None:
        return ""
    named = " ".join(str(plan[key]) for key in ("variable", "value") if key in plan)
    return ", ".join(word for word in (named, f"trial {plan['index']}") if word)


def _largest(phases: list[_Phase], pass_: str) -> Largest | None:
    told = max(_reserved(phases, pass_), default=None)
    return None if told is None else Largest(bytes=told[0], device=told[1], phase=told[2])


def _reserved(phases: list[_Phase], pass_: str) -> Iterator[tuple[int, str, str]]:
    for phase in phases:
        if phase["pass"] != pass_ or phase["outcome"] != "success":
            continue
        for device in phase.get("devices", ()):
            peak = device.get("peak", {}).get("reserved_bytes")
            if peak is not None:
                yield peak, device["device"], phase["name"]
