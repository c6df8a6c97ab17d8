"""Resets of the peak counters that somebody else asks for while a phase runs (C3).

Benchmarks and training libraries reset them between steps. A peak read afterwards would lie below the
true one, so what the counters show is read first. PyTorch's native function is what every reset goes
through, however a program imported it; it does what it always did, and is put back at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NATIVE_RESETS = (
    "_cuda_resetPeakMemoryStats",
    "_xpu_resetPeakMemoryStats",
    "_accelerator_resetPeakStats",
)


class ResetWatch:
    """Calls `before` with a device's index in front of every reset, until `stop`."""

    def __init__(self, native: Any, before: Callable[[int], None]) -> None:
        self._native = native
        self._before = before
        self._put: dict[str, tuple[Any, Any]] = {}
        self._stopped = False
        for name in NATIVE_RESETS:
            reset = getattr(native, name, None)
            if reset is not None:
                self._put[name] = (reset, self._told_before(reset))
                setattr(native, name, self._put[name][1])

    def stop(self) -> None:
        """Put back what was there, where nobody has put something else on top."""
        self._stopped = True
        for name, (reset, mine) in self._put.items():
            if getattr(self._native, name, None) is mine:
                setattr(self._native, name, reset)

    def _told_before(self, reset: Callable[..., Any]) -> Callable[..., Any]:
        def tell_then_reset(*arguments: Any) -> Any:
            if not self._stopped and arguments and isinstance(arguments[0], int):
                self._before(arguments[0])
            return reset(*arguments)

        return tell_then_reset
