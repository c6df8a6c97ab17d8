"""One device's allocator: reuse, splitting, merging, and what is released when the driver has no more.

Source: `DeviceCachingAllocator` (`malloc`, `get_free_block`, `should_split`, `alloc_found_block`,
`free_block`, `release_available_cached_blocks`, `release_cached_blocks`, `garbage_collect_cached_blocks`).
"""

from __future__ import annotations

from fiche.simulate.allocator.amounts import (
    LEAST_BLOCK,
    MOST_SMALL,
    SMALL_SEGMENT,
    block_bytes,
    segment_bytes,
)
from fiche.simulate.allocator.backing import Expandable, Separate
from fiche.simulate.allocator.blocks import Block, FreeBlocks, Pool, absorb, cut
from fiche.simulate.allocator.settings import AllocatorSettings


class CachingAllocator:
    """Blocks in use and free; `allocated` and `reserved` are the two levels that torch counts, in bytes."""

    def __init__(self, settings: AllocatorSettings) -> None:
        """Nothing is reserved yet."""
        self.allocated = 0
        self.retries = 0
        self._settings = settings
        self._most_split = settings.max_split_bytes
        self._expandable = settings.expandable_segments
        self._allowed = settings.allowed_bytes
        self._collects = bool(settings.garbage_collection_threshold) and self._allowed is not None
        self._rounded: dict[int, int] = {}
        # The rest of a large block must itself be a large block, unless segments can grow.
        least_rest = LEAST_BLOCK if self._expandable else MOST_SMALL + 1
        self.small = Pool(small=True, page=SMALL_SEGMENT, least_rest=LEAST_BLOCK)
        self.large = Pool(small=False, page=settings.large_segment_bytes, least_rest=least_rest)
        kind = Expandable if self._expandable else Separate
        self.backing: Expandable | Separate = kind(settings.capacity_bytes)

    @property
    def reserved(self) -> int:
        """Bytes held of the driver."""
        return self.backing.reserved

    def malloc(self, asked: int, stream: int) -> Block | None:
        """A block in use for `asked` bytes, one at least; None where there is no room left for it."""
        num_bytes = self.rounded(asked)
        pool = self.small if num_bytes <= MOST_SMALL else self.large
        free = pool.streams.get(stream) or pool.of(stream)
        block = self._cached(free, num_bytes) or self._obtained(free, num_bytes)
        if block is None:
            return None
        if block.num_bytes - num_bytes >= pool.least_rest and self._may_split(pool, num_bytes):
            free.put(cut(block, num_bytes))
        block.in_use = True
        self.allocated += block.num_bytes
        return block

    def free(self, block: Block) -> None:
        """Give a block back: it is merged with what is free beside it."""
        self.allocated -= block.num_bytes
        block.in_use = False
        absorb(block, block.prev)
        absorb(block, block.next)
        block.free.put(block)

    def empty_cache(self) -> None:
        """Release every segment of which nothing is in use, or every whole free page of expandable ones."""
        for pool in (self.large, self.small):
            for block in pool.blocks():
                if self._expandable or block.whole:
                    self.backing.release(block)

    def rounded(self, asked: int) -> int:
        """The bytes of a block for this request."""
        found = self._rounded.get(asked)
        if found is None:
            found = block_bytes(asked, self._settings.roundup_power2_divisions)
            self._rounded[asked] = found
        return found

    def segment(self, asked: int) -> int:
        """The bytes that the driver is asked for where no free block fits this request."""
        return segment_bytes(self.rounded(asked), self._settings.large_segment_bytes)

    # --- From the cache -----------------------------------------------------------------------

    def _cached(self, free: FreeBlocks, num_bytes: int) -> Block | None:
        """The smallest free block that holds so many bytes, taken out."""
        if self._collects:
            free.pool.searches += 1
        place = free.place(num_bytes)
        if place == len(free.keys):
            return None
        if self._expandable:
            place = _least_growing(free, place)
        if self._most_split is not None and self._too_large(free.at(place).num_bytes, num_bytes):
            return None
        return free.pop(place)

    def _too_large(self, found: int, num_bytes: int) -> bool:
        """True where a block may not be split, and would leave more unused than is allowed."""
        most = self._most_split
        assert most is not None
        if num_bytes < most:
            return found >= most
        return found >= num_bytes + self._settings.max_non_split_rounding_bytes

    def _may_split(self, pool: Pool, num_bytes: int) -> bool:
        most = self._most_split
        return most is None or pool.small or self._expandable or num_bytes < most

    # --- From the driver ----------------------------------------------------------------------

    def _obtained(self, free: FreeBlocks, num_bytes: int) -> Block | None:
        """New memory; where there is none, what is cached is released, less first, then all of it."""
        if self._collects:
            self._collect()
        segment = segment_bytes(num_bytes, self._settings.large_segment_bytes)
        block = self._asked(free, num_bytes, segment)
        if block is not None:
            return block
        if self._settings.throw_on_cudamalloc_oom and self._beyond(segment):
            return None
        if self._release_available(free, num_bytes):
            block = self._asked(free, num_bytes, segment)
            if block is not None:
                return block
        self.empty_cache()
        self.retries += 1
        return self._asked(free, num_bytes, segment)

    def _beyond(self, segment: int) -> bool:
        """True where so many more would exceed the share of the device that the process may hold."""
        return self._allowed is not None and self.backing.reserved + segment > self._allowed

    def _asked(self, free: FreeBlocks, num_bytes: int, segment: int) -> Block | None:
        return None if self._beyond(segment) else self.backing.obtain(free, num_bytes, segment)

    def _release_available(self, free: FreeBlocks, num_bytes: int) -> bool:
        """Release one block that is large enough and never split, or several, the largest first."""
        most = self._most_split
        if most is None or self._expandable:
            return False
        wanted = max(num_bytes, most)
        place = free.place(wanted)
        if place < len(free.keys):
            self.backing.release(free.at(place))
            return True
        released = 0
        while released < wanted and free.keys and free.at(-1).num_bytes >= most:
            released += free.at(-1).num_bytes
            self.backing.release(free.at(-1))
        return released >= wanted

    def _collect(self) -> None:
        """Release whole large blocks, the longest unused first, until less than the threshold is held."""
        assert self._allowed is not None
        threshold = self._settings.garbage_collection_threshold * self._allowed // 1
        excess = self.backing.reserved - threshold
        if excess <= 0 or self._expandable:
            return
        whole = [block for block in self.large.blocks() if block.whole]
        searches = self.large.searches
        while excess > 0 and whole:
            ages = [searches - block.born for block in whole]
            # All that are at least as old as the mean, even when fewer would do.
            old = [age * len(ages) >= sum(ages) for age in ages]
            for block in [block for block, gone in zip(whole, old, strict=True) if gone]:
                excess -= block.num_bytes
                self.backing.release(block)
            whole = [block for block, gone in zip(whole, old, strict=True) if not gone]


def _least_growing(free: FreeBlocks, place: int) -> int:
    """A block that can grow counts as large as it can become: what cannot is filled first."""
    reach = _can_become(free.at(place))
    while place + 1 < len(free.keys):
        further = _can_become(free.at(place + 1))
        if further >= reach:
            break
        place, reach = place + 1, further
    return place


def _can_become(block: Block) -> int:
    behind = block.next
    return block.num_bytes + (behind.num_bytes if behind is not None and not behind.mapped else 0)
