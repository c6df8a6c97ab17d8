"""Batches of a trace whose entries all look alike, written anew: columns in place of dictionaries.

The entries of a batch are found by one pattern that must cover all of its bytes, so nothing gets by that the
scan would refuse. Their numbers become lists, and each stack one list however often it was written. The
memo is filled slot by slot with equal values, so what is referred to later is found where it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any

from fiche.importers._pickle_entry import (
    FRAMES,
    NUMBERS,
    REFERENCES,
    SAME_FRAMES,
    Entry,
    index_of,
    last_entry,
    reference_to,
)
from fiche.importers._pickle_opcodes import ordinary, reach
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

# What is kept of an entry, in this order.
COLUMNS = (REFERENCES[0], *NUMBERS, FRAMES, REFERENCES[1])
Memo = Callable[[], dict[int, Any]]
# `e` ends the batch before, what follows the last entry hands all on (see `batch_of`) and sets a new mark.
_FROM, _HAND_ON = b"e(", b"\x86\x87Q("
_MEMOIZE = b"\x94"
# Stacks of one snapshot that are kept once each; with more than that, each has a list of its own.
_MOST_STACKS = 1 << 16
# A batch that is not alike costs what so many others gain; how far to go in vain, and how often to learn.
_COSTS, _MOST_COSTS, _MOST_LESSONS = 4, 128, 8


@record
class Batch:
    """Entries as columns, named by `COLUMNS`; streams and labels are a single one if all have it."""

    columns: tuple[list[Any], ...]

    def entries(self) -> list[dict[str, Any]]:
        """The entries as dictionaries."""
        count = len(self.columns[0])
        columns = (c if len(c) == count else repeat(c[0], count) for c in self.columns)
        rows = zip(*columns, strict=True)
        return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def batch_of(parts: Sequence[list[Any]], first: int, stride: int) -> Batch:
    """What the opcodes that `Rows` writes make, once they are loaded."""
    filled, actions, words, *numbers = parts
    return Batch(columns=(actions, *numbers, filled[first::stride], words))


class Rows:
    """The pattern of entries, once there is one, and where in the memo the next entry begins."""

    def __init__(self, length: int) -> None:
        plain = ordinary(length, puts=False)
        self._runs = lazy(b"(?:" + plain + b")++", re.DOTALL)
        self._opcodes = lazy(b"(" + _MEMOIZE + b")|" + plain, re.DOTALL)
        self._pattern: re.Pattern[bytes] | None = None
        self._costs = self._lessons = 0
        self._index = 0
        self._seen: dict[bytes, bytes] = {}

    @property
    def idle(self) -> bool:
        """True where there is no pattern, and none is looked for any more."""
        return self._pattern is None and not self.wanting

    @property
    def wanting(self) -> bool:
        """True while there is no pattern, and it is worth looking for one."""
        return self._pattern is None and self._lessons < _MOST_LESSONS

    def learn(self, content: bytes, start: int, end: int, memo: Memo) -> None:
        """Learn from the entry that ends at `end`, the last of a batch that was loaded and taken."""
        self._lessons += 1
        last, slots = last_entry(content, start, end)
        if not last:
            return
        held = memo()
        index = len(held) - slots
        if held.get(index) != {} or next(reversed(held)) != len(held) - 1:
            return  # not dropped, or its slots are not those just filled
        entry = Entry(last, held, index)
        if entry.known:
            self._pattern, self._index = entry.pattern, len(held)
            self._seen.clear()
            self._groups = entry.groups
            self._before, self._after = map(b"".join, (entry.before, entry.after))
            self._first = len(entry.before)
            self._stride = self._first + 1 + len(entry.after)

    def written(self, batch: bytes) -> bytes | None:
        """Opcodes that fill the memo as `batch` does and hand its entries on; None if any is not alike."""
        if self._pattern is None:
            return None
        written = self._alike(self._pattern, batch)
        self._costs = max(0, self._costs - 1) if written else self._costs + _COSTS
        if written is None and not self._passed(batch):
            self._pattern = None
        return written

    def _alike(self, pattern: re.Pattern[bytes], batch: bytes) -> bytes | None:
        parts, stride = pattern.split(batch), len(self._groups) + 1
        if parts[0] != _FROM or len(parts) == 1 or any(parts[stride::stride]):
            return None  # something stands before, between or behind the entries
        column = {name: parts[at::stride] for at, name in enumerate(self._groups, 1)}
        named = {name: {*column[name]} for name in REFERENCES}
        if max(map(index_of, set[bytes]().union(*named.values()))) >= self._index:
            return None
        for name in (REFERENCES[1], NUMBERS[-1]):
            held = {*column[name]}
            column[name] = [*held] if len(held) == 1 else column[name]
        stacks = (self._after + self._before).join(
            self._once_each(column[SAME_FRAMES], column[FRAMES])
        )
        numbers_and_names = (b"".join(column[name]) for name in (*REFERENCES, *NUMBERS))
        listed = b"l(".join((self._before + stacks + self._after, *numbers_and_names))
        shape = bytes((ord("K"), self._first, ord("K"), self._stride))
        return b"e((" + listed + b"ll" + shape + _HAND_ON

    def _once_each(self, same: Sequence[Any], lists: Sequence[Any]) -> Iterable[bytes]:
        """The frames of each entry (one of both is None), a list by reference to the first of its like."""
        seen, index = self._seen, self._index
        self._index += len(lists) * self._stride - lists.count(None)
        fresh = {*lists}.difference(seen, {None})
        if not fresh:
            return map(seen.get, lists, same)
        told = []
        for reference, stack in zip(same, lists, strict=True):
            told.append(reference or seen.get(stack, stack))
            if stack in fresh:
                fresh.remove(stack)
                if len(seen) < _MOST_STACKS:
                    seen[stack] = reference_to(index + self._first) + _MEMOIZE
            index += self._stride - (stack is None)
        return told

    def _passed(self, batch: bytes) -> bool:
        """Count what a batch that is read the slow way puts into the memo; False if that cannot be told.

        (Or if it has been in vain too often.)
        """
        pos = 0
        while pos < len(batch):
            run = self._runs.match(batch, pos)
            if run is None and batch[pos] not in b"X\x8c":
                return False
            end = run.end() if run else pos + reach(batch, pos)
            if run:
                self._index += self._opcodes.findall(batch, pos, end).count(_MEMOIZE)
            pos = end
        return bool(batch) and pos == len(batch) and self._costs <= _MOST_COSTS
