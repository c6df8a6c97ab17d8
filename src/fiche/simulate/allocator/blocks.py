"""Blocks, and the free ones of one pool and stream in the order in which they are looked for.

`std::set` with `BlockComparatorSize` in the source: by stream, bytes, address. A list a stream is that
order, and one whole number stands for bytes and address, so that looking and placing run in C.
"""

from __future__ import annotations

from bisect import bisect_left, insort

# Addresses are below 2^64: a key is the bytes of a block and, behind them, its address.
_SHIFT = 64


class Block:
    """A piece of a segment. `prev` and `next` are its neighbours in it; `reach` only of expandable ones."""

    __slots__ = ("at", "born", "free", "in_use", "mapped", "next", "num_bytes", "prev", "reach")

    def __init__(
        self, at: int, num_bytes: int, free: FreeBlocks, reach: Reach | None = None
    ) -> None:
        """An unused block at an address, of the pool and stream of `free`."""
        self.at = at
        self.num_bytes = num_bytes
        self.free = free
        self.reach = reach
        self.in_use = False
        self.mapped = True
        self.born = 0
        self.prev: Block | None = None
        self.next: Block | None = None

    @property
    def whole(self) -> bool:
        """True where the block is all of its segment."""
        return self.prev is None and self.next is None


class Reach:
    """The address space of one expandable segment: where it starts, its bytes, and those of a page."""

    __slots__ = ("at", "num_bytes", "page")

    def __init__(self, at: int, num_bytes: int, page: int) -> None:
        """`num_bytes` are whole pages."""
        self.at = at
        self.num_bytes = num_bytes
        self.page = page


class Pool:
    """The small or the large blocks of a device; `searches` counts only while garbage is collected."""

    def __init__(self, *, small: bool, page: int, least_rest: int) -> None:
        """A block is split where `least_rest` bytes are left of it."""
        self.small = small
        self.page = page
        self.least_rest = least_rest
        self.searches = 0
        self.streams: dict[int, FreeBlocks] = {}

    def of(self, stream: int) -> FreeBlocks:
        """The free blocks of a stream."""
        found = self.streams.get(stream)
        if found is None:
            found = self.streams[stream] = FreeBlocks(self, stream)
        return found

    def blocks(self) -> list[Block]:
        """Every free block, by stream, bytes and address."""
        return [free.held[key] for _, free in sorted(self.streams.items()) for key in free.keys]


class FreeBlocks:
    """Free blocks of one pool and stream; `gaps` are the unmapped ones, by address."""

    __slots__ = ("gaps", "held", "keys", "pool", "stream")

    def __init__(self, pool: Pool, stream: int) -> None:
        """Nothing is free yet."""
        self.pool = pool
        self.stream = stream
        self.keys: list[int] = []
        self.held: dict[int, Block] = {}
        self.gaps: list[Block] = []

    def place(self, num_bytes: int) -> int:
        """Where in `keys` the first block of at least so many bytes stands."""
        return bisect_left(self.keys, num_bytes << _SHIFT)

    def put(self, block: Block) -> None:
        """Take a free block in."""
        key = block.num_bytes << _SHIFT | block.at
        insort(self.keys, key)
        self.held[key] = block
        block.born = self.pool.searches

    def at(self, place: int) -> Block:
        """The block at a place of `keys`."""
        return self.held[self.keys[place]]

    def pop(self, place: int) -> Block:
        """Take the block at a place out."""
        return self.held.pop(self.keys.pop(place))

    def drop(self, block: Block) -> None:
        """Take a block out that is known to be in."""
        key = block.num_bytes << _SHIFT | block.at
        del self.keys[bisect_left(self.keys, key)]
        del self.held[key]


def absorb(block: Block, other: Block | None) -> bool:
    """Make a free neighbour part of `block`, which itself is in no list; False where it cannot be.

    Source: `try_merge_blocks`. Both are mapped, or both are not.
    """
    if other is None or other.in_use or other.mapped is not block.mapped:
        return False
    if other.mapped:
        other.free.drop(other)
    else:
        other.free.gaps.remove(other)
    if block.prev is other:
        block.at = other.at
        block.prev = before = other.prev
        if before is not None:
            before.next = block
    else:
        block.next = after = other.next
        if after is not None:
            after.prev = block
    block.num_bytes += other.num_bytes
    return True


def cut(block: Block, num_bytes: int) -> Block:
    """Leave `block` so many bytes, and give back the rest as a block behind it, in no list yet."""
    rest = Block(block.at + num_bytes, block.num_bytes - num_bytes, block.free, block.reach)
    rest.mapped = block.mapped
    rest.prev, rest.next = block, block.next
    if rest.next is not None:
        rest.next.prev = rest
    block.next = rest
    block.num_bytes = num_bytes
    return rest
