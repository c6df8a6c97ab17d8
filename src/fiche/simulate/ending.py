"""Ends the process of a simulation and whatever it started, also what left its group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_ROUNDS = 5


def end_all(child: subprocess.Popen[str], folder: str) -> None:
    """End the child and all of its group, then what began a session of its own: services, daemons.

    Those are known (on Linux) by their temporary folder, `folder`, which no other process has. Nothing of it
    has anything to tidy up.
    """
    kill(child)
    child.wait()
    for _ in range(_ROUNDS):  # one that is just being started is found the next time
        found = list(_further(folder)) if sys.platform == "linux" else []
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return


def kill(child: subprocess.Popen[str]) -> None:
    """Kill the child and its group, and wait for nothing: fit for a handler of signals."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def _further(folder: str) -> Iterator[int]:
    """Processes that were told of the folder, but for this one and those that have ended."""
    told = f"TMPDIR={folder}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if told in (place / "environ").read_bytes().split(b"\0"):
                yield int(place.name)
