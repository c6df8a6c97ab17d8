"""Readings of one counter that only time tells apart, as one series (C3, C5, C13).

A log prints the same counter at each step, and prints one line twice where it has two handlers. Nothing is
added or averaged: where there are many, the extreme reading of a series stands for the rest, then the
extreme of all ranks and devices, and says for how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiche.kernel.figure import Number
from fiche.kernel.piece import Observation
from fiche.kernel.record import record

# A short series is shown reading by reading: its labels tell what each was taken at.
_FEW = 6
# What tells one thing measured from another on the same device.
_MARKS = ("mig", "pid", "buffer", "stage", "bus_id", "uuid", "host", "release", "speaker", "start")
# Of these nobody knows which one matters, so they are never shown by one for all.
_APART = ("buffer", "stage", "release", "start")


@record
class Series:
    """One counter of one speaker on one device; or, where `members` is above 1, of as many of them.

    `readings` are those that differ, in their order, each with its id; `lines` counts the lines that print
    each of them (same figure, same step and label); `left_out` are readings that the file holds
    and the reading of it does not list.
    """

    readings: tuple[tuple[str, Observation], ...]
    lines: tuple[int, ...]
    left_out: int = 0
    members: int = 1

    @property
    def first(self) -> Observation:
        """What all readings have in common can be read from the first."""
        return self.readings[0][1]

    @property
    def count(self) -> int:
        """How many readings the file holds."""
        return sum(self.lines) + self.left_out

    @property
    def extreme(self) -> tuple[str, Observation]:
        """The reading with the largest lower end, of free memory the one with the smallest; first of equals."""
        told = [each for each in self.readings if height(each[1]) is not None] or [self.readings[0]]
        if self.first.stat == "free":
            return min(told, key=lambda each: height(each[1]) or 0)
        return max(told, key=lambda each: height(each[1]) or 0)

    @property
    def constant(self) -> bool:
        """True where every reading has the same figure."""
        return len({_figure(seen) for _, seen in self.readings}) == 1


@record
class Told:
    """One reading as it is shown, and its series; `alone` says that it stands for no other."""

    id: str
    seen: Observation
    series: Series
    alone: bool

    @property
    def repeats(self) -> int:
        """How many further lines print this very reading."""
        if not self.alone:
            return 0
        place = [name for name, _ in self.series.readings].index(self.id)
        return self.series.lines[place] - 1


def told(observations: Iterable[tuple[str, Observation]], most: int) -> tuple[Told, ...]:
    """The readings to show, at most about `most` where their kinds allow it.

    Every reading of short series; else the extreme of each series; else the extreme of all ranks, devices
    and processes that have the counter. No counter is left out.
    """
    given = tuple(observations)
    each = series(given)
    rows = [
        row for one in each for row in _rows(one, one.readings if len(one.readings) <= _FEW else ())
    ]
    if len(rows) > most:
        rows = [row for one in each for row in _rows(one, ())]
    if len(rows) > most:
        rows = [row for one in _merged(each) for row in _rows(one, ())]
    return tuple(rows)


def _rows(one: Series, readings: Sequence[tuple[str, Observation]]) -> list[Told]:
    if readings and one.left_out == 0:
        return [Told(id=name, seen=seen, series=one, alone=True) for name, seen in readings]
    name, seen = one.extreme
    alone = len(one.readings) == 1 and one.left_out == 0
    return [Told(id=name, seen=seen, series=one, alone=alone)]


def series(observations: Iterable[tuple[str, Observation]]) -> tuple[Series, ...]:
    """Group readings with their ids, in the order in which each series begins."""
    groups: dict[object, list[tuple[str, Observation]]] = {}
    for name, seen in observations:
        groups.setdefault((_what(seen), _who(seen)), []).append((name, seen))
    return tuple(_series(group) for group in groups.values())


def _series(group: list[tuple[str, Observation]]) -> Series:
    kept: dict[object, tuple[str, Observation]] = {}
    lines: dict[object, int] = {}
    left_out = 0
    for name, seen in group:
        key = (_figure(seen), seen.label, str(seen.marks.get("step", "")))
        kept.setdefault(key, (name, seen))
        lines[key] = lines.get(key, 0) + 1
        hidden = seen.marks.get("left_out", 0)
        left_out += hidden if isinstance(hidden, int) else 0
    return Series(readings=tuple(kept.values()), lines=tuple(lines.values()), left_out=left_out)


def _merged(each: Iterable[Series]) -> list[Series]:
    """The series of one counter, over all who have it."""
    groups: dict[object, list[Series]] = {}
    for one in each:
        groups.setdefault(_what(one.first), []).append(one)
    return [
        Series(
            readings=tuple(pair for one in some for pair in one.readings),
            lines=tuple(count for one in some for count in one.lines),
            left_out=sum(one.left_out for one in some),
            members=len(some),
        )
        for some in groups.values()
    ]


def _what(seen: Observation) -> object:
    apart = tuple(str(seen.marks.get(key, "")) for key in _APART)
    of = (seen.counter, seen.scope, seen.stat, seen.kind_of_origin, seen.unit)
    return (*of, seen.phase, seen.window, *apart)


def _who(seen: Observation) -> object:
    marks = tuple(str(seen.marks.get(key, "")) for key in _MARKS)
    return (seen.device_index, seen.rank, *marks)


def _figure(seen: Observation) -> object:
    if seen.value is None:
        return seen.number
    return (seen.value.low, seen.value.high, seen.value.unavailable)


def height(seen: Observation) -> Number | None:
    """What readings of one counter are compared by; None where the program gave no figure."""
    return seen.number if seen.value is None else seen.value.low
