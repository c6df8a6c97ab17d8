"""Replaying the events of one device: both levels after each of them, and what is held at the end."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from fiche.kernel.record import record
from fiche.simulate.allocator.blocks import Block
from fiche.simulate.allocator.caching import CachingAllocator
from fiche.simulate.allocator.held import Segment, held
from fiche.simulate.allocator.settings import AllocatorSettings
from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, FREE, Events


@record
class Shortage:
    """The request for which there was no room, after everything cached had been released.

    `segment_bytes` is what the driver was asked for, `most_bytes` what may be reserved in all.
    """

    event: int
    asked_bytes: int
    segment_bytes: int
    allocated_bytes: int
    reserved_bytes: int
    most_bytes: int

    @property
    def words(self) -> str:
        """A sentence: which request, and against what."""
        return (
            f"event {self.event} asks for {self.asked_bytes} bytes, for which {self.segment_bytes} must be "
            f"reserved; {self.reserved_bytes} of {self.most_bytes} are, and {self.allocated_bytes} of them "
            "are allocated"
        )


@record
class Peak:
    """The highest level of a slice; `event` is the first at which it stood, -1: before all events."""

    num_bytes: int
    event: int


@record(eq=False)
class Replay:
    """`allocated` and `reserved`: bytes after each event, as long as the events until a shortage.

    `segments` are those held at the end, `retries` how often everything cached was released for a request.
    """

    allocated: array[int]
    reserved: array[int]
    segments: tuple[Segment, ...]
    settings: AllocatorSettings
    shortage: Shortage | None
    retries: int

    def peak_allocated(self, start: int = 0, stop: int | None = None) -> Peak:
        """As `peak_reserved`, of the bytes in use."""
        return _peak(self.allocated, start, stop)

    def peak_reserved(self, start: int = 0, stop: int | None = None) -> Peak:
        """The peak over events `start` to `stop` (not included), the level that they began at counted.

        As after `reset_peak_memory_stats`: a peak is never below the level at its start. 0 where a
        shortage came before the slice.
        """
        return _peak(self.reserved, start, stop)

    @property
    def allocated_bytes(self) -> int:
        """Bytes in use at the end."""
        return self.allocated[-1] if self.allocated else 0

    @property
    def reserved_bytes(self) -> int:
        """Bytes held of the driver at the end."""
        return self.reserved[-1] if self.reserved else 0

    @property
    def unreleasable_bytes(self) -> int:
        """Free bytes at the end that `empty_cache` cannot give back: the price of fragmentation."""
        return sum(segment.unreleasable_bytes for segment in self.segments)

    @property
    def largest_free_bytes(self) -> int:
        """The largest request that no new memory is needed for at the end; larger ones may fit nowhere."""
        return max((segment.largest_free_bytes for segment in self.segments), default=0)


def replay(
    events: Events, settings: AllocatorSettings | None = None, until: int | None = None
) -> Replay:
    """What the allocator does under these events, or under the first `until` of them.

    Raises:
        ValueError: an event frees what is not held, or takes an id that is.
    """
    settings = settings or AllocatorSettings()
    allocator = CachingAllocator(settings)
    live: dict[int, Block | None] = {}
    allocated: list[int] = []
    reserved: list[int] = []
    shortage = None
    stop = len(events) if until is None else min(until, len(events))
    columns = zip(events.ops, events.ids, events.num_bytes, events.streams, strict=True)
    for event, (op, name, asked, stream) in zip(range(stop), columns, strict=False):
        if op == ALLOC:
            if name in live:
                raise ValueError(f"event {event} takes the id {name}, which is in use")
            block = allocator.malloc(asked, stream) if asked else None
            if asked and block is None:
                shortage = _shortage(event, asked, allocator, settings)
                break
            live[name] = block
        elif op == FREE:
            try:
                block = live.pop(name)
            except KeyError:
                raise ValueError(f"event {event} frees {name}, which is not held") from None
            if block is not None:
                allocator.free(block)
        elif op == EMPTY_CACHE:
            allocator.empty_cache()
        allocated.append(allocator.allocated)
        reserved.append(allocator.backing.reserved)
    return Replay(
        allocated=array("q", allocated),
        reserved=array("q", reserved),
        segments=held(allocator, _present(live.values())),
        settings=settings,
        shortage=shortage,
        retries=allocator.retries,
    )


def _present(blocks: Iterable[Block | None]) -> Iterable[Block]:
    return (block for block in blocks if block is not None)


def _shortage(
    event: int, asked: int, allocator: CachingAllocator, settings: AllocatorSettings
) -> Shortage:
    capacity, allowed = settings.capacity_bytes, settings.allowed_bytes
    assert capacity is not None
    return Shortage(
        event=event,
        asked_bytes=asked,
        segment_bytes=allocator.segment(asked),
        allocated_bytes=allocator.allocated,
        reserved_bytes=allocator.reserved,
        most_bytes=capacity if allowed is None else allowed,
    )


def _peak(levels: array[int], start: int, stop: int | None) -> Peak:
    """The first highest level; what stood before `start` counts, and comes first."""
    first = max(start - 1, 0)
    part = levels[first:stop] if start else array("q", [0]) + levels[:stop]
    offset = first if start else -1
    if not part:
        return Peak(num_bytes=0, event=-1)
    most = max(part)
    return Peak(num_bytes=most, event=offset + part.index(most))
