"""Samples of what the whole process holds on a device, taken beside a running phase (C5).

A sampled maximum is at most the true peak, and the record says so by its name and its period.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from fiche.measure.protocol.devices import Device, Devices
from fiche.measure.protocol.levels import DevicePeriod, Use


class Sampler:
    """A thread that reads while a phase is open; it asks the system's tool, and never the device itself."""

    def __init__(
        self, devices: Devices, open_periods: Callable[[Device], list[DevicePeriod]], period_ms: int
    ) -> None:
        self.period_ms = period_ms
        self.patience_s = 5.0
        self._devices = devices
        self._open = open_periods
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it runs already."""
        if self.period_ms <= 0 or self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="fiche-sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the sample in progress, but not for ever."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=self.patience_s)

    def _run(self) -> None:
        while not self._done.wait(self.period_ms / 1000):
            for device in self._devices.all:
                with contextlib.suppress(Exception):
                    self._sample(device)

    def _sample(self, device: Device) -> None:
        periods = [period for period in self._open(device) if period.is_running]
        if not periods:
            return
        used, reserved = process_look(device, process_ask(self._devices))
        for period in periods:
            # One that ended meanwhile was read at its end: this sample may be of what came after.
            if used is not None and period.is_running:
                period.sample(used, reserved)


def process_ask(devices: Devices) -> Callable[[Device], Use]:
    """What another thread may call at any time: the system's tool; the framework may be capturing a graph."""
    asked: Callable[[Device], Use] = getattr(devices, "tool_use", devices.use)
    return asked


def process_look(device: Device, ask: Callable[[Device], Use]) -> tuple[int | None, int | None]:
    """What the process holds, and its reserve where that held still around the reading; None: not read."""
    before = _reserve(device)
    told = ask(device).get("process_device_bytes")
    after = _reserve(device)
    return (None if told is None else int(told[0])), (before if before == after else None)


def _reserve(device: Device) -> int | None:
    try:
        return device.reserved()
    except Exception:  # noqa: BLE001 - a reading that fails is missing
        return None
