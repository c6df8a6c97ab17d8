"""Readings of one device over one phase, and peaks that no inner phase takes away (C1 to C4).

A peak counter runs since its last reset. Before an inner phase resets it, the value so far is folded
into every phase that is open; at its end, an outer phase's peak is the largest over its parts. Every
part was read after a synchronization, and peaks are absolute levels, so nothing is lost or invented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fiche.measure.protocol.devices import Device

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
        self.sampled_outside: int | None = None
        self.num_samples = 0
        self.unread: dict[str, str] = {}

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
            self.unread["reset_peaks"] = f"{type(error).__name__}: {error}"[:300]
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
        """Take in one reading of the whole process made while the phase ran."""
        self.num_samples += 1
        self.sampled = used if self.sampled is None else max(self.sampled, used)
        if reserved is not None and used >= reserved:
            outside = used - reserved
            so_far = self.sampled_outside
            self.sampled_outside = outside if so_far is None else max(so_far, outside)

    def _read(self, counters: dict[str, Callable[[], int]]) -> dict[str, int]:
        found = {}
        for name, read in counters.items():
            try:
                found[name] = int(read())
            except Exception as error:  # noqa: BLE001 - a reading that fails is missing, never zero
                self.unread[name] = f"{type(error).__name__}: {error}"[:300]
        return found

    def entry(self, period_ms: int) -> dict[str, Any]:
        """The record's entry: what was not read has no key."""
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
        after = self.use_end.get(_PEAK)
        known = start or end or after
        if known is None:
            return {}
        told: dict[str, Any] = {"counter": (after or known)[1] if self._rose() else known[1]}
        if start is not None:
            told["start"] = start[0]
        if after is not None and self._rose():
            told["peak"] = after[0]
        if self.sampled is not None:
            told.update(sampled_max=self.sampled, period_ms=period_ms)
        if end is not None:
            told["end"] = end[0]
        return {"process_device_bytes": told} if len(told) > 1 else {}

    def _rose(self) -> bool:
        before, after = self.use_start.get(_PEAK), self.use_end.get(_PEAK)
        return after is not None and (before is None or after[0] > before[0])

    def _outside(self) -> dict[str, Any]:
        """Process less reserve at one checkpoint; a peak only where samples watched the whole phase.

        A driver keeps a context, loaded kernels and local memory until the process ends, so this part
        only grows while nobody frees it; the samples show whether somebody did.
        """
        used, reserved = self.use_end.get(_USED), self.end.get("reserved_bytes")
        if used is None or reserved is None or used[0] < reserved:
            return {}
        outside = used[0] - reserved
        how = f"{used[1]} - memory_reserved, after the phase"
        if self.sampled_outside is None:
            return _part(outside, "current", how)
        how += f"; the largest of this and {self.num_samples} samples during it"
        return _part(max(outside, self.sampled_outside), "peak", how)


_USED, _PEAK = "process_device_bytes", "process_device_peak"


def _part(outside: int, stat: str, how: str) -> dict[str, Any]:
    return {"outside_allocator_bytes": {"bytes": outside, "stat": stat, "how": how}}


def _larger(
    one: tuple[int, str] | None, other: tuple[int, str] | None, key: str
) -> tuple[int, str] | None:
    """Others' use at its most, free memory at its least: the cautious side of two checkpoints."""
    told: list[tuple[int, str]] = [reading for reading in (one, other) if reading is not None]
    if not told:
        return None
    return min(told) if key == "free_bytes" else max(told)
