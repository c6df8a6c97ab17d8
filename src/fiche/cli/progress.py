"""How far a long work is: one line of a terminal that is written over, and nothing where there is none."""

from __future__ import annotations

import shutil
import sys
import time

_EVERY = 0.1
_BAR = 24
_CLEAR = "\r\x1b[K"


class Progress:
    """A bar on standard error. `total` 0 is not known: then only what is done is counted."""

    def __init__(self, doing: str, total: int = 0) -> None:
        self._doing, self._total = doing, total
        self._last = 0.0
        self._shown = False
        self._is_terminal = sys.stderr.isatty()

    def reached(self, done: int) -> None:
        """Say how far it is, ten times a second at the most."""
        if not self._is_terminal:
            return
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last, self._shown = now, True
            sys.stderr.write(_CLEAR + self._line(done)[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()

    def _line(self, done: int) -> str:
        if not self._total:
            return f"{self._doing}: {done}"
        full = _BAR * min(done, self._total) // self._total
        bar = "#" * full + "." * (_BAR - full)
        return f"{self._doing} [{bar}] {done} of {self._total}"

    def ended(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
