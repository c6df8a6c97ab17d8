"""Samples of what the whole process holds on a device, taken beside a running phase (C5).

A sampled maximum is at most the true peak, and the record says so by its name and its period.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from fiche.measure.protocol.devices import Device, Devices
from fiche.measure.protocol.levels import DevicePeriod


class Sampler:
    """A thread that reads while a phase is open, and stops itself where there is nothing to read."""

    def __init__(
        self, devices: Devices, open_periods: Callable[[Device], list[DevicePeriod]], period_ms: int
    ) -> None:
        self.period_ms = period_ms
        self._devices = devices
        self._open = open_periods
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, where a process reading exists at all."""
        if self.period_ms <= 0 or not any(self._used(device) for device in self._devices.all):
            return
        self._thread = threading.Thread(target=self._run, name="fiche-sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the sample in progress."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._done.wait(self.period_ms / 1000):
            for device in self._devices.all:
                with contextlib.suppress(Exception):
                    self._sample(device)

    def _sample(self, device: Device) -> None:
        periods = self._open(device)
        if not periods:
            return
        before = device.reserved()
        used = self._used(device)
        after = device.reserved()
        # A reserve that moved between the two readings says nothing of the part outside it.
        if used is not None:
            for period in periods:
                period.sample(used, before if before == after else None)

    def _used(self, device: Device) -> int | None:
        try:
            told = self._devices.use(device).get("process_device_bytes")
        except Exception:  # noqa: BLE001 - a reading that fails is missing
            return None
        return None if told is None else told[0]
