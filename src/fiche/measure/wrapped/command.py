"""The user's command, started as it stands: its streams are the terminal's, signals are handed on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

_HANDED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Ended:
    """How a command ended: an exit status, or the signal that killed it.

    `peak_rss` is the largest resident set, in bytes, of the command or one of the children that were
    waited for: one process's, not their sum. `oom_kills` is how many processes of this control group the
    kernel killed for want of host memory meanwhile; both are None where the system does not tell.
    """

    pid: int
    status: int | None
    signal: str | None
    duration_ns: int
    peak_rss: int | None
    oom_kills: int | None


def run(command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Run it to its end.

    Raises:
        OSError: it cannot be started.
    """
    kills = _oom_kills()
    began = time.monotonic_ns()
    with _handing_on() as started:
        process = subprocess.Popen(list(command), env=dict(environment), close_fds=False)
        started(process.pid)
        code, peak = _waited(process)
    duration = time.monotonic_ns() - began
    after = _oom_kills()
    return Ended(
        pid=process.pid,
        status=code if code >= 0 else None,
        signal=_signal_name(-code) if code < 0 else None,
        duration_ns=duration,
        peak_rss=peak,
        oom_kills=None if kills is None or after is None else after - kills,
    )


def _waited(process: subprocess.Popen[bytes]) -> tuple[int, int | None]:
    """The exit code, and the largest resident set in bytes (Linux counts in KiB, macOS in bytes)."""
    if not hasattr(os, "wait4"):
        return process.wait(), None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@contextlib.contextmanager
def _handing_on() -> Iterator[Started]:
    """While it runs, what asks this process to end is the command's to answer."""
    started = Started()
    numbers = [n for n in (getattr(signal, name, None) for name in _HANDED_ON) if n is not None]
    before = {
        number: signal.signal(number, started.hand_on)
        for number in numbers
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield started
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Started:
    """Hands signals on, once there is a process to hand them to."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._waiting: list[int] = []

    def __call__(self, pid: int) -> None:
        """The command has this process id."""
        self._pid = pid
        for number in self._waiting:
            self._send(number)

    def hand_on(self, number: int, _: FrameType | None) -> None:
        """What a terminal sends, it sends to the command as well: that is not sent twice."""
        if number in (signal.SIGINT, getattr(signal, "SIGQUIT", None)) and _in_front():
            return
        if self._pid is None:
            self._waiting.append(number)
        else:
            self._send(number)

    def _send(self, number: int) -> None:
        if self._pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._pid, number)


def _in_front() -> bool:
    """Whether this process group is the one that the terminal's keys reach."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except (OSError, AttributeError):
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _oom_kills() -> int | None:
    """The kernel's count for this process's own control group."""
    for path, key in _counters():
        with contextlib.suppress(OSError, ValueError):
            words = dict(
                line.split(" ", 1) for line in path.read_text().splitlines() if " " in line
            )
            return int(words[key]) if key in words else None
    return None


def _counters() -> Iterator[tuple[Path, str]]:
    """Version 2 (`memory.events`), then version 1 (`memory.oom_control`)."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, place = ([*line.split(":", 2), "", ""])[:3]
            within = place.lstrip("/")
            if kinds == "":
                yield _CGROUPS / within / "memory.events", "oom_kill"
            elif "memory" in kinds.split(","):
                yield _CGROUPS / "memory" / within / "memory.oom_control", "oom_kill"
    yield _CGROUPS / "memory.events", "oom_kill"
    yield _CGROUPS / "memory" / "memory.oom_control", "oom_kill"
