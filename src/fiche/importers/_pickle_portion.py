"""Parts of a pickle: whole opcodes that may be loaded, and bytes that are not read at all."""

from __future__ import annotations

from itertools import accumulate

from fiche.importers._pickle_opcodes import FRAME, reach
from fiche.kernel.record import record

_MOST_BYTES = 4 << 20
_ENTRY = b"u}\x94("
_HEAD = 9
# Picklers end a frame after 64 KiB; with less in each, opcode by opcode is quicker.
_LEAST_FRAME = 32 << 10
_LONGEST_ENTRY = 8 << 10


class UnsafePickleError(Exception):
    """Bytes that are not read: `reason` is forbidden_global, malformed, truncated, excessive, text or other."""

    def __init__(self, reason: str, offset: int, words: str) -> None:
        super().__init__(words)
        self.reason = reason
        self.offset = offset
        self.words = words


@record
class Portion:
    """Bytes from `start` to `end`, whole opcodes.

    `entries_end` where entries of a trace stand before its end, as a batch that may be handed on; `written`
    are opcodes that hand on the same batch, in place of those bytes.
    """

    start: int
    end: int
    entries_end: bool = False
    written: bytes = b""


def unframed(content: bytes, start: int, end: int, frame_end: int) -> tuple[bytes, int]:
    """The bytes of a batch without the heads of its frames, and where the last of these frames ends.

    Nothing where frames do not follow upon each other, or may end inside an opcode: the scan, which goes
    opcode by opcode, judges that.
    """
    parts: list[bytes] = []
    if end - start > _MOST_BYTES:
        return b"", 0
    while frame_end < end:
        behind = max(start, frame_end)
        parts.append(content[start:behind])
        start = behind + _HEAD
        if content[behind] != FRAME or start > end:
            return b"", 0
        frame_end = start + int.from_bytes(content[behind + 1 : start], "little")
        if frame_end > len(content):
            return b"", 0
    whole = b"".join((*parts, content[start:end]))
    few = len(parts) <= 2 + len(whole) // _LEAST_FRAME
    edges = accumulate(map(len, parts))
    judged = few and all(_between_opcodes(whole, at) for at in edges)
    return (whole, frame_end) if judged else (b"", 0)


def _between_opcodes(batch: bytes, at: int) -> bool:
    """True if an opcode begins at `at`, told from the entry that it is part of."""
    pos = batch.rfind(_ENTRY, max(0, at - _LONGEST_ENTRY), at) + 1
    while pos < at <= pos + _LONGEST_ENTRY:
        pos += reach(batch, pos)
    return pos == at
