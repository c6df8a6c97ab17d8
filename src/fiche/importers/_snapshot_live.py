"""What was live at the peak of requested bytes, grouped by the place in a program that asked for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any

from fiche.importers._snapshot_columns import ALLOC, FREE_COMPLETED, Columns
from fiche.importers._snapshot_replay import selected

MOST_GROUPS = 20
_DEEPEST = 256
_LONGEST = 200
_LIBRARY = ("/torch/", "/site-packages/", "/dist-packages/")
NO_FRAMES = "no frames recorded"
BEFORE = "allocated before the window"
Place = tuple[str, int, str]


@dataclass
class Group:
    """Live allocations of one place: how many, and the bytes that they asked for."""

    count: int = 0
    asked: int = 0


@dataclass
class Live:
    """Groups at the peak, largest first, and the frees of the window whose allocation it does not hold."""

    groups: list[tuple[Place, Group]]
    frees_before: int

    @property
    def asked(self) -> int:
        """Bytes that all groups asked for."""
        return sum(group.asked for _, group in self.groups)


def live_at(trace: Columns, peak: int, blocks: Mapping[int, tuple[int, Any, int]]) -> Live:
    """What lived just after entry `peak` (-1: at the start of the window).

    An address is live if the last thing that happened to it was an allocation, or if nothing happened
    to it before and it is freed later or is still a block at the end.
    """
    codes = bytes(trace.codes)
    moved = selected(codes, ALLOC, FREE_COMPLETED)
    addresses = [*compress(trace.addresses, moved)]
    entries = [*compress(range(len(codes)), moved)]
    until = bisect_right(entries, peak)
    last = dict(zip(islice(addresses, until), entries, strict=False))
    first = dict(zip(reversed(addresses), reversed(entries), strict=True))
    labels = _Labels()
    groups: dict[Place, Group] = {}
    for place in (at for at in last.values() if codes[at] == ALLOC):
        _count(groups, labels.of(trace.frames[place]), trace.counts[place])
    frees = [at for at in first.values() if codes[at] == FREE_COMPLETED]
    for place in frees:
        if place > peak:
            _count(groups, (BEFORE, 0, ""), trace.counts[place])
    for address, (asked, frames, _) in blocks.items():
        if address not in first:
            _count(groups, labels.of(frames), asked)
    ordered = sorted(groups.items(), key=lambda item: (-item[1].asked, item[0]))
    return Live(groups=ordered, frees_before=len(frees))


def _count(groups: dict[Place, Group], place: Place, asked: int) -> None:
    group = groups.setdefault(place, Group())
    group.count += 1
    group.asked += asked


class _Labels:
    """The place of a stack: its innermost frame outside libraries, found once a list of frames.

    Lists share their frames, and all of both outlive this: each is known by its `id`.
    """

    def __init__(self) -> None:
        self._known: dict[int, Place] = {}
        self._frames: dict[int, Place | None] = {}

    def of(self, frames: object) -> Place:
        found = self._known.get(id(frames))
        if found is None:
            found = self._known[id(frames)] = self._place(frames)
        return found

    def _place(self, frames: object) -> Place:
        if not isinstance(frames, list | tuple) or not frames:
            return (NO_FRAMES, 0, "")
        python = told = None
        for place in filter(None, map(self._frame, frames[:_DEEPEST])):
            told = told or place
            if place[0].endswith(".py"):
                python = python or place
                if not any(part in place[0] for part in _LIBRARY):
                    return place
        return python or told or (NO_FRAMES, 0, "")

    def _frame(self, frame: object) -> Place | None:
        if id(frame) not in self._frames:
            self._frames[id(frame)] = _frame(frame)
        return self._frames[id(frame)]


def _frame(frame: object) -> Place | None:
    if not isinstance(frame, dict):
        return None
    file, line, name = (frame.get(key) for key in ("filename", "line", "name"))
    if not isinstance(file, str) or not isinstance(name, str) or type(line) is not int:
        return None
    return words(file, from_end=True), line if 0 <= line < 1 << 31 else 0, words(name)


def words(text: str, *, from_end: bool = False) -> str:
    """Words of the file, bounded, as text that can be written anywhere."""
    kept = text[-_LONGEST:] if from_end else text[:_LONGEST]
    return kept.encode("utf-8", "replace").decode()
