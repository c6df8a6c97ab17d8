"""What a submitted job does, on whatever machine it starts: one command, one fresh process, its end noted.

Everything about a try lies in its folder: `submit.json` (what to run), `started.json` (where), what
the command writes, `stdout.txt` and `stderr.txt`, `ended.json` (how). None is ever written twice, so a
job that a scheduler starts again by itself does nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fiche.measure.campaign.files import digest, locked, read, write_new
from fiche.measure.campaign.plan import hidden

SUBMIT, QUEUED, STARTED, ENDED = "submit.json", "queued.json", "started.json", "ended.json"
LOCK = "lock"
OWN = frozenset((SUBMIT, QUEUED, STARTED, ENDED, LOCK))
RECORDS = (".json", ".journal")
REFUSED = 2

_EVERY_S = 0.1
# A scheduler leaves half a minute between asking and killing.
_GRACE_S = 20.0
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2")
_MOST = 500
_READ = 8192
_NAMED = re.compile(rb'"format"\s*:\s*"fiche-measurement/')


def work(folder: str) -> int:
    """Run the command of a try and note how it ended; the command's exit code, -1 where it has none.

    Raises:
        OSError: the folder cannot be written.
    """
    place = Path(folder)
    told = read(place / SUBMIT)
    with locked(place / LOCK) as lock:
        if told is None or lock is None or not write_new(place / STARTED, started()):
            return -1
        ended = _Run(place, told, lock).ended()
        write_new(place / ENDED, ended)
    code = ended.get("exit")
    return code if isinstance(code, int) else -1


def started() -> dict[str, Any]:
    """Who started a try, where and when."""
    told: dict[str, Any] = {"host": socket.gethostname(), "pid": os.getpid(), "at": now()}
    job = os.environ.get("SLURM_JOB_ID")
    return told if job is None else {**told, "slurm_job": job}


def now() -> str:
    """The clock of this machine, with its zone."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Run:
    """One process, watched until it ends, its time is up, or somebody asks it to end."""

    def __init__(self, folder: Path, told: dict[str, Any], lock: int) -> None:
        self.folder, self.told, self.lock = folder, told, lock
        self.asked = ""
        self.out_of_time = False

    def ended(self) -> dict[str, Any]:
        """Run it; the document of `ended.json`."""
        began = time.monotonic()
        try:
            with self._asked_to_end():
                code = self._run(began)
        except OSError as error:
            code, why = None, f"the command cannot be started: {error.strerror or error}"
        else:
            why = said(self.folder / "stderr.txt", first=code == REFUSED)
        return {
            "exit": code,
            "how": self._how(),
            "seconds": round(time.monotonic() - began, 3),
            "at": now(),
            "message": why,
            "records": [_listed(self.folder, path) for path in records(self.folder)],
        }

    def _how(self) -> str:
        if self.asked:
            return f"asked to end by {self.asked}"
        return "its time was up" if self.out_of_time else "by itself"

    def _run(self, began: float) -> int:
        with (
            (self.folder / "stdout.txt").open("xb") as out,
            (self.folder / "stderr.txt").open("xb") as err,
            subprocess.Popen(
                self.told["command"],
                cwd=self.told["cwd"],
                env=environment(self.told["environment"]),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=(self.lock,),
                start_new_session=True,
            ) as child,
        ):
            return self._wait(child, began + self.told["seconds"])

    def _wait(self, child: subprocess.Popen[bytes], end: float) -> int:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(_EVERY_S)
            self.out_of_time = not self.asked and time.monotonic() > end
            if self.asked or self.out_of_time:
                return _end(child)

    @contextlib.contextmanager
    def _asked_to_end(self) -> Iterator[None]:
        """Take the signals over from the engine: it would requeue the job, or forget its child."""
        before = {}
        for name in _ASKING:
            number = getattr(signal, name)
            before[number] = signal.signal(number, self._note)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, _: object) -> None:
        self.asked = self.asked or signal.Signals(number).name


def _end(child: subprocess.Popen[bytes]) -> int:
    """Ask the whole group to end, then end it."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(_GRACE_S)
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    return child.wait()


def environment(changes: dict[str, str | None]) -> dict[str, str]:
    """This process's variables with some set, and some (None) taken away."""
    own = {name: value for name, value in os.environ.items() if name not in changes}
    return own | {name: value for name, value in changes.items() if value is not None}


def records(folder: Path) -> list[Path]:
    """The records that a try wrote, a journal only where its document is missing."""
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in RECORDS
        and path.is_file()
        and not (path.parent == folder and path.name in OWN)
    )
    there = set(found)
    alone = (p for p in found if p.suffix != ".journal" or p.with_suffix("") not in there)
    return [path for path in alone if _is_record(path)]


def _is_record(path: Path) -> bool:
    """A JSON text that names the format near its start; whether it holds is for who reads it."""
    try:
        with path.open("rb") as stream:
            return _NAMED.search(stream.read(65536)) is not None
    except OSError:
        return False


def _listed(folder: Path, path: Path) -> dict[str, str]:
    return {"file": path.relative_to(folder).as_posix(), "sha256": digest(path)}


def said(path: Path, *, first: bool) -> str:
    """The first line of what was said, which names a refusal, or the last, which names an error."""
    try:
        with path.open("rb") as stream:
            if not first:
                stream.seek(max(0, path.stat().st_size - _READ))
            lines = stream.read(_READ).decode("utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    told = [hidden(line.strip())[:_MOST] for line in lines if line.strip()]
    return told[0 if first else -1] if told else ""
