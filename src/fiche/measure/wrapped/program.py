"""The record of one process of a command: one phase `program`, from its first use of a GPU to its end.

The journal gets its header and the phase's start at once, so that a kill leaves `outcome unknown`.
`fiche run` itself makes the document of it, since only the parent sees how a process ended.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from fiche.measure.protocol.devices import Devices
from fiche.measure.protocol.journal import Journal
from fiche.measure.protocol.levels import DevicePeriod
from fiche.measure.protocol.phase import error_of
from fiche.measure.protocol.places import rank_of
from fiche.measure.protocol.tool import FORMAT
from fiche.measure.wrapped.ooms import Ooms
from fiche.measure.wrapped.peaks import Resets
from fiche.measure.wrapped.samples import Samples, in_use
from fiche.measure.wrapped.settings import Settings

PREFIX = "program-"
PROTOCOL = "one process of a command, seen from outside by fiche run"
_SCOPE = (
    "peaks since the process began; where the program reset them they were read before, and the largest is "
    "kept. No phase was told apart and no dimension was seen to be executed"
)


class Program:
    """One process, from `begin` to `end`; a process forked from it is another one and writes nothing."""

    def __init__(self, settings: Settings, devices: Devices) -> None:
        self._settings = settings
        self._devices = devices
        self._pid = os.getpid()
        self._began = time.monotonic_ns()
        self._ending = threading.Lock()
        self._journal = Journal(_free_path(Path(settings.folder)))
        path = self._journal.path
        self._periods = [DevicePeriod(device) for device in devices.all]
        self._samples = Samples(
            devices, self._periods, settings.period_ms, path.with_suffix(".last")
        )
        self.resets = Resets(self._periods)
        self.ooms = Ooms(path.with_suffix(".oom.pickle"))
        self.exit_asked: int | None = None
        self._phase = _start(settings)

    def begin(self) -> None:
        """Write the header and the start of the phase.

        Raises:
            OSError: the folder cannot be written.
        """
        try:
            self._journal.write({"event": "header", **self._header()})
            self._journal.write({"event": "phase_start", "phase": self._phase})
        except BaseException:
            self._journal.discard()
            raise
        self._samples.start()

    def runs_here(self) -> bool:
        """Whether this is the process that began it, and it has not ended."""
        return os.getpid() == self._pid and not self._ending.locked()

    def end(self, error: BaseException | None = None, *, patient: bool = True) -> None:
        """Write how it went, once; a `patient` end waits for the devices, another one may not hang."""
        if os.getpid() != self._pid or not self._ending.acquire(blocking=False):
            return
        late = self._late() if patient else None
        with contextlib.suppress(Exception):
            self._samples.take()
        self._samples.stop()
        if error is not None and not isinstance(error, Exception):
            self._leave_unknown()
            return
        self._samples.forget()
        told = self._error(error, late)
        phase = {
            **self._phase,
            "outcome": "success" if told is None else "failure",
            "devices": list(filter(None, map(self._entry, self._periods))),
            "duration_ns": time.monotonic_ns() - self._began,
            "output_check": {"status": "not_checked"},
            "extra": self._extra(),
        }
        if told is not None:
            phase["error"] = told
        with contextlib.suppress(OSError):  # a full disk: the start stands, the outcome is unknown
            self._journal.write({"event": "phase_end", "phase": phase})

    def _leave_unknown(self) -> None:
        """An interruption is neither a success nor a failure: the last values stand, and no end."""
        with contextlib.suppress(Exception):
            self._samples.note()

    def _header(self) -> dict[str, Any]:
        told = self._settings
        series: dict[str, Any] = {
            "id": f"{told.run[:80]}.{self._pid}",
            "started_at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
            "process": {"protocol": PROTOCOL, "pid": self._pid},
            "run": told.run,
        }
        rank = rank_of()
        if rank is not None:
            series["rank"] = rank
        head: dict[str, Any] = {
            "format": FORMAT,
            "tool": {"name": "fiche run", "version": told.version},
            "series": series,
            "environment": self._devices.environment(),
            "workload": {},
        }
        head.update({k: v for k, v in (("gpu", told.gpu), ("machine", told.machine)) if v})
        return head

    def _late(self) -> Exception | None:
        """Wait for the devices in use: an error of work that was still queued comes up here."""
        for period in self._periods:
            try:
                if in_use(period.device):
                    period.device.synchronize()
            except Exception as error:  # noqa: BLE001 - whatever the driver says is the record's
                return error
        return None

    def _error(
        self, error: BaseException | None, late: BaseException | None
    ) -> dict[str, Any] | None:
        if error is not None:
            return error_of(error, "in_phase")
        if late is not None:
            return error_of(late, "at_end")
        if self.exit_asked:
            return {"type": "SystemExit", "message": f"exit status {self.exit_asked}"}
        return None

    def _entry(self, period: DevicePeriod) -> dict[str, Any] | None:
        """Readings of a device; None of one that the process never used."""
        period.peaks.fold(period.running_peaks())
        period.end = period.levels()
        if not self._was_used(period):
            return None
        with contextlib.suppress(Exception):
            period.use_end = self._devices.use(period.device)
        entry = period.entry(self._settings.period_ms)
        further = {"peak_resets_seen": self.resets.seen.get(period.device.index, 0)}
        entry["extra"] = {**entry.get("extra", {}), **further, **self.ooms.counters(period.device)}
        return entry

    def _was_used(self, period: DevicePeriod) -> bool:
        """By its counters, else by the system's tool; PyTorch's own free reading would make a context there."""
        if period.sampled or any({**period.end, **period.peaks.told()}.values()):
            return True
        ask = getattr(self._devices, "tool_use", None)
        if ask is None:
            return False
        with contextlib.suppress(Exception):
            return bool(ask(period.device).get("process_device_bytes", (0, ""))[0])
        return False

    def _extra(self) -> dict[str, Any]:
        found: dict[str, Any] = {"scope": _SCOPE, **self.ooms.seen()}
        if self.exit_asked is not None:
            found["exit_asked"] = self.exit_asked
        return found


def _start(settings: Settings) -> dict[str, Any]:
    phase: dict[str, Any] = {
        "index": 0,
        "name": "program",
        "pass": "first",
        "ordering": "whole_loop",
        "covers": settings.covers,
    }
    if settings.case:
        phase["case"] = settings.case
    if settings.declared:
        phase["declared"] = settings.declared
    return phase


def _free_path(folder: Path) -> Path:
    """A name by process (and rank); a process that became another program keeps its number."""
    rank = rank_of()
    place = "" if rank is None else f"rank{rank['rank']}-"
    stem = f"{PREFIX}{place}{os.getpid()}"
    names: list[str] = [stem, *(f"{stem}-{number}" for number in range(2, 1000))]
    for name in names:
        path = folder / f"{name}.json"
        if not (path.exists() or path.with_name(path.name + ".journal").exists()):
            return path
    return folder / f"{stem}.json"
