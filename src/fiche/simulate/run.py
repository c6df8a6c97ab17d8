"""The parent's side of a simulation: start the child, bound it, end all of it, and say how it ended.

Nothing here imports torch. What the child writes goes into a file without a name, so however it ends, an
interruption included, nothing half-written is left anywhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import IO, Any

from fiche.kernel.record import record
from fiche.report.numbers import memory
from fiche.simulate.job import SEPARATOR, Job

# What runs one job. A test puts its own in this place; nothing that a user types does.
CHILD: tuple[str, ...] = (sys.executable, "-u", "-P", "-m", "fiche.simulate.child")

DONE, REFUSED, FAILED = "done", "refused", "failed"
MEMORY, TIME, KILLED, BROKEN, INTERRUPTED = "memory", "time", "killed", "broken", "interrupted"
MEMORY_CODE = 4
_BY_CODE = {0: DONE, 2: REFUSED, 3: FAILED, MEMORY_CODE: MEMORY, 130: INTERRUPTED}

_EVERY_S = 0.02
_LINES_KEPT = 60
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
# Nothing is downloaded, and no real device is touched: everything of a GPU is stood in for.
_AWAY = {
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"), "1"),
    **dict.fromkeys(("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"), ""),
    # Libraries walk sets of words, such as the kinds of a model's layers: the same order each time.
    "PYTHONHASHSEED": "0",
}


@record
class Ended:
    """How the process of a simulation ended, and what it wrote.

    `outcome`: done; refused (nothing to simulate, or not possible); failed (what was simulated raised); memory
    and time (a limit was reached); killed (by a signal); broken (a defect); interrupted (asked to end, by the
    signal `asked`). `told` is the last of what it said. `document` and `events` are bytes of the two files,
    empty unless done, and unless asked for.
    """

    outcome: str
    code: int
    told: str
    document: bytes = b""
    events: bytes = b""
    asked: int | None = None

    @property
    def last(self) -> str:
        """The last line that it said: its own sentence stands behind what libraries print."""
        lines = [line.strip() for line in self.told.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def run_child(job: Job, seconds: int | None = None) -> Ended:
    """Run one job in a process of its own and wait for it, `seconds` at the most.

    However it ends, every process of its group ends with it.

    Raises:
        OSError: the process cannot be started.
    """
    with tempfile.TemporaryFile() as written:
        child = _start(written)
        said: deque[str] = deque(maxlen=_LINES_KEPT)
        reader = threading.Thread(target=_drain, args=(child, said), daemon=True)
        reader.start()
        with _asked_to_end(child) as asked:
            try:
                _hand_over(child, job)
                in_time = _wait(child, seconds)
            finally:
                _end(child)
        reader.join(timeout=5)
        if child.stderr is not None and not reader.is_alive():
            child.stderr.close()
        outcome = _outcome(child.returncode, asked, in_time)
        document, events = _files(written) if outcome == DONE else (b"", b"")
        return Ended(
            outcome=outcome,
            code=child.returncode,
            told="".join(said).rstrip(),
            document=document,
            events=events,
            asked=asked[0] if asked else None,
        )


def _files(written: IO[bytes]) -> tuple[bytes, bytes]:
    """The document, and what stands behind it."""
    written.seek(0)
    document, _, events = written.read().partition(SEPARATOR)
    return document, events


def _start(written: IO[bytes]) -> subprocess.Popen[str]:
    """The child leads a group of its own: a terminal's Ctrl-C reaches it through us alone."""
    alone: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
    return subprocess.Popen(
        CHILD,
        stdin=subprocess.PIPE,
        stdout=written,
        stderr=subprocess.PIPE,
        env={**os.environ, **_AWAY},
        text=True,
        encoding="utf-8",
        errors="replace",
        **alone,
    )


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


def _wait(child: subprocess.Popen[str], seconds: int | None) -> bool:
    """Wait for the end; False where the time was up first."""
    end = None if seconds is None else time.monotonic() + seconds
    while child.poll() is None:
        if end is not None and time.monotonic() > end:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_EVERY_S)
    return True


def _end(child: subprocess.Popen[str]) -> None:
    """End the child, and whatever it started in its group: nothing of it has anything to tidy up."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


@contextlib.contextmanager
def _asked_to_end(child: subprocess.Popen[str]) -> Iterator[list[int]]:
    """What asks this process to end, ends the child first; whoever called then ends as was asked."""
    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()

    before = {}
    for name in _ASKING if threading.current_thread() is threading.main_thread() else ():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, ask)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _outcome(code: int, asked: list[int], in_time: bool) -> str:
    if asked:
        return INTERRUPTED
    if not in_time:
        return TIME
    return _BY_CODE.get(code, KILLED if code < 0 else BROKEN)


def sentence(ended: Ended, job: Job, seconds: int | None) -> str:
    """Why there is no simulation, for each way to end but `done`."""
    if ended.outcome == TIME:
        return f"the simulation was not done after {seconds} s, its limit of time"
    if ended.outcome == MEMORY:
        return f"the simulation itself needs more host memory than its limit{_limit(job)}"
    if ended.outcome == KILLED:
        limit = f", under a limit of host memory{_limit(job)}" if job.memory_bytes else ""
        return f"the process of the simulation was ended by {_signal(-ended.code)}{limit}"
    if ended.outcome == BROKEN:
        return f"the process of the simulation ended with code {ended.code}: {ended.last or 'it said nothing'}"
    return ended.last or "the process of the simulation said nothing"


def _limit(job: Job) -> str:
    if job.memory_bytes is None:
        return ", that of this machine"
    return f" of {memory(job.memory_bytes)}"


def _signal(number: int) -> str:
    """Its name; a system may send one that has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
