"""Exhausted memory as the allocator itself tells it, also where the program catches the exception (C11)."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from fiche.measure.protocol.devices import Device

HISTORY_ENTRIES = 100_000
_COUNTERS = ("num_ooms", "num_alloc_retries")


class Ooms:
    """How often the allocator gave up, and what it said the last time; a snapshot of the first one."""

    def __init__(self, snapshot: Path) -> None:
        self._path = snapshot
        self._api: Any = None
        self._history = False
        self._count = 0
        self._last: dict[str, int] = {}
        self._snapshot: str | None = None

    def follow(self, torch: Any, kind: str, *, snapshot: bool) -> None:
        """Attach to the allocator where this PyTorch has such an observer, and keep a history if asked."""
        self._api = getattr(torch, kind)
        attach = getattr(torch._C, f"_{kind}_attach_out_of_memory_observer", None)
        if attach is not None:
            with contextlib.suppress(Exception):
                attach(self.note)
        if snapshot:
            with contextlib.suppress(Exception):
                self._api.memory._record_memory_history(max_entries=HISTORY_ENTRIES)
                self._history = True

    def note(self, device: int, wanted: int, total: int, free: int, *more: Any) -> None:
        """One more time: bytes wanted, then the device's total (or what a limit allows) and what is free."""
        self._count += 1
        self._last = {
            "device": device,
            "requested": wanted,
            "total_or_allowed": total,
            "device_free": free,
        }
        if self._history and self._snapshot is None:
            with contextlib.suppress(Exception):
                self._api.memory._dump_snapshot(str(self._path))
                self._snapshot = self._path.name

    def counters(self, device: Device) -> dict[str, int]:
        """The allocator's own counts for one device."""
        try:
            stats = self._api.memory_stats(device.index)
        except Exception:  # noqa: BLE001 - absent where it cannot be read (C2)
            return {}
        return {key: int(stats[key]) for key in _COUNTERS if key in stats}

    def seen(self) -> dict[str, Any]:
        """What goes beside the phase: caught exhaustions do not make a failure of a program that ended well."""
        found: dict[str, Any] = {}
        if self._count:
            found["out_of_memory_events"] = {"count": self._count, "last": self._last}
        if self._history:
            found["allocator_history"] = (
                f"recorded, at most {HISTORY_ENTRIES} events: each allocation was noted with its stack, "
                "which costs time and host memory"
            )
        if self._snapshot:
            found["snapshot"] = self._snapshot
        return found
