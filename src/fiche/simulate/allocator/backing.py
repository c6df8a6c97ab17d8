"""Where segments come from: one call to the driver each, or address space into which pages are mapped.

Source: `alloc_block`, `release_block`; `ExpandableSegment`, `find_expandable_block`, `map_block`,
`try_allocate_expandable_block`, `unmap_block`, `release_blocks`. Addresses only order blocks of equal
bytes; those of new segments rise, as the driver's usually do.
"""

from __future__ import annotations

from bisect import insort
from operator import attrgetter

from fiche.simulate.allocator.blocks import Block, FreeBlocks, Reach, absorb, cut

# Of a device whose bytes are not known: more pages than any has.
_MANY_PAGES = 1 << 22
_FIRST_ADDRESS = 1 << 32


class Backing:
    """Bytes of the driver: `reserved`, of at most `capacity`; `next_at` is where the next segment starts."""

    def __init__(self, capacity: int | None) -> None:
        """`capacity` None: no end."""
        self.reserved = 0
        self.capacity = capacity
        self.next_at = _FIRST_ADDRESS

    def fits(self, num_bytes: int) -> bool:
        """True where the driver has so many more."""
        return self.capacity is None or self.reserved + num_bytes <= self.capacity


class Separate(Backing):
    """A segment a call: its blocks never merge with those of another."""

    def obtain(self, free: FreeBlocks, num_bytes: int, segment: int) -> Block | None:
        """A new segment of `segment` bytes as one block, in no list."""
        if not self.fits(segment):
            return None
        block = Block(self.next_at, segment, free)
        self.next_at += segment
        self.reserved += segment
        return block

    def release(self, block: Block) -> None:
        """Give a segment back that is one free block."""
        block.free.drop(block)
        self.reserved -= block.num_bytes


class Expandable(Backing):
    """A growing segment a pool and stream: pages are mapped where they are needed, at the lowest address."""

    def obtain(self, free: FreeBlocks, num_bytes: int, segment: int) -> Block | None:
        """A block of at least so many bytes, in no list; pages that were mapped in vain stay mapped."""
        block = self._room(free, num_bytes)
        if not block.mapped and not self._map(block, min(block.num_bytes, num_bytes)):
            return None
        while block.num_bytes < num_bytes:
            behind = block.next
            assert behind is not None
            if not self._map(behind, min(num_bytes - block.num_bytes, behind.num_bytes)):
                return None
            block = behind
        free.drop(block)
        return block

    def release(self, block: Block) -> None:
        """Unmap the pages that lie wholly in a free block; address space without any is given back."""
        reach = block.reach
        assert reach is not None
        page = reach.page
        first = -(-(block.at - reach.at) // page)
        last = (block.at + block.num_bytes - reach.at) // page
        if first >= last:
            return
        free = block.free
        free.drop(block)
        before = reach.at + first * page - block.at
        if before:
            kept, block = block, cut(block, before)
            free.put(kept)
        pages = (last - first) * page
        if block.num_bytes > pages:
            free.put(cut(block, pages))
        block.mapped = False
        absorb(block, block.prev)
        absorb(block, block.next)
        self.reserved -= pages
        if not block.whole:
            _put_gap(free, block)

    def _room(self, free: FreeBlocks, num_bytes: int) -> Block:
        """The lowest gap with room for so many bytes, or the free block before it; else new address space."""
        for gap in free.gaps:
            before = gap.prev
            start = gap if before is None or before.in_use else before
            if _reaches(start, num_bytes):
                return start
        block = self._reserve(free, num_bytes)
        _put_gap(free, block)
        return block

    def _reserve(self, free: FreeBlocks, num_bytes: int) -> Block:
        page = free.pool.page
        capacity = self.capacity
        most = _MANY_PAGES if capacity is None else -(-(capacity + capacity // 8) // page)
        reach = Reach(self.next_at, most * page, page)
        self.next_at += reach.num_bytes
        block = Block(reach.at, reach.num_bytes, free, reach)
        block.mapped = False
        return block

    def _map(self, gap: Block, num_bytes: int) -> bool:
        """Back the start of a gap with whole pages, and merge it with what is free beside it."""
        assert gap.reach is not None
        page = gap.reach.page
        pages = -(-num_bytes // page) * page
        if not self.fits(pages):
            return False
        free = gap.free
        free.gaps.remove(gap)
        if pages < gap.num_bytes:
            _put_gap(free, cut(gap, pages))
        gap.mapped = True
        absorb(gap, gap.prev)
        absorb(gap, gap.next)
        free.put(gap)
        self.reserved += pages
        return True


def _put_gap(free: FreeBlocks, block: Block) -> None:
    insort(free.gaps, block, key=attrgetter("at"))


def _reaches(block: Block | None, num_bytes: int) -> bool:
    """True where unused blocks, mapped or not, follow one another for so many bytes."""
    while num_bytes > 0 and block is not None and not block.in_use:
        num_bytes -= block.num_bytes
        block = block.next
    return num_bytes <= 0
