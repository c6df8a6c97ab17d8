"""The segments that an allocator holds, and what of them is free, for a report on fragmentation."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.record import record
from fiche.simulate.allocator.blocks import Block
from fiche.simulate.allocator.caching import CachingAllocator


@record
class Segment:
    """Memory of the driver in one piece; of an expandable segment, pages that follow one another.

    `unreleasable_bytes` are free, and cannot be given back while other blocks of the segment are in use.
    """

    at: int
    stream: int
    small: bool
    expandable: bool
    num_bytes: int
    allocated_bytes: int
    blocks: int
    largest_free_bytes: int
    unreleasable_bytes: int


def held(allocator: CachingAllocator, in_use: Iterable[Block]) -> tuple[Segment, ...]:
    """The segments of the blocks in use and of the free ones, by address."""
    blocks = [*in_use, *allocator.small.blocks(), *allocator.large.blocks()]
    heads = (b for b in blocks if b.prev is None or not b.prev.mapped)
    return tuple(_segment(head) for head in sorted(heads, key=lambda block: block.at))


def _segment(head: Block) -> Segment:
    pieces = []
    here: Block | None = head
    while here is not None and here.mapped:
        pieces.append(here)
        here = here.next
    unused = [piece for piece in pieces if not piece.in_use]
    free_bytes = sum(piece.num_bytes for piece in unused)
    return Segment(
        at=head.at,
        stream=head.free.stream,
        small=head.free.pool.small,
        expandable=head.reach is not None,
        num_bytes=sum(piece.num_bytes for piece in pieces),
        allocated_bytes=sum(piece.num_bytes for piece in pieces if piece.in_use),
        blocks=len(pieces),
        largest_free_bytes=max((piece.num_bytes for piece in unused), default=0),
        unreleasable_bytes=free_bytes - sum(map(_releasable, unused)),
    )


def _releasable(block: Block) -> int:
    """The bytes of a free block that go back to the driver when the cache is emptied."""
    reach = block.reach
    if reach is None:
        return block.num_bytes if block.whole else 0
    first = -(-(block.at - reach.at) // reach.page)
    last = (block.at + block.num_bytes - reach.at) // reach.page
    return max(last - first, 0) * reach.page
