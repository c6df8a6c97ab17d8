"""What a snapshot says about now: segments and blocks of each device, settings, annotations.

Types are checked level by level and nothing is followed further than the levels that are known: plain
types can still refer to themselves, or share parts so often that walking them would never end
(evidence_formats 2.3, safe reading c).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fiche.importers._snapshot_columns import MisshapenError

_PENDING = ("active_pending_free", "active_awaiting_free")
_STATES = ("active_allocated", *_PENDING, "inactive")
_MOST_DEVICES = 4096
Pool = tuple[int, int]
DEFAULT_POOL = (0, 0)


@dataclass
class Held:
    """Bytes of some segments: `requested` is None as soon as one of their blocks does not tell it."""

    segments: int = 0
    reserved: int = 0
    allocated: int = 0
    active: int = 0
    requested: int | None = 0
    requested_allocated: int | None = 0

    def add(self, other: Held) -> None:
        """Count further segments in."""
        self.segments += other.segments
        self.reserved += other.reserved
        self.allocated += other.allocated
        self.active += other.active
        self.requested = _sum(self.requested, other.requested)
        self.requested_allocated = _sum(self.requested_allocated, other.requested_allocated)


@dataclass
class Now(Held):
    """The levels of one device when the snapshot was taken.

    `blocks` are the active ones by address, with their streams; `places` the streams of segments by theirs.
    """

    streams: dict[int, Held] = field(default_factory=dict)
    pools: dict[Pool, Held] = field(default_factory=dict)
    blocks: dict[int, tuple[int, Any, int]] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    streams_told: bool = True
    first_segment: int = 0
    expandable: int = 0


class Levels:
    """The segments of a snapshot by device; `doubts` are sums that do not agree."""

    def __init__(self, segments: list[Any], most_blocks: int) -> None:
        self.devices: dict[int, Now] = {}
        self.doubts: list[str] = []
        self._left = most_blocks
        for place, segment in enumerate(segments):
            self._segment(segment, place)

    def _segment(self, segment: object, place: int) -> None:
        path = f"segments/{place}"
        told = _dictionary(segment, path)
        device = whole(told, "device", path) or 0
        if device not in self.devices and len(self.devices) >= _MOST_DEVICES:
            raise MisshapenError(path, "segments of more devices than any machine has")
        now = self.devices.setdefault(device, Now(first_segment=place))
        stream = whole(told, "stream", path)
        now.streams_told &= stream is not None
        held = self._blocks(told, path, now, stream or 0)
        now.add(held)
        now.expandable += told.get("is_expandable") is True
        now.streams.setdefault(stream or 0, Held()).add(held)
        now.pools.setdefault(_pool(told, path), Held()).add(held)

    def _blocks(self, told: Mapping[str, Any], path: str, now: Now, stream: int) -> Held:
        blocks = told.get("blocks")
        if not isinstance(blocks, list):
            raise MisshapenError(path, "a segment needs a list of blocks")
        self._left -= len(blocks) + 1
        if self._left < 0:
            raise MisshapenError(path, "more blocks than a file of this length can hold")
        held = Held(segments=1)
        at = told.get("address")
        if type(at) is int:
            now.places[at] = stream
        for number, block in enumerate(blocks):
            at = _block(block, f"{path}/blocks/{number}", held, now, at, stream)
        return self._agreed(told, path, held)

    def _agreed(self, told: Mapping[str, Any], path: str, held: Held) -> Held:
        """The segment's own sums, which older ones lack; where its blocks add up to another, that is said."""
        for name, key in (
            ("reserved", "total_size"),
            ("allocated", "allocated_size"),
            ("active", "active_size"),
            ("requested", "requested_size"),
        ):
            summed = getattr(held, name)
            value = whole(told, key, path)
            if value is not None and summed is not None and value != summed:
                self.doubts.append(f"{path} says {key} {value}, its blocks add up to {summed}")
            setattr(held, name, summed if value is None else value)
        return held


def _block(block: object, path: str, held: Held, now: Now, at: object, stream: int) -> object:
    """Count one block in; the address of the next one follows from this one's, where it tells none."""
    told = _dictionary(block, path)
    length, state = whole(told, "size", path), told.get("state")
    if length is None or state not in _STATES:
        raise MisshapenError(path, "a block needs a whole size and a known state")
    at = told.get("address", at)
    held.reserved += length
    if state != "inactive":
        requested, frames = _asked(told, path)
        held.active += length
        held.requested = _sum(held.requested, requested)
        if state not in _PENDING:
            held.allocated += length
            held.requested_allocated = _sum(held.requested_allocated, requested)
        if type(at) is int and requested is not None:
            now.blocks[at] = (requested, frames, stream)
    return at + length if type(at) is int else None


def _asked(told: Mapping[str, Any], path: str) -> tuple[int | None, object]:
    """What was asked for and where; the oldest snapshots tell it in a `history`, latest first."""
    if "history" not in told:
        return whole(told, "requested_size", path), told.get("frames")
    history = told["history"]
    if not isinstance(history, list):
        raise MisshapenError(path, "the history of a block is no list")
    if not history:
        return None, None
    latest = _dictionary(history[0], f"{path}/history/0")
    return whole(latest, "real_size", f"{path}/history/0"), latest.get("frames")


def whole(told: Mapping[str, Any], key: str, path: str, default: int | None = None) -> int | None:
    """A whole number of at most 64 bits, not below zero; `default` where the key is missing.

    Raises:
        MisshapenError: the key holds anything else.
    """
    value = told.get(key)
    if value is None or (type(value) is int and 0 <= value < 1 << 63):
        return value
    raise MisshapenError(path, f"{key} is no whole number of bytes")


def _pool(told: Mapping[str, Any], path: str) -> Pool:
    pool = told.get("segment_pool_id", DEFAULT_POOL)
    if isinstance(pool, tuple | list) and len(pool) == 2 and all(type(n) is int for n in pool):
        return pool[0], pool[1]
    raise MisshapenError(path, "segment_pool_id is no pair of numbers")


def _dictionary(value: object, path: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise MisshapenError(path, f"a {type(value).__name__} where a dictionary stands in a snapshot")


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
