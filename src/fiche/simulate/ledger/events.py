"""The stream of memory events of one device: what the ledger writes, what allocator and timeline read.

Four columns of equal length rather than a list of objects, and whole numbers without an object each: a
thousand tokens of a large model are some millions of events, and they are only ever walked in order.
"""

from __future__ import annotations

from array import array

ALLOC = 0
FREE = 1
MARK = 2
EMPTY_CACHE = 3

ALIGNMENT = 512


class Events:
    """Everything one device was asked, in order; entry `i` is `ops[i]`, `ids[i]`, `num_bytes[i]`, `streams[i]`.

    An id names one allocation and is never used twice. Bytes are as asked for, not rounded.
    """

    __slots__ = ("ids", "marks", "num_bytes", "ops", "streams")

    def __init__(self) -> None:
        """No event yet."""
        self.ops = array("b")
        self.ids = array("q")
        self.num_bytes = array("q")
        self.streams = array("q")
        self.marks: list[str] = []

    def __len__(self) -> int:
        """The number of events, marks counted."""
        return len(self.ops)

    def alloc(self, allocation: int, num_bytes: int, stream: int = 0) -> None:
        """`num_bytes` are asked for, unrounded, under the id `allocation`, on a stream (0: the usual one)."""
        self._add(ALLOC, allocation, num_bytes, stream)

    def free(self, allocation: int) -> None:
        """The allocation of this id is given back to the allocator."""
        self._add(FREE, allocation, 0, 0)

    def mark(self, text: str) -> None:
        """Something else happens here, as "begin prefill"; its id is its number in `marks`."""
        self._add(MARK, len(self.marks), 0, 0)
        self.marks.append(text)

    def empty_cache(self) -> None:
        """`torch.cuda.empty_cache()` is called."""
        self._add(EMPTY_CACHE, 0, 0, 0)

    def extend(self, others: Events) -> None:
        """The events of another stream follow, as they are; its marks are numbered on."""
        first = len(self.marks)
        self.ids.extend(
            name + first if op == MARK else name
            for op, name in zip(others.ops, others.ids, strict=True)
        )
        self.ops += others.ops
        self.num_bytes += others.num_bytes
        self.streams += others.streams
        self.marks += others.marks

    def marked(self) -> list[tuple[int, str]]:
        """Each mark's event and text, in order."""
        return [
            (event, self.marks[self.ids[event]]) for event, op in enumerate(self.ops) if op == MARK
        ]

    def slices(self) -> list[tuple[str, int, int]]:
        """What "begin X" and "end X" mark off: X, the event after the one and the event of the other.

        Raises:
            ValueError: one begins within another, is left open, or ends without having begun.
        """
        spans: list[tuple[str, int, int]] = []
        opened: tuple[str, int] | None = None
        for event, text in self.marked():
            word, _, name = text.partition(" ")
            if word == "begin" and opened is None:
                opened = (name, event + 1)
            elif word == "end" and opened is not None and opened[0] == name:
                spans.append((*opened, event))
                opened = None
            elif word in ("begin", "end"):
                raise ValueError(f"the mark {text!r} stands within {opened and opened[0]!r}")
        if opened is not None:
            raise ValueError(f"the mark 'begin {opened[0]}' has no end")
        return spans

    def _add(self, op: int, name: int, num_bytes: int, stream: int) -> None:
        self.ops.append(op)
        self.ids.append(name)
        self.num_bytes.append(num_bytes)
        self.streams.append(stream)


def rounded(num_bytes: int) -> int:
    """What the caching allocator counts for a request: whole blocks of 512 bytes, one at least.

    A request of nothing takes nothing. Source: `CUDACachingAllocator.cpp`, `round_size`, `kMinBlockSize`.
    """
    if not num_bytes:
        return 0
    return -(-num_bytes // ALIGNMENT) * ALIGNMENT
