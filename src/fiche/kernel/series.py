"""Readings of one counter that only time tells apart, as one series (C3, C5, C13).

A log prints the same counter at each step, and prints one line twice where it has two handlers. Nothing is
added or averaged: of a long series its largest reading stands for the rest, and says for how many.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.figure import Number
from fiche.kernel.piece import Observation
from fiche.kernel.record import record

# A short series is shown reading by reading: its labels tell what each was taken at.
_FEW = 6
# What tells one thing measured from another on the same device.
_MARKS = ("mig", "pid", "buffer", "stage", "bus_id", "uuid", "host", "release")


@record
class Series:
    """One counter of one speaker on one device.

    `readings` are those that differ, in their order, each with its id; `repeats` counts further lines that
    print one of them again (same figure, same step and label).
    """

    readings: tuple[tuple[str, Observation], ...]
    repeats: int = 0

    @property
    def first(self) -> Observation:
        """What all readings have in common can be read from the first."""
        return self.readings[0][1]

    @property
    def extreme(self) -> tuple[str, Observation]:
        """The reading with the largest lower end, of free memory the one with the smallest; first of equals."""
        if self.first.stat == "free":
            return min(self.readings, key=lambda each: _height(each[1]))
        return max(self.readings, key=lambda each: _height(each[1]))

    @property
    def shown(self) -> tuple[tuple[str, Observation], ...]:
        """All readings of a short series; of a long one the extreme alone stands for the rest."""
        return self.readings if len(self.readings) <= _FEW else (self.extreme,)

    @property
    def constant(self) -> bool:
        """True where every reading has the same figure."""
        return len({_figure(seen) for _, seen in self.readings}) == 1


def series(observations: Iterable[tuple[str, Observation]]) -> tuple[Series, ...]:
    """Group readings with their ids, in the order in which each series begins."""
    groups: dict[object, list[tuple[str, Observation]]] = {}
    for name, seen in observations:
        groups.setdefault(_key(seen), []).append((name, seen))
    return tuple(_series(group) for group in groups.values())


def _series(group: list[tuple[str, Observation]]) -> Series:
    kept: dict[object, tuple[str, Observation]] = {}
    for name, seen in group:
        kept.setdefault((_figure(seen), seen.label, str(seen.marks.get("step", ""))), (name, seen))
    return Series(readings=tuple(kept.values()), repeats=len(group) - len(kept))


def _key(seen: Observation) -> object:
    marks = tuple(str(seen.marks.get(key, "")) for key in _MARKS)
    who = (seen.device_index, seen.rank, seen.phase, seen.window)
    return (seen.counter, seen.scope, seen.stat, seen.kind_of_origin, seen.unit, *who, *marks)


def _figure(seen: Observation) -> object:
    if seen.value is None:
        return seen.number
    return (seen.value.low, seen.value.high, seen.value.unavailable)


def _height(seen: Observation) -> Number:
    if seen.value is not None:
        return -1 if seen.value.low is None else seen.value.low
    return -1 if seen.number is None else seen.number
