"""Trials: each measurement in a process of its own, seen from the process that starts it (C7).

Nothing here imports torch. However the child ends, killed included, what it wrote stays: its journal
holds every finished phase (C11).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from fiche.kernel.record import record
from fiche.measure.asking import answered
from fiche.measure.job import Job
from fiche.measure.protocol.journal import journal_of
from fiche.measure.protocol.places import record_path

# What runs one job. A test puts its own in this place; nothing that a user types does.
CHILD: tuple[str, ...] = (sys.executable, "-u", "-P", "-m", "fiche.measure.child")

DONE, REFUSED, FAILED, KILLED = "done", "refused", "failed", "killed"
INTERRUPTED, STOPPED, BROKEN = "interrupted", "stopped", "broken"
_BY_CODE = {0: DONE, 2: REFUSED, 3: FAILED, 130: INTERRUPTED}

Watch = Callable[[dict[str, Any]], None]

_EVERY_S = 0.05
_GRACE_S = 15.0
_LINES_KEPT = 60
_PR_SET_PDEATHSIG = 1
# Nothing is downloaded by a measurement (C10).
_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


@record
class Trial:
    """How one process ended and what it left.

    `outcome`: done, refused, failed (the workload), killed (by a signal), interrupted (asked to end),
    stopped (its time was up), broken (ended in another way). `record` is the document, or the journal
    of a series that was cut; None where there is neither. `told` is the last of what it said.
    """

    job: Job
    outcome: str
    code: int
    told: str
    record: Path | None
    asked: int | None = None

    @property
    def cut(self) -> bool:
        """True where the record is a journal without its end."""
        return self.record is not None and self.record == journal_of(written(self.job))


def written(job: Job) -> Path:
    """Where the document of a job goes, as typed; under a launcher each rank has a name of its own."""
    return Path(job.output).with_name(record_path(job.output).name)


def run_trial(job: Job, watch: Watch | None = None, seconds: float | None = None) -> Trial:
    """Run one job in a fresh process and wait for it; Ctrl-C is passed on, and waits for the journal.

    `watch` gets each event of the journal as it is written. After `seconds` the process is ended.

    Raises:
        OSError: the process cannot be started.
    """
    tail = _Tail(journal_of(written(job)), watch)
    child = _start(job)
    said: deque[str] = deque(maxlen=_LINES_KEPT)
    reader = threading.Thread(target=_drain, args=(child, said), daemon=True)
    reader.start()
    with contextlib.closing(tail), _passed_on(child) as asked:
        _hand_over(child, job)
        in_time = _wait(child, tail, asked, seconds)
    reader.join(timeout=5)
    if child.stderr is not None and not reader.is_alive():
        child.stderr.close()
    return _trial(job, child.returncode, asked, in_time, "".join(said).strip())


def _start(job: Job) -> subprocess.Popen[str]:
    """The child leads a group of its own: a terminal's Ctrl-C reaches it through us alone."""
    alone: dict[str, Any] = {}
    if os.name == "posix":
        alone = {"process_group": 0}
        if sys.platform == "linux":
            alone["preexec_fn"] = _ending_with(os.getpid())
    return subprocess.Popen(
        CHILD,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_environment(job),
        text=True,
        encoding="utf-8",
        errors="replace",
        **alone,
    )


def _environment(job: Job) -> dict[str, str]:
    """Ours, offline, with the job's own variables; an empty one of these is taken away."""
    whole = {**os.environ, **_OFFLINE, **job.environment}
    for name, value in job.environment.items():
        if not value:
            del whole[name]
    return whole


def _ending_with(parent: int) -> Callable[[], None]:
    """Where the parent is killed, the child ends too: no orphan holds the device and writes records."""
    libc = ctypes.CDLL(None, use_errno=True)

    def asked() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return asked


def _hand_over(child: subprocess.Popen[str], job: Job) -> None:
    assert child.stdin is not None
    with contextlib.suppress(OSError):  # one that has ended already says itself why
        child.stdin.write(json.dumps(job.json()))
        child.stdin.close()


def _drain(child: subprocess.Popen[str], said: deque[str]) -> None:
    """Read what the child says, so that it never waits for a reader; the last lines are kept."""
    assert child.stderr is not None
    with contextlib.suppress(OSError, ValueError):
        for line in child.stderr:
            said.append(line[:4_000])


def _wait(
    child: subprocess.Popen[str], tail: _Tail, asked: list[int], seconds: float | None
) -> bool:
    """Wait for the end, and tell the journal's lines on the way; False where the time was up."""
    end = None if seconds is None else time.monotonic() + seconds
    while child.poll() is None:
        tail.read()
        if end is not None and not asked and time.monotonic() > end:
            _end(child)
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_EVERY_S)
    tail.read()
    return True


def _end(child: subprocess.Popen[str]) -> None:
    _send(child, signal.SIGINT)
    try:
        child.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        _send(child, getattr(signal, "SIGKILL", signal.SIGTERM))
        child.wait()


def _send(child: subprocess.Popen[str], number: int) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, number)
        else:
            child.terminate()


@contextlib.contextmanager
def _passed_on(child: subprocess.Popen[str]) -> Iterator[list[int]]:
    """What asks this process to end asks the child; asked a second time, the child is ended at once."""
    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        kill = getattr(signal, "SIGKILL", signal.SIGTERM)
        _send(child, number if len(asked) == 1 else kill)

    with answered(ask):
        yield asked


def _trial(job: Job, code: int, asked: list[int], in_time: bool, told: str) -> Trial:
    outcome = _BY_CODE.get(code, KILLED if code < 0 else BROKEN)
    if not in_time:
        outcome = STOPPED
    elif asked and outcome != DONE:
        outcome = INTERRUPTED
    return Trial(
        job=job,
        outcome=outcome,
        code=code,
        told=told,
        record=_left(written(job)),
        asked=asked[0] if asked else None,
    )


def _left(path: Path) -> Path | None:
    """The document, or the journal where the process did not come so far."""
    return next((each for each in (path, journal_of(path)) if each.is_file()), None)


class _Tail:
    """Reads the whole lines of a journal as it grows, to its end though the document takes its place.

    The file stays open where an open one may be removed (not on Windows, where its last lines are missed).
    """

    def __init__(self, path: Path, watch: Watch | None) -> None:
        self._path = path
        self._watch = watch
        self._at = 0
        self._file: IO[bytes] | None = None

    def read(self) -> None:
        """Tell what came since; a file that is not there yet tells nothing."""
        if self._watch is None:
            return
        try:
            new = self._new()
        except OSError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            with contextlib.suppress(ValueError):
                self._watch(json.loads(line))

    def _new(self) -> bytes:
        file = self._file or self._path.open("rb")
        try:
            file.seek(self._at)
            return file.read()
        finally:
            if os.name == "posix":
                self._file = file
            else:
                file.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
