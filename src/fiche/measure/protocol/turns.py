"""Runs a ready workload: first pass, warm-ups and repeats, phase by phase or as a whole loop (C7, C8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from fiche.measure.protocol.recorder import Recorder

ORDERINGS = ("phased", "whole_loop")
POLICIES = ("never", "between_repeats")


@dataclass(frozen=True)
class Turn:
    """One pass: the `first`, a `warmup` or a `repeat`, counted from 0 within its kind."""

    kind: str
    number: int


class Workload(Protocol):
    """What runs: its words for the record, its dimensions, and its phases."""

    declared: dict[str, Any]

    @property
    def words(self) -> dict[str, Any]:
        """The `workload` block of a record."""

    def prepare(self, rec: Recorder, place: str) -> None:
        """Make model and inputs on the device, in phases of their own."""

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """Run one pass in its phases."""


def turns(warmups: int, repeats: int) -> Iterator[Turn]:
    """The first pass is neither a warm-up nor a repeat."""
    yield Turn("first", 0)
    yield from (Turn("warmup", number) for number in range(warmups))
    yield from (Turn("repeat", number) for number in range(repeats))


def measured(
    rec: Recorder,
    workload: Workload,
    *,
    ordering: str,
    warmups: int,
    repeats: int,
    empty_cache: str,
) -> None:
    """Measure all turns in one process.

    Raises:
        ValueError: no such ordering or policy.
        Exception: what the workload raised; its phase is kept.
    """
    if ordering not in ORDERINGS or empty_cache not in POLICIES:
        raise ValueError(f"no such protocol: {ordering}, {empty_cache}")
    place = rec.devices.all[0].place
    planned = list(turns(warmups, repeats))
    if ordering == "phased":
        workload.prepare(rec, place)
        workload.turn(rec, planned[0])
    else:
        with rec.whole_loop("loop", **workload.declared):
            workload.prepare(rec, place)
            workload.turn(rec, planned[0])
    for turn in planned[1:]:
        if turn.kind == "repeat" and empty_cache == "between_repeats":
            rec.empty_cache()
        if ordering == "phased":
            workload.turn(rec, turn)
        else:
            with rec.whole_loop("loop", pass_="later", **workload.declared):
                workload.turn(rec, turn)
