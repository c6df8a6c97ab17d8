"""One device of a snapshot: what the segments say of now, what the trace says of its window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from fiche.importers._snapshot_apart import Apart, apart
from fiche.importers._snapshot_columns import (
    ALLOC,
    FREE_COMPLETED,
    GROWN,
    OOM,
    SHRUNK,
    Columns,
)
from fiche.importers._snapshot_live import Live, live_at
from fiche.importers._snapshot_replay import Level, Replay, instant, replay, selected
from fiche.importers._snapshot_shape import Now
from fiche.kernel.address import Pointer
from fiche.kernel.piece import Failure, Observation, Printed
from fiche.kernel.rounding import bounds_only, exact_bytes

_BOUNDS = "from the requests between alloc and free_requested up to the reserved peak"


@dataclass
class Device:
    """Levels at the end, and the replay where there is a trace that agrees with them."""

    index: int
    now: Now
    trace: Columns
    replay: Replay | None = None
    live: Live | None = None
    apart: Apart | None = None
    disagrees: bool = False

    def replayed(self) -> Device:
        """Replay the trace; a start below zero means that trace and segments are not of one moment."""
        if len(self.trace):
            told = replay(self.trace)
            requested = self.now.requested
            self.disagrees = self.now.reserved - told.reserved.net + told.reserved.low < 0 or (
                requested is not None and requested - told.requested.net + told.requested.low < 0
            )
            if not self.disagrees:
                self.replay = told
                self.live = live_at(self.trace, told.requested.at, self.now.blocks)
                self.apart = apart(self.trace, self.now)
        return self

    def reserved_start(self, told: Replay) -> int:
        """Bytes reserved when the window began."""
        return self.now.reserved - told.reserved.net

    def requested_start(self, told: Replay) -> int | None:
        """Bytes asked for and not yet freed when the window began."""
        known = self.now.requested
        return None if known is None else known - told.requested.net

    def allocated_low(self, told: Replay) -> int:
        """The least that the peak of allocated bytes can have been."""
        known = self.now.requested_allocated
        if known is None:
            return self.now.allocated
        return known - told.allocated.net + told.allocated.high

    def at(self, entry: int, up: Sequence[int], down: Sequence[int]) -> int:
        """How far a level is from its start just after an entry."""
        codes = bytes(self.trace.codes[: entry + 1])
        risen, fallen = (
            sum(compress(self.trace.counts, selected(codes, *some))) for some in (up, down)
        )
        return risen - fallen


def observations(device: Device, sha256: str) -> Iterator[Observation]:
    """Every figure that follows: exact ones, and the allocated peak as the interval that it is."""
    told, now = device.replay, device.now
    here = Pointer(sha256=sha256, path=f"segments/{now.first_segment}")
    if told is not None:
        start = Pointer(sha256=sha256, path=f"device_traces/{device.index}/0")
        yield from _window(
            device, "reserved_bytes", device.reserved_start(told), told.reserved, start
        )
    yield _seen(device, "reserved_bytes", "current", exact_bytes(now.reserved), here)
    if now.requested is not None:
        if told is not None:
            first = device.requested_start(told) or 0
            yield from _window(device, "requested_bytes", first, told.requested, start)
        yield _seen(device, "requested_bytes", "current", exact_bytes(now.requested), here)
    yield _seen(device, "allocated_bytes", "current", exact_bytes(now.allocated), here)
    yield _seen(device, "active_bytes", "current", exact_bytes(now.active), here)
    if told is not None:
        high = device.reserved_start(told) + told.reserved.high
        value = bounds_only(_BOUNDS, min(device.allocated_low(told), high), high)
        yield _seen(device, "allocated_bytes", "peak", value, start, "trace", derived=True)


def _window(
    device: Device, counter: str, start: int, level: Level, pointer: Pointer
) -> Iterator[Observation]:
    yield _seen(device, counter, "start", exact_bytes(start), pointer, "trace")
    at = Pointer(sha256=pointer.sha256, path=f"device_traces/{device.index}/{max(level.at, 0)}")
    yield _seen(device, counter, "peak", exact_bytes(start + level.high), at, "trace")


def _seen(
    device: Device,
    counter: str,
    stat: str,
    value: Printed,
    pointer: Pointer,
    window: str = "",
    **marks: object,
) -> Observation:
    return Observation(
        counter=counter,
        scope="process_allocator",
        stat=stat,
        kind_of_origin="measured",
        pointer=pointer,
        value=value,
        device_index=device.index,
        window=window,
        marks=marks,
    )


def failures(device: Device, sha256: str, backend: str) -> Iterator[Failure]:
    """Each `oom` entry: what the allocator asked the driver for, and what the driver said was free."""
    trace = device.trace
    for entry in compress(range(len(trace)), selected(bytes(trace.codes), OOM)):
        quantities = {"requested": exact_bytes(trace.counts[entry])}
        if entry in trace.device_free:
            quantities["free"] = exact_bytes(trace.device_free[entry])
        told = instant(trace, entry)
        when = "" if told is None else f", {told} us after the first entry"
        yield Failure(
            pointer=Pointer(sha256=sha256, path=f"device_traces/{device.index}/{entry}"),
            message_kind="allocator_oom",
            memory="device",
            backend=backend,
            device_index=device.index,
            quantities=quantities,
            message=f"oom at entry {entry} of {len(trace)}{when}",
        )


def levels_at_peaks(device: Device, told: Replay) -> dict[str, int | None]:
    """Both levels at the instant of the other one's peak: never the difference of two peaks (C4)."""
    asked = device.requested_start(told)
    reserved_then = device.reserved_start(told) + device.at(told.requested.at, GROWN, SHRUNK)
    if asked is not None:
        asked += device.at(told.reserved.at, (ALLOC,), (FREE_COMPLETED,))
    return {"reserved_then": reserved_then, "requested_then": asked}
