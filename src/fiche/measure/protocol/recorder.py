"""The recorder: phases of any program, kept on disk as they finish (C1 to C11).

Nothing is reset outside a phase. A phase resets the peak counters of the measured devices when it
begins and leaves them running when it ends; memory that the program holds is never freed, and the
allocator's cache is emptied only where the policy of the series says so.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from fiche.measure.protocol.devices import Device, Devices, find_devices
from fiche.measure.protocol.heading import heading, series_words
from fiche.measure.protocol.journal import Journal
from fiche.measure.protocol.levels import DevicePeriod, Use
from fiche.measure.protocol.opened import Open
from fiche.measure.protocol.phase import Phase, start_of
from fiche.measure.protocol.places import record_path
from fiche.measure.protocol.sampler import Sampler
from fiche.measure.protocol.words import MisusedError, fact_words, text_word, whole_word

__all__ = ["MisusedError", "Recorder", "recorder"]


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
        try:
            self._journal.write({"event": "header", **header})
        except BaseException:
            self._journal.discard()  # nothing was measured, and the name stays free
            raise
        watch = getattr(devices, "watch_resets", None)
        self._resets = None if watch is None else watch(self._before_reset)
        atexit.register(self.close)

    def phase(
        self,
        name: str,
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """A phase with the dimensions asked for; `pass_` is told by itself: first, then later.

        Raises:
            TypeError: a word of another kind; a dimension is a whole number.
            ValueError: a name or a number that no record can hold.
        """
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "phased", **given)

    def whole_loop(
        self,
        name: str = "loop",
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """The un-phased loop in its real ordering: phases inside it only give it their names (C8).

        Raises:
            TypeError: as `phase`.
            ValueError: as `phase`.
        """
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "whole_loop", **given)

    def begin(self, phase: Phase) -> None:
        """See `Phase.begin`."""
        self._own()
        if self._open and self._open[-1].phase.ordering == "whole_loop":
            phase.take_off()
            self._open[-1].inside.enter(phase)
            self._seen.add(phase.name)
            return
        self._refuse_capture()
        phase.take_off()
        opened = self._opened(phase)
        # Before its line is on disk: an interruption in between leaves it known, as unfinished.
        self._open.append(opened)
        self._index += 1
        self._seen.update({phase.name, *phase.covers})
        try:
            self._started(opened)
        except BaseException:
            self._abandon(opened)
            raise

    def end(self, phase: Phase, error: BaseException | None) -> None:
        """See `Phase.end` and `Phase.fail`."""
        opened = self._running(phase, error)
        if opened is None:
            return
        if phase in opened.inside.running:
            opened.end_passive(phase, error)
            return
        if error is not None and not isinstance(error, Exception):
            self._abandon(opened)  # an interruption is neither a success nor a failure
            return
        try:
            late = opened.synchronized()
            self._finish(opened, error or late, "in_phase" if error else "at_end")
        except OSError:
            if error is None:
                raise
            return  # the caller goes on to raise its own; the document will hold this phase
        except BaseException:
            self._abandon(opened)
            raise
        if late is not None and error is None:
            raise late

    def empty_cache(self) -> None:
        """Empty the allocator's cache, where the series' policy is to do so (C7)."""
        for device in self.devices.all:
            device.empty_cache()

    def close(self) -> Path:
        """Write the document; a phase that still runs has no known outcome.

        A forked child closes nothing: the record is its parent's.

        Raises:
            OSError: it cannot be written; the journal stays and holds the same.
        """
        if self._closed or os.getpid() != self._owner[0]:
            return self.path
        self._let_go()
        while self._open:
            self._abandon(self._open[-1])
        self._journal.foot(len(self._finished))
        return self._journal.finish(self.document())

    def discard(self) -> None:
        """Leave no file behind: for a program that found out that there is nothing to measure."""
        if self._closed or os.getpid() != self._owner[0]:
            return
        self._let_go()
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
        return Open(phase, start, self.devices.all)

    def _pass(self, phase: Phase) -> str:
        """A whole loop is a first pass only where nothing at all began before it."""
        if phase.forced_pass is not None:
            return phase.forced_pass
        whole = phase.ordering == "whole_loop"
        return "later" if (self._index if whole else phase.name in self._seen) else "first"

    def _started(self, opened: Open) -> None:
        """Steps 1 to 3. A line that cannot be written starts no phase."""
        try:
            self._journal.write({"event": "phase_start", "phase": opened.start})
        except OSError:
            self._open.remove(opened)
            raise
        try:
            opened.begin(self._open[:-1], self._use_and_watch)
        except Exception as error:
            with contextlib.suppress(OSError):  # a full disk: the document will hold this phase
                self._finish(opened, error, "at_start")
            raise

    def _finish(self, opened: Open, error: BaseException | None, surfaced: str) -> None:
        duration = opened.elapsed_ns()
        if surfaced != "at_start":
            opened.read_end(self._open[:-1], self._use)
        self._open.remove(opened)
        try:
            opened.phase.checked()
        finally:  # interrupted or not, it has ended and has been read
            opened.phase.is_over = True
            told = opened.told(error, surfaced, duration, self._sampler.period_ms)
            self._finished.append(told)
            self._journal.write({"event": "phase_end", "phase": told}, owed=True)

    def _abandon(self, opened: Open) -> None:
        """Of unknown outcome, unless it has ended already.

        Phases around it lose nothing: what their counters showed was taken in before it reset them, and
        since then the counters run on.
        """
        if opened not in self._open:
            return
        self._open.remove(opened)
        self._left.append(opened.start)
        opened.stop()

    def _running(self, phase: Phase, error: BaseException | None) -> Open | None:
        """What ends with the phase; None where an exception on its way must not be replaced by another.

        Raises:
            MisusedError: it is not the innermost that runs, or not in this process and thread.
        """
        try:
            self._own()
        except MisusedError:
            if error is None and os.getpid() == self._owner[0]:
                raise
            return None
        top = self._open[-1] if self._open else None
        if top is not None and (top.phase is phase or phase in top.inside.running):
            return top
        if error is None:
            raise MisusedError(f"the phase {phase.name} is not the one that runs")
        for opened in [each for each in self._open if each.phase is phase]:
            self._abandon(opened)  # a generator that is closed while another phase runs, say
        return None

    def _refuse_capture(self) -> None:
        if any(getattr(device, "capturing", bool)() for device in self.devices.all):
            raise MisusedError(
                "a CUDA graph is being captured, and a phase would synchronize: put it around the capture"
            )

    def _before_reset(self, index: int) -> None:
        """Somebody resets the peaks of a device: what they show goes into every phase that runs."""
        for device in self.devices.all:
            if device.index == index:
                for period in self._periods_of(device):
                    if period.is_running:
                        period.peaks.fold(period.running_peaks())

    def _let_go(self) -> None:
        self._closed = True
        atexit.unregister(self.close)
        self._sampler.stop()
        if self._resets is not None:
            self._resets.stop()

    def _periods_of(self, device: Device) -> list[DevicePeriod]:
        return [p for opened in list(self._open) for p in opened.periods if p.device is device]

    def _use_and_watch(self, device: Device) -> Use:
        """Samples begin with the first phase at which the process can be read at all."""
        told = self._use(device)
        if "process_device_bytes" in told:
            self._sampler.start()
        return told

    def _use(self, device: Device) -> Use:
        try:
            return self.devices.use(device)
        except Exception:  # noqa: BLE001 - a reading that fails is missing
            return {}

    def _own(self) -> None:
        if self._closed:
            raise MisusedError("this record is closed")
        if self._owner != (os.getpid(), threading.get_ident()):
            raise MisusedError("phases run in the process and thread that made the recorder")


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
        TypeError: a word that no record has, or of another kind.
        ValueError: one that no record can hold.
    """
    path = record_path(output)
    case = text_word("case", case) if case else ""
    sample_ms = whole_word("sample_ms", sample_ms)
    words = fact_words(workload or {})
    series = series_words(told)
    devices = _devices(device)
    return Recorder(path, devices, heading(path, devices, words, series), case, sample_ms)


def _devices(device: Any) -> Devices:
    """Those named, by text or as PyTorch's own `torch.device`; or those that are handed over."""
    if device is None or isinstance(device, str):
        return find_devices(device)
    if isinstance(device, (list, tuple)):
        return find_devices([str(each) for each in device])
    if hasattr(device, "all") and hasattr(device, "use"):
        return device  # type: ignore[no-any-return]
    if hasattr(device, "type") and hasattr(device, "index"):
        return find_devices(str(device))
    raise TypeError(f"device is a name such as cuda:0, not {type(device).__name__}")
