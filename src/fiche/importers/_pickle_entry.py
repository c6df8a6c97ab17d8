"""What every entry of a long trace looks like, learnt from one that is loaded: a pattern for its like.

Python's pickler writes nearly all entries with the same keys, by the same references to the memo; they differ
in numbers and references only. What else such an entry puts into the memo is the same value each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fiche.importers._pickle_opcodes import ALLOCATING
from fiche.kernel.lazy import lazy

NUMBERS = ("addr", "size", "time_us", "stream")
REFERENCES = ("action", "user_metadata")
FRAMES, SAME_FRAMES = "frames", "the frames of another entry"
# What the value of each key that columns need may be; an entry without one of them is read the slow way.
_WANTED = {
    **dict.fromkeys(NUMBERS, ("number",)),
    **dict.fromkeys(REFERENCES, ("reference",)),
    FRAMES: ("reference", "frames"),
}
_SHORT = b"|".join(re.escape(bytes([n])) + b"." * n for n in range(25))
_PATTERNS = {
    "reference": rb"j....|h.",
    "pair": rb"K.K.\x86\x94",
    "number": rb"\x8a\x06......|J....|\x8a\x07.......|K.|M..|\x8a\x05.....|\x8a\x08........",
    # The bound keeps a search through hostile bytes linear; no stack that torch records is as deep.
    "frames": rb"\]\x94(?:\((?:j....|h.){1,512}+e)?+",
    "text": rb"\x8c(?:" + _SHORT + rb")\x94",
    "nothing": rb"[N\x88\x89]",
}
_SORTS = {sort: lazy(pattern, re.DOTALL) for sort, pattern in _PATTERNS.items()}
# Sorts of values that a pickler puts into the memo.
_REMEMBERED = ("pair", "text", "frames")
_MOST_SLOTS, _LONGEST = 100, 8 << 10
# What allocates without argument may be one byte in so many, as in other learnt shapes.
_ONE_IN = 8
_OPENING = b"}\x94("


def index_of(reference: bytes) -> int:
    """The index in the memo that a reference names."""
    return int.from_bytes(reference[1:], "little")


def reference_to(index: int) -> bytes:
    """A reference to what stands in the memo at `index`, none above 2**32."""
    return b"j" + index.to_bytes(4, "little")


def _filled(index: int) -> bytes:
    """Fill the next slot of the memo with what stands at `index`."""
    return reference_to(index) + b"\x94"


class Entry:
    """One entry whose slots of the memo begin at `slot`.

    `known` is False where it is none that others can be told by. `groups` are the keys whose values the
    pattern captures, frames as a list or (`SAME_FRAMES`) as a reference; `before` and `after` refer to the
    slots of the memo that its like fill before and behind their frames.
    """

    def __init__(self, entry: bytes, memo: Mapping[int, object], slot: int) -> None:
        self.groups: list[str] = []
        self.before, self.after = [_filled(slot)], list[bytes]()
        self._entry, self._memo, self._next = entry, memo, slot + 1
        self._parts = [re.escape(_OPENING)]
        allocating = len(entry) - len(entry.translate(None, ALLOCATING))
        self.known = entry.startswith(_OPENING) and allocating * _ONE_IN <= len(entry)
        self.known = self.known and self._walked()

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """Matches entries that differ from this one in what is captured, and in further numbers."""
        return lazy(b"".join(self._parts) + b"u", re.DOTALL)

    def _walked(self) -> bool:
        pos, seen = len(_OPENING), set[str]()
        while self._entry[pos : pos + 1] != b"u":
            key = _SORTS["reference"].match(self._entry, pos)
            name = self._memo.get(index_of(key[0])) if key else None
            if key is None or not isinstance(name, str) or name in seen:
                return False
            seen.add(name)
            self._parts.append(re.escape(key[0]))
            pos = self._value(name, key.end())
            if not pos:
                return False
        few = len(self.before) + len(self.after) < _MOST_SLOTS
        return few and pos + 1 == len(self._entry) and seen >= {*_WANTED}

    def _value(self, name: str, pos: int) -> int:
        """Where the value at `pos` ends, taken into the pattern; 0 for one of another sort."""
        for sort, pattern in _SORTS.items():
            found = pattern.match(self._entry, pos)
            if found is not None:
                return found.end() if self._taken(name, sort, found[0]) else 0
        return 0

    def _taken(self, name: str, sort: str, value: bytes) -> bool:
        """Any like value is captured for a key that columns need, and passed over for a number of another."""
        wanted = _WANTED.get(name)
        if wanted is not None:
            self._parts += (b"(?:", b"|".join(b"(" + _PATTERNS[one] + b")" for one in wanted), b")")
            self.groups += (SAME_FRAMES, name) if name == FRAMES else (name,)
        elif sort == "number":
            self._parts.append(b"(?:" + _PATTERNS[sort] + b")")
        else:
            self._parts.append(re.escape(value))
            if sort in _REMEMBERED:
                (self.after if FRAMES in self.groups else self.before).append(_filled(self._next))
        self._next += sort in _REMEMBERED
        return sort != "frames" if wanted is None else sort in wanted


def last_entry(content: bytes, start: int, end: int) -> tuple[bytes, int]:
    """The bytes of the last entry before `end`, none if none is seen; how many slots of the memo it filled."""
    at = content.rfind(b"u" + _OPENING, max(start, end - _LONGEST), end) + 1
    if not at:
        return b"", 0
    slots, pos = 1, at + len(_OPENING)
    while pos < end - 1:
        for sort, pattern in _SORTS.items():
            found = pattern.match(content, pos, end)
            if found is not None:
                slots += sort in _REMEMBERED
                pos = found.end()
                break
        else:
            return b"", 0
    return content[at:end], slots
