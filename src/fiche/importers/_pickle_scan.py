"""Which bytes may go into an unpickler at all: judged opcode by opcode, before they are built (law 7).

Only what torch's writers emit passes (evidence_formats 2.3): plain containers, texts, numbers and
memo references, protocols 2 to 5. No name of a global, no call, no persistent id, no buffer from outside.
That alone does not protect memory: `LONG_BINPUT` with a huge index allocates before any check
(python/cpython#115952), so memo indexes, numbers, frames and the density of opcodes that allocate
are bounded by the file's length. One regular expression takes runs of ordinary opcodes: its loops are
possessive, so that it can neither backtrack nor take more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.importers._pickle_opcodes import (
    ALLOCATING,
    FORBIDDEN,
    FRAME,
    NUMBER,
    ODD,
    OUTSIDE,
    PAIR,
    PROTOCOLS,
    STOP,
    TUPLES,
    WIDTHS,
    ordinary,
    reach,
)
from fiche.importers._pickle_portion import Portion, UnsafePickleError, unframed
from fiche.importers._pickle_rows import Memo, Rows
from fiche.importers._pickle_shapes import most_usual_shape
from fiche.kernel.lazy import lazy

__all__ = ["Portion", "Scan", "UnsafePickleError", "scanned"]

_RUN = 64 * 1024
# A run that would leave less than this up to its end takes it too: what ends a frame is seen in one piece.
_REST = 1024
_RUN_BETWEEN_SHAPES = 2048
_PORTION = 1024 * 1024
# Of so many bytes of file, one may be an opcode that allocates without any argument.
_ONE_IN, _FREE = 4, 64 * 1024
_MOST_ALLOCATING = 32 * 1024 * 1024
# The end of one batch of entries and the start of the next.
_BATCH = b"ue(}"
# A writer may end a frame inside a pair: before its second number, or behind both.
_PAIR_ENDS = lazy(NUMBER + bytes([PAIR]), re.DOTALL)
_PAIR_GOES_ON = lazy(b"(?:" + NUMBER + b"){0,2}+[" + bytes([PAIR]) + b"t]", re.DOTALL)
_PAIR_IS_OVER = lazy(NUMBER + b"?+" + bytes([PAIR]), re.DOTALL)
# Shapes are learnt, and long traces are handed on in parts, where that pays.
_LONG = 1024 * 1024
_LEARNT_FROM = 64 * 1024


def scanned(content: bytes, traces_at: int, traces_end: int) -> tuple[Portion, ...]:
    """All opcodes in portions, frames left out: safe to be built, in bounds of the file's length.

    `traces_at` to `traces_end` is where the entries of traces may stand: only there are long lists cut
    into batches.

    Raises:
        UnsafePickleError: an opcode, a length or a density that no writer of snapshots produces.
    """
    return (*Scan(content, traces_at, traces_end),)


class Scan:
    """The place in the file, and what was seen up to there; iterate over its portions once.

    `memo` may be set to what tells the memo of an unpickler that loads each portion before it asks for
    the next: then batches of entries that are all alike are written anew.

    Raises:
        UnsafePickleError: from iterating, as `scanned` does.
    """

    def __init__(self, content: bytes, traces_at: int, traces_end: int) -> None:
        self.content, self.length = content, len(content)
        self.pos = self.start = 2
        self.frame_end = 0
        self.allocating = 0
        self.portions: list[Portion] = []
        plain = b"(?:" + ordinary(self.length)
        self.runs = lazy(plain + b")++", re.DOTALL)
        self.between = lazy(plain + rb")+?(?=\})", re.DOTALL)
        self.numbers = lazy(plain + b")*?(" + NUMBER + b")(" + NUMBER + rb")?+\Z", re.DOTALL)
        self.run_at = 2
        self.shapes: re.Pattern[bytes] | None = None
        self.mark, self.stride = _BATCH, 0
        self.cut = self.length
        long = self.length > _LONG and traces_at > 0
        self.learn_at = traces_at + _LEARNT_FROM if long else self.length
        self.traces_end = min(traces_end, self.length)
        self.memo: Memo | None = None
        self.rows = Rows(self.length)
        self.batched = self.stopped = False
        self.behind = 2
        self.left = self._judged()

    def __iter__(self) -> Iterator[Portion]:
        """Every opcode up to STOP, which must be the last byte."""
        return self.left

    def _judged(self) -> Iterator[Portion]:
        if self.content[:1] != b"\x80":
            words = "a pickle of protocol 0 or 1, which no snapshot is written in"
            raise UnsafePickleError("text", 0, words)
        if self.length < 2:
            raise UnsafePickleError("truncated", 0, "the pickle breaks off")
        if self.content[1] not in PROTOCOLS:
            raise UnsafePickleError("malformed", 0, "a pickle of an unknown protocol")
        while self.pos < self.length:
            if not self._rewritten():
                self._step()
            yield from self.portions
            self.portions.clear()
        if not self.stopped:
            raise self._broken("truncated", "the pickle breaks off: it has no STOP")

    def rest(self) -> None:
        """Judge what is left, where nothing of it is to be loaded any more.

        Raises:
            UnsafePickleError: as iterating does.
        """
        self.memo = None
        for _ in self.left:
            pass

    def _step(self) -> None:
        end = self._end()
        moved = self._ordinary_run(end)
        if self.pos == self.cut:
            self.batched, self.behind = True, self.start
            self._close(entries_end=True)
            self._next_cut(self.pos)
        elif self.pos >= self.learn_at:
            self._learn()
        elif not moved and not self._straddles(end):
            if self.content[self.pos] == STOP:
                self._stop()
                return
            self._odd()
        if self.pos - self.start > _PORTION:
            self._close()

    def _rewritten(self) -> bool:
        """One whole batch, where it can be written anew; each is tried once, at its first opcode."""
        if not self.batched or self.memo is None or self.rows.idle or self.cut == self.length:
            return False
        self.batched = False
        if self.rows.wanting:
            self.rows.learn(self.content, self.behind, self.pos, self.memo)
        batch, frame_end = unframed(self.content, self.pos, self.cut, self.frame_end)
        written = self.rows.written(batch)
        if not written:
            return False
        self.portions.append(Portion(start=self.pos, end=self.cut, written=written))
        self.pos = self.start = self.cut
        self.run_at, self.frame_end, self.batched = self.pos, frame_end, True
        self._next_cut(self.pos)
        return True

    def _end(self) -> int:
        frame = self.frame_end if self.frame_end > self.pos else self.length
        return min(self.cut if self.cut > self.pos else self.length, frame)

    def _ordinary_run(self, end: int) -> bool:
        """Ordinary opcodes up to `end` at most; False where the next one is none, or crosses the end."""
        before = self.pos
        found = None
        if self.shapes is not None:
            known = self.shapes.match(self.content, self.pos, end)
            self.pos = known.end() if known else self.pos
            near = min(end, self.pos + _RUN_BETWEEN_SHAPES)
            found = self.between.match(self.content, self.pos, near)
        found = found or self._run(end)
        if found:
            self._dense(self.content[self.pos : found.end()])
            self.run_at, self.pos = self.pos, found.end()
        return self.pos > before

    def _run(self, end: int) -> re.Match[bytes] | None:
        near = self.pos + _RUN if end - self.pos > _RUN + _REST else end
        found = self.runs.match(self.content, self.pos, near)
        pair = _PAIR_GOES_ON.match(self.content, found.end(), end) if found and near < end else None
        return self.runs.match(self.content, self.pos, pair.end()) if pair else found

    def _dense(self, run: bytes) -> None:
        """What allocates by one byte is counted, bytes of numbers and texts that look alike with it."""
        self.allocating += len(run) - len(run.translate(None, ALLOCATING))
        if self.allocating > min(self.pos // _ONE_IN + _FREE, _MOST_ALLOCATING):
            raise self._broken(
                "excessive", "more containers than any snapshot of this length would hold"
            )

    def _straddles(self, end: int) -> bool:
        """An opcode over the end of a run: over a frame's end it lies, over a wanted cut it is none."""
        crosses = end < self.length and self.pos + reach(self.content, self.pos) > end
        if crosses and end == self.frame_end:
            raise self._broken("malformed", "a frame ends inside an opcode")
        if crosses:
            self._next_cut(end + 1)
        return crosses

    def _close(self, *, entries_end: bool = False) -> None:
        if self.pos > self.start or entries_end:
            self.portions.append(Portion(start=self.start, end=self.pos, entries_end=entries_end))
        self.start = self.pos

    def _stop(self) -> None:
        self.pos += 1
        if self.pos != self.length or self.frame_end not in (0, self.pos):
            if self.frame_end < self.pos:
                raise self._broken("malformed", "there is more behind the end of the pickle")
            raise self._broken("malformed", "the pickle ends before its frame does")
        self._close()
        self.stopped = True

    def _odd(self) -> None:
        """One opcode that a run does not take: a frame, a long text, or one that must not be there."""
        op = self.content[self.pos]
        if op == FRAME:
            self._frame()
        elif op in b"X\x8c":
            self._text(4 if op == ord("X") else 1)
        else:
            raise self._refusal(op)

    def _frame(self) -> None:
        end = self.pos + 9 + int.from_bytes(self.content[self.pos + 1 : self.pos + 9], "little")
        if self.pos + 9 > self.length:
            raise self._broken("truncated", "the pickle breaks off in a frame's length")
        if self.pos < self.frame_end:
            raise self._broken("malformed", "a frame inside a frame")
        if end > self.length:
            raise self._broken("truncated", "a frame is longer than what is left of the file")
        self._close()
        before = self.numbers.match(self.content, self.run_at, self.pos)
        self.pos += 9
        self.start, self.frame_end = self.pos, end
        if before is not None:
            pair = _PAIR_ENDS if before[2] is None else _PAIR_IS_OVER
            ended = pair.match(self.content, self.pos, end)
            self.pos = ended.end() if ended else self.pos

    def _text(self, width: int) -> None:
        first = self.pos + 1 + width
        if first > self.length:
            raise self._broken("truncated", "the pickle breaks off in a text's length")
        end = first + int.from_bytes(self.content[self.pos + 1 : first], "little")
        if end > self.length:
            raise self._broken("truncated", "a text is longer than what is left of the file")
        self.pos = end

    def _refusal(self, op: int) -> UnsafePickleError:
        if op in FORBIDDEN:
            words = f"opcode {FORBIDDEN[op]}: the pickle names code to be run"
            return self._broken("forbidden_global", words)
        if op in OUTSIDE:
            return self._broken("forbidden_global", f"the pickle asks for {OUTSIDE[op]}")
        if op == ord("r") and self.pos + 5 <= self.length:
            return self._broken("excessive", "a memo index larger than the file could fill")
        if op == 0x8A and self.content[self.pos + 1 : self.pos + 2] >= b"\x09":
            return self._broken("excessive", "a number of more than 64 bits")
        if op in TUPLES:
            return self._broken("other", "a tuple that is no pair of numbers")
        if op in ODD or op not in WIDTHS:
            what = ODD.get(op, f"opcode 0x{op:02x}")
            return self._broken("malformed", f"{what}, which no snapshot is written with")
        return self._broken("truncated", "the pickle breaks off inside an opcode")

    def _broken(self, reason: str, words: str) -> UnsafePickleError:
        return UnsafePickleError(reason, self.pos, words)

    def _learn(self) -> None:
        """From entries that lie here: the shape of most of them, and what may cut between two."""
        self.learn_at = self.length
        found = most_usual_shape(self.content, self.pos, self.pos + _LEARNT_FROM)
        if found is None:
            return
        self.shapes, key = found
        near = min(self.traces_end, self.pos + 4 * _PORTION)
        batched = self.content.find(_BATCH, self.pos, near) >= 0
        self.mark, self.stride = (_BATCH, 0) if batched else (key, _PORTION // 4)
        self._next_cut(self.pos)

    def _next_cut(self, after: int) -> None:
        """Behind a batch of Python's (a thousand entries), or before an entry of one long list."""
        found = self.content.find(self.mark, after + self.stride, self.traces_end)
        inside = 1 if self.mark == _BATCH else 0
        self.cut = found + inside if found >= 0 else self.length
