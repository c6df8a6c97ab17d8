"""Readings of one device over one phase, and peaks that no inner phase takes away (C1 to C4).

A peak counter runs since its last reset. Before an inner phase resets it, the value so far is folded
into every phase that is open; at its end, an outer phase's peak is the largest over its parts. Every
part was read after a synchronization, and peaks are absolute levels, so nothing is lost or invented.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fiche.measure.protocol.devices import Device
from fiche.measure.protocol.outside import Outside
from fiche.measure.protocol.words import plain_text

Use = dict[str, tuple[int, str]]
_COUNTERS = ("allocated_bytes", "reserved_bytes")


class Peaks:
    """The largest of each counter over the parts of a phase; lost once one part could not be read."""

    def __init__(self) -> None:
        self._largest: dict[str, int] = {}
        self._lost: set[str] = set()

    def fold(self, part: dict[str, int]) -> None:
        """Take in what one part showed; a counter that it lacks is unknown from then on (C2)."""
        for counter in _COUNTERS:
            if counter in part:
                self._largest[counter] = max(part[counter], self._largest.get(counter, 0))
            else:
                self._lost.add(counter)

    def told(self) -> dict[str, int]:
        """The peaks that are known."""
        return {name: peak for name, peak in self._largest.items() if name not in self._lost}

    def lose(self, counter: str) -> None:
        """It is unknown from now on."""
        self._lost.add(counter)


class DevicePeriod:
    """What one device shows over one phase."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.peaks = Peaks()
        self.start: dict[str, int] = {}
        self.end: dict[str, int] = {}
        self.use_start: Use = {}
        self.use_end: Use = {}
        self.sampled: int | None = None
        self.outside = Outside()
        self.is_running = False
        self._ended = False
        self.unread: dict[str, str] = {}

    def run(self) -> None:
        """Steps 2 and 3 are done: what is read from here on is of this phase."""
        self.outside.watch_from(time.monotonic_ns())
        self._look(self.use_start, self.start, "start")
        self.is_running = True

    def stop(self) -> None:
        """The phase has ended; a sample that is still on its way is not of it."""
        self.is_running = False

    def read_end(self, use: Callable[[Device], Use]) -> None:
        """Step 5, after the peaks: the final levels, and what the whole process holds."""
        self.end = self.levels()
        self.use_end = use(self.device)
        self._look(self.use_end, self.end, "current")

    def levels(self) -> dict[str, int]:
        """Allocated and reserved now: two counters, never added (C3)."""
        return self._read(
            {"allocated_bytes": self.device.allocated, "reserved_bytes": self.device.reserved}
        )

    def reset(self) -> None:
        """Reset the peaks of this device; where that fails, they are not this phase's, and are left out."""
        try:
            self.device.reset_peaks()
        except Exception as error:  # noqa: BLE001 - as any reading that fails
            self.unread["reset_peaks"] = f"{type(error).__name__}: {plain_text(error, 300)}"[:300]
            self.peaks.fold({})

    def running_peaks(self) -> dict[str, int]:
        """Peaks since the last reset, whoever asked for it."""
        return self._read(
            {
                "allocated_bytes": self.device.peak_allocated,
                "reserved_bytes": self.device.peak_reserved,
            }
        )

    def sample(self, used: int, reserved: int | None) -> None:
        """Take in one reading of the whole process made while the phase ran.

        `reserved` is None where the reserve moved meanwhile: it says nothing of the part outside.
        """
        self.sampled = used if self.sampled is None else max(self.sampled, used)
        if reserved is not None:
            self.outside.look(used, reserved, "sampled_max", time.monotonic_ns())

    def _look(self, use: Use, levels: dict[str, int], where: str) -> None:
        used, reserved = use.get(_USED), levels.get("reserved_bytes")
        if used is not None and reserved is not None:
            self._ended = where == "current"
            self.outside.look(used[0], reserved, where, time.monotonic_ns())

    def _read(self, counters: dict[str, Callable[[], int]]) -> dict[str, int]:
        found = {}
        for name, read in counters.items():
            try:
                found[name] = int(read())
            except Exception as error:  # noqa: BLE001 - a reading that fails is missing, never zero
                self.unread[name] = f"{type(error).__name__}: {plain_text(error, 300)}"[:300]
        return found

    def entry(self, period_ms: int) -> dict[str, Any]:
        """The record's entry: what was not read has no key."""
        self._doubt_peaks()
        entry: dict[str, Any] = {"device": self.device.name}
        for key, levels in (("start", self.start), ("peak", self.peaks.told()), ("end", self.end)):
            if levels:
                entry[key] = levels
        entry.update(self._process(period_ms))
        entry.update(self._outside())
        for key in ("other_processes_bytes", "free_bytes"):
            told = _larger(self.use_start.get(key), self.use_end.get(key), key)
            if told is not None:
                entry[key] = {"bytes": told[0], "counter": told[1]}
        if self.unread:
            entry["extra"] = {"unread": dict(self.unread)}
        return entry

    def _process(self, period_ms: int) -> dict[str, Any]:
        """Device use of the process. A lifetime's peak is this phase's where it rose during it."""
        start, end = self.use_start.get(_USED), self.use_end.get(_USED)
        peak = self._own_peak()
        known = peak or start or end
        told: dict[str, Any] = {} if known is None else {"counter": known[1]}
        if start is not None:
            told["start"] = start[0]
        if peak is not None:
            told["peak"] = peak[0]
        if self.sampled is not None and known is not None:
            told.update(sampled_max=self.sampled, period_ms=period_ms)
        if end is not None:
            told["end"] = end[0]
        return {"process_device_bytes": told} if len(told) > 1 else {}

    def _own_peak(self) -> tuple[int, str] | None:
        """It rose during the phase, or the process held nothing before; and no level lies above it."""
        before, after = self.use_start.get(_PEAK), self.use_end.get(_PEAK)
        if after is None or (before is None and _USED in self.use_start):
            return None
        if before is not None and after[0] <= before[0]:
            return None
        used = [use[_USED][0] for use in (self.use_start, self.use_end) if _USED in use]
        if after[0] < max([*used, self.sampled or 0]):
            self.unread[_PEAK] = f"{after[1]} says {after[0]}, below a level of the phase"
            return None
        return after

    def _doubt_peaks(self) -> None:
        """A peak below a level of its own period is none: somebody reset the counter unseen."""
        for name, peak in self.peaks.told().items():
            if peak < max(self.start.get(name, 0), self.end.get(name, 0)):
                self.peaks.lose(name)
                self.unread[f"peak {name}"] = f"the counter says {peak}, below a level of the phase"

    def _outside(self) -> dict[str, Any]:
        """Of a process reading that lies below the reserve nothing is told: it is not of this process."""
        used, reserved = self.use_end.get(_USED), self.end.get("reserved_bytes")
        if used is None or reserved is None or used[0] < reserved:
            return {}
        if not self._ended:  # a reader of its own, which set the levels itself
            self._look(self.use_end, self.end, "current")
        return {"outside_allocator_bytes": self.outside.told(used[1])}


_USED, _PEAK = "process_device_bytes", "process_device_peak"


def _larger(
    one: tuple[int, str] | None, other: tuple[int, str] | None, key: str
) -> tuple[int, str] | None:
    """Others' use at its most, free memory at its least: the cautious side of two checkpoints."""
    told: list[tuple[int, str]] = [reading for reading in (one, other) if reading is not None]
    if not told:
        return None
    return min(told) if key == "free_bytes" else max(told)
