"""A phase while it runs: its line of the journal, what each device shows, and what is told at its end (C1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from fiche.measure.protocol.devices import Device
from fiche.measure.protocol.inside import Inside
from fiche.measure.protocol.levels import DevicePeriod, Use
from fiche.measure.protocol.phase import Phase, check_of, error_of


class Open:
    """One phase that has begun and has not ended."""

    def __init__(self, phase: Phase, start: dict[str, Any], devices: Sequence[Device]) -> None:
        self.phase = phase
        self.start = start
        self.periods = [DevicePeriod(device) for device in devices]
        self.inside = Inside()
        self._began = 0

    def begin(self, outer: Sequence[Open], use: Callable[[Device], Use]) -> None:
        """Steps 2 and 3: all devices are waited for, then all are read, then all are reset.

        Raises:
            Exception: what a synchronization raised.
        """
        for period in self.periods:
            period.device.synchronize()
        for place, period in enumerate(self.periods):
            period.start = period.levels()
            period.use_start = use(period.device)
            for around in outer:
                around.periods[place].peaks.fold(period.running_peaks())
        for period in self.periods:
            period.reset()
            period.run()
        self._began = time.monotonic_ns()

    def synchronized(self) -> Exception | None:
        """Wait for every device, also after one that failed; the first error."""
        failed = None
        for period in self.periods:
            try:
                period.device.synchronize()
            except Exception as error:  # noqa: BLE001 - kept as the phase's failure
                failed = failed or error
        return failed

    def elapsed_ns(self) -> int:
        """Since it began to run."""
        return time.monotonic_ns() - self._began

    def read_end(self, outer: Sequence[Open], use: Callable[[Device], Use]) -> None:
        """Step 5: peaks, for this phase and those around it, then levels."""
        for place, period in enumerate(self.periods):
            period.stop()
            part = period.running_peaks()
            for each in (*outer, self):
                each.periods[place].peaks.fold(part)
            period.read_end(use)

    def stop(self) -> None:
        """No sample is of it any more."""
        for period in self.periods:
            period.stop()

    def end_passive(self, phase: Phase, error: BaseException | None) -> None:
        """A phase inside this loop has ended: nothing is read (C8)."""
        self.inside.running.remove(phase)
        try:
            phase.checked()
        finally:
            phase.is_over = True
            self.inside.take(self.phase, phase, error)

    def told(
        self, error: BaseException | None, surfaced: str, duration_ns: int, period_ms: int
    ) -> dict[str, Any]:
        """The record's phase; what did not happen has no key (C2)."""
        phase = self.phase
        told = dict(self.start)
        if phase.ordering == "whole_loop":
            told["covers"] = self._covered(error is None) or [phase.name]
        ran = {**self.inside.executed(error is None), **phase.ran}
        told.update({k: dict(v) for k, v in (("declared", phase.declared), ("executed", ran)) if v})
        told["outcome"] = "success" if error is None else "failure"
        told["devices"] = [period.entry(period_ms) for period in self.periods]
        if surfaced != "at_start":
            told["duration_ns"] = duration_ns
        if phase.tensors:
            told["tensors"] = phase.tensors[:64]
        told["output_check"] = check_of(phase.checks)
        extra = {**phase.notes, **self._aside()}
        if extra:
            told["extra"] = extra
        if error is not None:
            told["error"] = error_of(error, surfaced)
            if self.inside.failed_in:
                told["error"].setdefault("extra", {})["phase"] = self.inside.failed_in
        return told

    def _covered(self, succeeded: bool) -> list[str]:
        """What a loop goes through; one that went on after a part had failed does not cover that part."""
        names = dict.fromkeys((*self.phase.covers, *self.inside.names))
        return [name for name in names if not (succeeded and name in self.inside.failed)]

    def _aside(self) -> dict[str, Any]:
        """What happened inside a loop that its dimensions and its outcome do not tell."""
        told = {"failed_inside": self.inside.failed, "executed_apart": self.inside.apart()}
        return {key: value for key, value in told.items() if value}
