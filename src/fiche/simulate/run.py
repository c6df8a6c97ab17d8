"""The parent's side of a simulation: start the child, bound it, end all of it, and say how it ended.

Nothing here imports torch. What the child writes goes into a file without a name, and its temporary files into
a folder that goes with it, so however it ends, an interruption included, nothing is left anywhere.
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
from fiche.measure.asking import answered
from fiche.report.numbers import memory
from fiche.simulate.ending import end_all, kill
from fiche.simulate.job import SEPARATOR, Job

# What runs one job. A test puts its own in this place; nothing that a user types does.
CHILD: tuple[str, ...] = (sys.executable, "-u", "-P", "-m", "fiche.simulate.child")

DONE, REFUSED, FAILED = "done", "refused", "failed"
MEMORY, TIME, KILLED, BROKEN, INTERRUPTED = "memory", "time", "killed", "broken", "interrupted"
MEMORY_CODE = 4
_BY_CODE = {0: DONE, 2: REFUSED, 3: FAILED, MEMORY_CODE: MEMORY, 130: INTERRUPTED}

_EVERY_S = 0.02
# Of what the process says the last is kept: so many lines, and no more of one than this.
_LINES_KEPT, _LINE_CHARACTERS = 60, 4_000
_CUT, _NOTHING = " …", "it said nothing"
_LEFT_OUT = f"(of what it said, the last {_LINES_KEPT} lines:)\n"
# Nothing is downloaded, and no real device is touched: everything of a GPU is stood in for.
_AWAY = {
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"), "1"),
    **dict.fromkeys(("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"), ""),
    # What is asked to be compiled runs operator by operator, as the document says.
    **dict.fromkeys(("TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"), "1"),
    # Libraries walk sets of words, such as the kinds of a model's layers: the same order each time.
    "PYTHONHASHSEED": "0",
}
# A folder that would outlive the process: torch makes it as soon as it is imported.
_FORGOTTEN = ("TORCHINDUCTOR_CACHE_DIR",)
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
_Child = subprocess.Popen[str]


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

    However it ends, every process of its group ends with it, and its temporary files go.

    Raises:
        OSError: the process cannot be started.
    """
    with _asked_to_end() as (asked, running), _own_folder() as folder, _nameless() as written:
        child = _start(written, folder)
        running.append(child)
        try:
            reader, said = _reader(child)
            _hand_over(child, job)
            in_time = not asked and _wait(child, seconds)
        finally:
            end_all(child, folder)
        reader.join(timeout=5)
        if child.stderr is not None and not reader.is_alive():
            child.stderr.close()
        outcome = _outcome(child.returncode, asked, in_time)
        document, events = _files(written) if outcome == DONE else (b"", b"")
        if outcome == DONE and not _is_whole(document):
            outcome, document, events = BROKEN, b"", b""
        return Ended(
            outcome=outcome,
            code=child.returncode,
            told=_told(said),
            document=document,
            events=events,
            asked=asked[0] if asked else None,
        )


def _own_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="fiche-", ignore_cleanup_errors=True)
    except OSError as error:  # where Python finds none that can be written, it names no file
        named = error.filename or "the folder of temporary files"
        raise OSError(error.errno, error.strerror, named) from None


def _nameless() -> IO[bytes]:
    return tempfile.TemporaryFile()


def _files(written: IO[bytes]) -> tuple[bytes, bytes]:
    """The document, and what stands behind it."""
    written.seek(0)
    document, _, events = written.read().partition(SEPARATOR)
    return document, events


def _is_whole(document: bytes) -> bool:
    """False where the program ended its process behind our back, or wrote into our file."""
    try:
        return isinstance(json.loads(document), dict)
    except (ValueError, RecursionError):
        return False


def _start(written: IO[bytes], folder: str) -> _Child:
    """The child leads a group of its own: a terminal's Ctrl-C reaches it through us alone."""
    alone: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
    kept = {name: value for name, value in os.environ.items() if name not in _FORGOTTEN}
    return subprocess.Popen(
        CHILD,
        stdin=subprocess.PIPE,
        stdout=written,
        stderr=subprocess.PIPE,
        env={**kept, **_AWAY, **dict.fromkeys(_TEMPORARY, folder)},
        text=True,
        encoding="utf-8",
        errors="replace",
        **alone,
    )


def _hand_over(child: _Child, job: Job) -> None:
    assert child.stdin is not None
    with contextlib.suppress(OSError):  # one that has ended already says itself why
        child.stdin.write(json.dumps(job.json()))
        child.stdin.close()


def _reader(child: _Child) -> tuple[threading.Thread, deque[str]]:
    """What reads all that the child says, so that it never waits for a reader, and the last of it."""
    said: deque[str] = deque(maxlen=_LINES_KEPT + 1)
    reader = threading.Thread(target=_drain, args=(child, said), daemon=True)
    reader.start()
    return reader, said


def _drain(child: _Child, said: deque[str]) -> None:
    """Read by pieces: a line may have no end. Of one that is too long the beginning is kept."""
    assert child.stderr is not None
    begins = True
    with contextlib.suppress(OSError, ValueError):
        while piece := child.stderr.readline(_LINE_CHARACTERS):
            if begins:
                cut = len(piece) == _LINE_CHARACTERS and not piece.endswith("\n")
                said.append(f"{piece}{_CUT}" if cut else piece)
            begins = piece.endswith("\n")


def _told(said: deque[str]) -> str:
    """The last lines; where there were more, that is said first (law 8)."""
    lines = [line if line.endswith("\n") else f"{line}\n" for line in said]
    more = _LEFT_OUT if len(lines) > _LINES_KEPT else ""
    return (more + "".join(lines[-_LINES_KEPT:])).rstrip()


def _wait(child: _Child, seconds: int | None) -> bool:
    """Wait for the end; False where the time was up first."""
    end = None if seconds is None else time.monotonic() + seconds
    while child.poll() is None:
        if end is not None and time.monotonic() > end:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_EVERY_S)
    return True


@contextlib.contextmanager
def _asked_to_end() -> Iterator[tuple[list[int], list[_Child]]]:
    """What asks this process to end, ends the child first; whoever called then ends as was asked.

    Yields the signals that came, and the list of children to end then. They are not waited for here: whoever
    was interrupted may be doing just that.
    """
    asked: list[int] = []
    running: list[_Child] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        for child in running:
            kill(child)

    with answered(ask):
        yield asked, running


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
    if ended.outcome == BROKEN and ended.code == 0:
        return "the process of the simulation ended before it was done: what ran in it ended it"
    if ended.outcome == BROKEN:
        return (
            f"the process of the simulation ended with code {ended.code}: {ended.last or _NOTHING}"
        )
    return ended.last or f"the process of the simulation ended with code {ended.code}: {_NOTHING}"


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
