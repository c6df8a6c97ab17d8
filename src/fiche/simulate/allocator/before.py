"""What a device held when the window of a recorded trace began: segments, and their blocks in use.

A snapshot tells the end. What is held at the end and was not allocated in the window was there before;
so was what is freed in the window without having been allocated in it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

from fiche.kernel.record import field, record
from fiche.simulate.allocator.amounts import SMALL_SEGMENT
from fiche.simulate.allocator.blocks import Block, cut
from fiche.simulate.allocator.caching import CachingAllocator


@record
class Used:
    """A block in use: its id, the bytes that were asked for, and its own where they are known."""

    name: int
    asked: int
    num_bytes: int | None = None


@record
class Old:
    """A segment; `blocks` are those in use, by address."""

    at: int
    num_bytes: int
    stream: int
    blocks: dict[int, Used] = field(default_factory=dict)


def held_before(
    segments: Sequence[Mapping[str, Any]],
    live: Mapping[int, int],
    grown: Mapping[int, int],
    freed: Mapping[int, Used],
    released: Mapping[int, tuple[int, int]],
) -> list[Old]:
    """The segments of before, by address.

    `segments` are a device's at the end; by address, `live` and `grown` are what the window allocated and
    holds still, `freed` and `released` what it gave back and had not allocated.

    Raises:
        ValueError: a block is freed that lies in no segment.
    """
    old = {at: Old(at=at, num_bytes=n, stream=stream) for at, (n, stream) in released.items()}
    names = count(-1 - len(freed), -1)
    for segment in segments:
        at, stream = segment.get("address"), segment.get("stream") or 0
        if type(at) is int and at not in grown:
            blocks = {at: used for at, used in _used(segment, at, names) if at not in live}
            old[at] = Old(
                at=at,
                num_bytes=sum(block["size"] for block in segment["blocks"]),
                stream=stream,
                blocks=blocks,
            )
    starts = sorted(old)
    for at, used in freed.items():
        place = bisect_right(starts, at) - 1
        inside = old[starts[place]] if place >= 0 else None
        if inside is None or at >= inside.at + inside.num_bytes:
            raise ValueError(f"the trace frees a block at {at}, which lies in no segment")
        inside.blocks[at] = used
    return [old[at] for at in starts]


def _used(segment: Mapping[str, Any], at: int, names: Iterator[int]) -> Iterator[tuple[int, Used]]:
    for block in segment["blocks"]:
        at = block.get("address", at)
        if block["state"] != "inactive":
            asked = block.get("requested_size") or block["size"]
            yield at, Used(name=next(names), asked=asked, num_bytes=block["size"])
        at += block["size"]


def adopt(allocator: CachingAllocator, old: Old) -> dict[int, Block]:
    """Hold a segment as it was: its blocks in use by id, what lies between them free.

    Raises:
        ValueError: its blocks do not fit into it.
    """
    small = old.num_bytes == SMALL_SEGMENT
    free = (allocator.small if small else allocator.large).of(old.stream)
    here: Block | None = Block(old.at, old.num_bytes, free)
    allocator.backing.reserved += old.num_bytes
    held: dict[int, Block] = {}
    starts = sorted(old.blocks)
    for at, end in pairwise((*starts, old.at + old.num_bytes)):
        used = old.blocks[at]
        num_bytes = used.num_bytes or allocator.rounded(used.asked)
        if used.num_bytes is None and 0 < end - at - num_bytes < free.pool.least_rest:
            num_bytes = end - at  # a rest this short is never split off
        if here is None or at < here.at or num_bytes > end - at:
            raise ValueError(f"the block at {at} does not fit into its segment")
        if at > here.at:
            before, here = here, cut(here, at - here.at)
            free.put(before)
        block, here = here, cut(here, num_bytes) if num_bytes < here.num_bytes else None
        block.in_use = True
        allocator.allocated += block.num_bytes
        held[used.name] = block
    if here is not None:
        free.put(here)
    return held
