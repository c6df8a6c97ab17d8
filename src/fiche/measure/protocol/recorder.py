"""The recorder: phases of any program, kept on disk as they finish (C1 to C11).

Nothing is reset outside a phase. A phase resets the peak counters of the measured devices when it
begins and leaves them running when it ends; memory that the program holds is never freed, and the
allocator's cache is emptied only where the policy of the series says so.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from fiche.measure.protocol.devices import Device, Devices, find_devices
from fiche.measure.protocol.heading import heading
from fiche.measure.protocol.journal import Journal
from fiche.measure.protocol.levels import DevicePeriod
from fiche.measure.protocol.phase import Phase, check_of, error_of, gathered, start_of
from fiche.measure.protocol.places import record_path
from fiche.measure.protocol.sampler import Sampler


class MisusedError(RuntimeError):
    """The recorder was called in an order that would make a record say what did not happen."""


class Open:
    """A phase that runs: its line in the journal, its periods, and when it began."""

    def __init__(self, phase: Phase, start: dict[str, Any], periods: list[DevicePeriod]) -> None:
        self.phase = phase
        self.start = start
        self.periods = periods
        self.began = 0
        self.passive: list[Phase] = []
        self.failed_in = ""


class Recorder:
    """Writes one record of one series: one process, one order of trials, one policy (C7)."""

    def __init__(
        self, path: Path, devices: Devices, header: dict[str, Any], case: str, sample_ms: int
    ) -> None:
        self.path = path
        self.devices = devices
        self._header = header
        self._case = case
        self._journal = Journal(path)
        self._owner = (os.getpid(), threading.get_ident())
        self._open: list[Open] = []
        self._finished: list[dict[str, Any]] = []
        self._left: list[dict[str, Any]] = []
        self._seen: set[str] = set()
        self._index = 0
        self._closed = False
        self._sampler = Sampler(devices, self._periods_of, sample_ms)
        self._write({"event": "header", **header})
        self._sampler.start()
        atexit.register(self._at_exit)

    def phase(
        self,
        name: str,
        *,
        covers: Sequence[str] = (),
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """A phase with the dimensions asked for; `pass_` is told by itself: first, then later."""
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "phased", **given)

    def whole_loop(
        self,
        name: str = "loop",
        *,
        covers: Sequence[str] = (),
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """The un-phased loop in its real ordering: phases inside it only give it their names (C8)."""
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "whole_loop", **given)

    def begin(self, phase: Phase) -> None:
        """See `Phase.begin`."""
        self._own()
        if self._open and self._open[-1].phase.ordering == "whole_loop":
            self._open[-1].passive.append(phase)
            return
        opened = self._opened(phase)
        self._write({"event": "phase_start", "phase": opened.start})
        self._index += 1
        self._open.append(opened)
        try:
            self._measure_from_here(opened)
        except Exception as error:
            self._finish(opened, error, "at_start")
            raise

    def end(self, phase: Phase, error: BaseException | None) -> None:
        """See `Phase.end` and `Phase.fail`."""
        self._own()
        if self._open and phase in self._open[-1].passive:
            self._end_passive(self._open[-1], phase, error)
            return
        if not self._open or self._open[-1].phase is not phase:
            raise MisusedError(f"the phase {phase.name} is not the one that runs")
        opened = self._open[-1]
        if error is not None and not isinstance(error, Exception):
            self._abandon(opened)  # an interruption is neither a success nor a failure
            return
        late = self._synchronized(opened)
        self._finish(opened, error or late, "in_phase" if error else "at_end")
        if late is not None and error is None:
            raise late

    def empty_cache(self) -> None:
        """Empty the allocator's cache, where the series' policy is to do so (C7)."""
        for device in self.devices.all:
            device.empty_cache()

    def close(self) -> Path:
        """Write the document; a phase that still runs has no known outcome.

        Raises:
            OSError: it cannot be written; the journal stays and holds the same.
        """
        if self._closed:
            return self.path
        self._closed = True
        atexit.unregister(self._at_exit)
        self._sampler.stop()
        while self._open:
            self._abandon(self._open[-1])
        self._write({"event": "footer", "phases": len(self._finished)})
        return self._journal.finish(self.document())

    def discard(self) -> None:
        """Leave no file behind: for a program that found out that there is nothing to measure."""
        self._closed = True
        atexit.unregister(self._at_exit)
        self._sampler.stop()
        self._journal.discard()

    def document(self) -> dict[str, Any]:
        """The record so far, in the order in which phases began."""
        phases = sorted(self._finished, key=lambda phase: int(phase["index"]))
        unfinished = [*self._left, *(opened.start for opened in self._open)]
        left = {"unfinished": unfinished} if unfinished else {}
        return {**self._header, **left, "phases": phases}

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self, phase: Phase) -> Open:
        parent = int(self._open[-1].start["index"]) if self._open else None
        start = start_of(phase, self._index, self._pass(phase), self._case, parent)
        return Open(phase, start, [DevicePeriod(device) for device in self.devices.all])

    def _pass(self, phase: Phase) -> str:
        """A whole loop is a first pass only where nothing at all ran before it."""
        if phase.forced_pass is not None:
            return phase.forced_pass
        before = bool(self._seen) if phase.ordering == "whole_loop" else phase.name in self._seen
        return "later" if before else "first"

    def _measure_from_here(self, opened: Open) -> None:
        for period in opened.periods:
            period.device.synchronize()
        for place, period in enumerate(opened.periods):
            period.start = period.levels()
            period.use_start = self._use(period.device)
            for outer in self._open[:-1]:
                outer.periods[place].peaks.fold(period.running_peaks())
        for period in opened.periods:
            period.reset()
        opened.began = time.monotonic_ns()

    def _synchronized(self, opened: Open) -> Exception | None:
        for period in opened.periods:
            try:
                period.device.synchronize()
            except Exception as error:  # noqa: BLE001 - kept as the phase's failure
                return error
        return None

    def _finish(self, opened: Open, error: BaseException | None, surfaced: str) -> None:
        duration = time.monotonic_ns() - opened.began
        if surfaced != "at_start":
            self._read_end(opened)
        self._open.pop()
        opened.phase.checked()
        self._seen.update({opened.phase.name, *opened.phase.covers})
        told = self._told(opened, error, surfaced, duration)
        self._finished.append(told)
        self._write({"event": "phase_end", "phase": told})

    def _read_end(self, opened: Open) -> None:
        for place, period in enumerate(opened.periods):
            part = period.running_peaks()
            for each in self._open:
                each.periods[place].peaks.fold(part)
            period.end = period.levels()
            period.use_end = self._use(period.device)

    def _told(
        self, opened: Open, error: BaseException | None, surfaced: str, duration: int
    ) -> dict[str, Any]:
        phase = opened.phase
        told = dict(opened.start)
        if phase.ordering == "whole_loop":
            told["covers"] = list(dict.fromkeys(phase.covers)) or [phase.name]
        if phase.declared:
            told["declared"] = dict(phase.declared)
        if phase.ran:
            told["executed"] = dict(phase.ran)
        told["outcome"] = "success" if error is None else "failure"
        told["devices"] = [p.entry(self._sampler.period_ms) for p in opened.periods]
        if surfaced != "at_start":
            told["duration_ns"] = duration
        if phase.tensors:
            told["tensors"] = phase.tensors[:64]
        told["output_check"] = check_of(phase.checks)
        if phase.notes:
            told["extra"] = dict(phase.notes)
        if error is not None:
            told["error"] = error_of(error, surfaced)
            if opened.failed_in:
                told["error"]["extra"] = {"phase": opened.failed_in}
        return told

    def _end_passive(self, loop: Open, phase: Phase, error: BaseException | None) -> None:
        loop.passive.remove(phase)
        phase.checked()
        if phase.name not in loop.phase.covers:
            loop.phase.covers.append(phase.name)
        gathered(loop.phase, phase)
        if error is not None and not loop.failed_in:
            loop.failed_in = phase.name

    def _abandon(self, opened: Open) -> None:
        self._open.remove(opened)
        self._seen.add(opened.phase.name)
        self._left.append(opened.start)
        # Its peaks are not read here, so the outer ones, whose counters it reset, are not known either.
        for outer in self._open:
            for period in outer.periods:
                period.peaks.fold({})

    def _periods_of(self, device: Device) -> list[DevicePeriod]:
        return [p for opened in list(self._open) for p in opened.periods if p.device is device]

    def _use(self, device: Device) -> dict[str, tuple[int, str]]:
        try:
            return self.devices.use(device)
        except Exception:  # noqa: BLE001 - a reading that fails is missing
            return {}

    def _own(self) -> None:
        if self._closed:
            raise MisusedError("this record is closed")
        if self._owner != (os.getpid(), threading.get_ident()):
            raise MisusedError("phases run in the process and thread that made the recorder")

    def _write(self, event: dict[str, Any]) -> None:
        self._journal.write(event)

    def _at_exit(self) -> None:
        if os.getpid() == self._owner[0]:
            self.close()


def recorder(
    output: str | Path | None = None,
    *,
    device: str | Sequence[str] | Devices | None = None,
    workload: Mapping[str, Any] | None = None,
    case: str = "",
    sample_ms: int = 20,
    **told: Any,
) -> Recorder:
    """Start a record of what this program does on its device.

    `output` is the document (m.json; in a run of several ranks m-rank0.json); a name of its own is
    made where it is left out. `workload` says in the words of a fiche what runs. Further words:
    `series`, `gpu`, `machine`, `run`, `warmups`, `repeats`, `empty_cache`, `seed`, `order`, `plan`,
    `protocol`.

    Raises:
        NoDevice: there is nothing to measure with, and no file is written (C10).
        FileExistsError: the record exists; no measurement is overwritten.
        OSError: the folder cannot be written.
        TypeError: a word that no record has.
    """
    named = device is None or isinstance(device, (str, list, tuple))
    devices: Devices = find_devices(device) if named else device  # type: ignore[arg-type, assignment]
    path = record_path(output)
    header = heading(path, devices, dict(workload or {}), told)
    return Recorder(path, devices, header, case, sample_ms)
