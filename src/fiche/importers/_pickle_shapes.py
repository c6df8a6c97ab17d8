"""The shape of most dictionaries of a long pickle, as a pattern: a whole entry is then one step of a scan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from fiche.importers._pickle_opcodes import (
    ALLOCATING,
    FRAME,
    NUMBERS,
    PAIR,
    STOP,
    TUPLES,
    WIDTHS,
    indexes,
    reach,
)
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record

# What allocates without argument may be one byte in so many; files made of anything denser learn nothing.
_ONE_IN = 8
_SEEN_OFTEN = 8
_MOST_SHAPES = 4
_LONGEST = 128
_REFERENCES = lazy(rb"(?:j....|h.)+e", re.DOTALL)


@record(kw_only=False)
class _Shape:
    pattern: bytes
    key: bytes
    end: int
    num_bytes: int
    allocating: int


def most_usual_shape(
    content: bytes, start: int, end: int
) -> tuple[re.Pattern[bytes], bytes] | None:
    """A pattern of the dictionaries most often met from `start`, and the bytes that begin each."""
    seen: Counter[bytes] = Counter()
    keys: dict[bytes, bytes] = {}
    for shape in _shapes(content, start, min(end, len(content))):
        if shape.allocating * _ONE_IN <= shape.num_bytes:
            seen[shape.pattern] += 1
            keys[shape.pattern] = shape.key
    usual = [pattern for pattern, times in seen.most_common(_MOST_SHAPES) if times >= _SEEN_OFTEN]
    if not usual:
        return None
    return lazy(b"(?:" + b"|".join(usual) + b")++", re.DOTALL), keys[usual[0]]


def _shapes(content: bytes, pos: int, end: int) -> Iterator[_Shape]:
    while pos < end:
        if content[pos] == ord("}"):
            shape = _shape(content, pos, end)
            if shape is not None:
                yield shape
                pos = shape.end
                continue
        pos += reach(content, pos)


def _shape(content: bytes, start: int, end: int) -> _Shape | None:
    """The dictionary at `start` as a pattern, if it holds only scalars, references and lists of these."""
    parts: list[bytes] = []
    pos, key, allocating, opened, numbers = start, b"", 0, 0, 0
    while pos < end:
        op = content[pos]
        width = reach(content, pos)
        if (op == ord("}") and pos > start) or not _plain(op, width):
            return None
        if op in TUPLES and (op != PAIR or numbers < 2):
            return None
        numbers = numbers + 1 if op in NUMBERS else 0
        if op == ord("(") and opened == ord("]"):
            held = _REFERENCES.match(content, pos + 1, end)
            if held is None:
                return None
            parts.append(rb"\((?:j....|h.)++e")
            pos = held.end()
            continue
        parts.append(_part(content, pos, op, width, len(content)))
        allocating += op in ALLOCATING
        opened = op if op in b"]}" else opened
        pos += width
        if op == ord("(") and not key:
            key = content[start : pos + reach(content, pos)]
        if op == ord("u"):
            return _Shape(b"".join(parts), key, pos, pos - start, allocating)
    return None


def _plain(op: int, width: int) -> bool:
    """An opcode that any run may hold: a shape must never let through what a run would not."""
    limit = 11 if op == 0x8A else _LONGEST
    return op in WIDTHS and op not in (FRAME, STOP) and width <= limit


def _part(content: bytes, pos: int, op: int, width: int, length: int) -> bytes:
    """One opcode as a pattern: itself with any argument of its width."""
    if op == ord("r"):
        return b"r" + indexes(length)
    if op in b"X\x8c\x8a":
        head = 5 if op == ord("X") else 2
        return re.escape(content[pos : pos + head]) + b"." * (width - head)
    return re.escape(content[pos : pos + 1]) + b"." * (width - 1)
