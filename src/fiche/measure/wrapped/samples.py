"""Readings that have no true peak: looked at every so often, by a thread beside the program (C5).

Once a second the last values are put on disk, so that something is known of a process that is killed
(C11).
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fiche.measure.protocol.devices import Device, Devices
from fiche.measure.protocol.levels import DevicePeriod
from fiche.measure.protocol.sampler import process_ask, process_look

LAST_VALUES_S = 1.0


class Samples:
    """What the process holds on each device that it uses, by the system's own counter."""

    def __init__(
        self, devices: Devices, periods: Sequence[DevicePeriod], period_ms: int, last: Path
    ) -> None:
        self._ask = process_ask(devices)
        self._periods = periods
        self._period_s = period_ms / 1000
        self._last = last
        self._written = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="fiche-samples", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def forget(self) -> None:
        """Take the last values away: the record says more."""
        with contextlib.suppress(OSError):
            self._last.unlink()

    def _look(self) -> None:
        while not self._stop.wait(self._period_s):
            with contextlib.suppress(Exception):
                self.take()
                self._note_now_and_then()

    def take(self) -> None:
        """One sample of each device in use."""
        for period in self._periods:
            if in_use(period.device):
                used, reserved = process_look(period.device, self._ask)
                if used is not None:
                    period.sample(used, reserved)

    def _note_now_and_then(self) -> None:
        if time.monotonic() - self._written >= LAST_VALUES_S and not self._stop.is_set():
            self.note()

    def note(self) -> None:
        """Put the values of this moment on disk.

        Raises:
            OSError: they cannot be written.
        """
        self._written = time.monotonic()
        partial = self._last.with_name(self._last.name + ".partial")
        partial.write_text(json.dumps(self._values()), encoding="utf-8")
        partial.replace(self._last)

    def _values(self) -> dict[str, list[dict[str, Any]]]:
        seen = [period for period in self._periods if in_use(period.device)]
        return {
            "devices": [
                {
                    "device": period.device.name,
                    "levels": period.levels(),
                    "peak_since_last_reset": period.running_peaks(),
                }
                for period in seen
            ]
        }


def in_use(device: Device) -> bool:
    """Whether the process has put anything on the device; asking makes no context there."""
    try:
        return device.peak_reserved() > 0 or device.reserved() > 0
    except Exception:  # noqa: BLE001 - a device that answers nothing is not known to be in use
        return False
