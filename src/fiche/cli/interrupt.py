"""Asked to end (Ctrl-C, a time limit, a closed terminal): what is half-written goes, then the process.

Python would raise an exception wherever it is. In a callback of a library that prints a traceback and
stops nothing; between two renames it leaves one new file beside an old one.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

# Little is imported here: the sooner the signals are taken over, the better.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType

INTERRUPTED = 130
_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")


class _Work:
    """What goes when the process is asked to end, and whether it may end right now."""

    def __init__(self) -> None:
        self.unfinished: list[Path] = []
        self.held = False
        self.waiting: int | None = None


_WORK = _Work()


def end_when_asked() -> None:
    """Answer the signals that ask a process to end, but those that the caller has it ignore."""
    for name in _ASKING:
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _asked)


def _asked(number: int, _: FrameType | None) -> None:
    if _WORK.held:
        _WORK.waiting = number
    else:
        _end(number)


def _end(number: int) -> None:
    """Interrupted, that is said and the code is 130 (law 9); else the signal has its usual effect."""
    signal.signal(number, signal.SIG_IGN)  # asking twice changes nothing
    for path in _WORK.unfinished:
        take_away(path)
    if number == signal.SIGINT:
        with contextlib.suppress(OSError):
            os.write(2, b"interrupted\n")
        os._exit(INTERRUPTED)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


@contextlib.contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A file or folder that goes however the work on it ends, unless it was renamed by then."""
    _WORK.unfinished.append(path)
    try:
        yield path
    finally:
        take_away(path)
        _WORK.unfinished.remove(path)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """A few quick steps that belong together: the process ends before or after them.

    Of such steps within others, after the outer ones.
    """
    within, _WORK.held = _WORK.held, True
    try:
        yield
    finally:
        _WORK.held = within
        if _WORK.waiting is not None and not within:
            _end(_WORK.waiting)


def asked_to_end() -> bool:
    """True where the process was asked to end while steps are held: long ones look between two of them."""
    return _WORK.waiting is not None


def take_away(path: Path) -> None:
    """Remove a file, or a folder with all in it; what cannot be removed stays."""
    import shutil

    with contextlib.suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
