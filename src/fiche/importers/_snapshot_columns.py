"""The entries of one trace as columns: five whole numbers each, taken batch by batch and then dropped.

An entry's dictionary takes ten times as much. Everything here runs in C over whole batches; entries
that lack a key, and refusals, take the slow way.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from fiche.importers._pickle_rows import COLUMNS, Batch
from fiche.importers._snapshot_streams import StreamColumn

ALLOC, FREE_REQUESTED, FREE_COMPLETED = 1, 2, 3
GROWN, SHRUNK = (4, 6), (5, 7)
OOM = 8
# Actions in the words of c10's TraceEntry (user_defined, workspace_snapshot: newer, forks) and their codes.
ACTIONS = {
    "alloc": ALLOC,
    "free_requested": FREE_REQUESTED,
    "free_completed": FREE_COMPLETED,
    "segment_alloc": GROWN[0],
    "segment_free": SHRUNK[0],
    "segment_map": GROWN[1],
    "segment_unmap": SHRUNK[1],
    "oom": OOM,
    "snapshot": 9,
    "workspace_snapshot": 10,
    "user_defined": 11,
}
_OTHER = 0
NO_TIME = -1
# The byte of a number of 64 bits that bears its sign, in its highest bit.
_SIGN = 7 if sys.byteorder == "little" else 0
_MOST_NAMES = 64

_GETTERS = (*map(itemgetter, COLUMNS),)


class MisshapenError(Exception):
    """A value that is not of the sort that stands at its place; `path` says where."""

    def __init__(self, path: str, words: str) -> None:
        super().__init__(words)
        self.path = path
        self.words = words


class Columns:
    """One trace: `codes`, `counts` (bytes), `addresses`, `times` (us), `streams` and `frames`, by entry."""

    def __init__(self) -> None:
        self.codes = bytearray()
        self.counts = array("q")
        self.addresses = array("Q")
        self.times = array("q")
        self.streams = StreamColumn()
        self.frames: list[object] = []
        self.device_free: dict[int, int] = {}
        self.unknown: dict[str, int] = {}
        self.words: set[str | None] = set()

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def actions(self) -> tuple[str, ...]:
        """The known actions that occur, each once."""
        held = {*self.codes}
        return tuple(action for action, code in ACTIONS.items() if code in held)

    def take(self, entries: Sequence[dict[str, Any]], path: str) -> None:
        """Append the entries.

        Raises:
            MisshapenError: an entry is none.
        """
        self._take(([*map(get, entries)] for get in _GETTERS), lambda: entries, path)

    def take_batch(self, batch: Batch, path: str) -> None:
        """Append entries that are columns already.

        Raises:
            MisshapenError: an entry is none.
        """
        self._take(batch.columns, batch.entries, path)

    def _take(
        self,
        columns: Iterable[list[Any]],
        entries: Callable[[], Sequence[dict[str, Any]]],
        path: str,
    ) -> None:
        before = len(self)
        try:
            self._quick(*columns)
        except (KeyError, TypeError, ValueError, OverflowError):
            self._back_to(before)
            for place, entry in enumerate(entries(), before):
                self._one(entry, f"{path}/{place}")
        self._checked(before, path)

    def _quick(
        self,
        actions: list[Any],
        addresses: list[Any],
        counts: list[Any],
        times: list[Any],
        streams: list[Any],
        frames: list[Any],
        words: list[Any],
    ) -> None:
        """Every entry has every key: the usual case, without a line of Python an entry."""
        self.codes += bytes(map(ACTIONS.__getitem__, actions))
        self.addresses.fromlist(addresses)
        self.counts.fromlist(counts)
        self.times.fromlist(times)
        self.streams.take(streams, len(actions))
        self.frames.extend(frames)
        if len(self.words) < _MOST_NAMES:
            plain = {*map(type, words)} <= {str, type(None)}  # anything else is never hashed
            self.words.update(words if plain else (word for word in words if type(word) is str))

    def _back_to(self, length: int) -> None:
        for column in (self.codes, self.addresses, self.counts, self.times, self.frames):
            del column[length:]
        self.streams.cut(length)

    def _one(self, entry: object, path: str) -> None:
        if not isinstance(entry, dict):
            raise MisshapenError(path, f"an entry of a trace is a {type(entry).__name__}")
        action: Any
        count: Any
        action, count = entry.get("action"), entry.get("size")
        if type(action) is not str or type(count) is not int:
            raise MisshapenError(path, "an entry of a trace needs an action and a whole size")
        code = ACTIONS.get(action)
        if code is None and (action in self.unknown or len(self.unknown) < _MOST_NAMES):
            self.unknown[action[:60]] = self.unknown.get(action[:60], 0) + 1
        at: Any = entry.get("device_free" if code == OOM else "addr", entry.get("addr", 0))
        time: Any = entry.get("time_us", NO_TIME)
        try:
            self.addresses.append(at)
            self.counts.append(count)
            self.times.append(time)
        except (TypeError, OverflowError):
            raise MisshapenError(path, "an address, size or time is no number of 64 bits") from None
        if code == OOM and "device_free" in entry:
            self.device_free[len(self.codes)] = at
        self.codes.append(_OTHER if code is None else code)
        self.streams.add(entry.get("stream"))
        self.frames.append(entry.get("frames"))
        word = entry.get("user_metadata")
        if type(word) is str and len(self.words) < _MOST_NAMES:
            self.words.add(word)

    def _checked(self, before: int, path: str) -> None:
        signs = self.counts[before:].tobytes()[_SIGN :: self.counts.itemsize]
        if not signs.isascii():
            raise MisshapenError(path, "an entry's size is below zero")


def dropped(entries: Sequence[dict[str, Any]]) -> None:
    """Empty entries that were taken: the unpickler's memo would keep all they hold."""
    deque(map(dict.clear, entries), 0)
