"""What a process holds on a device beside its allocator's reserve: context, kernels, libraries (C5).

Nothing counts its peak, so a peak is told only where it cannot well have been larger. A driver keeps
contexts, kernels and library buffers until the process ends: this part grows, and a phase's last level
is its largest. Samples hold that against what happened. Too few of them, too far apart, one that lies
below an earlier one, or one below the reserve itself, and no peak is told.
"""

from __future__ import annotations

from typing import Any

FEWEST_SAMPLES = 3
LONGEST_GAP_NS = 1_000_000_000


class Outside:
    """Looks at the part outside, each a process reading and a reserve that held still around it."""

    def __init__(self) -> None:
        self.num_samples = 0
        self._largest = -1
        self._where = ""
        self._has_start = False
        self._fell = False
        self._below = False
        self._last_ns: int | None = None
        self._longest_ns = 0

    def watch_from(self, now_ns: int) -> None:
        """The phase begins: from here on no moment goes unwatched unnoticed."""
        self._last_ns = now_ns

    def look(self, used: int, reserved: int, where: str, now_ns: int) -> None:
        """One look: `start`, `sampled_max` or `current` (the end)."""
        if self._last_ns is not None:
            self._longest_ns = max(self._longest_ns, now_ns - self._last_ns)
        self._last_ns = now_ns
        self.num_samples += where == "sampled_max"
        self._has_start = self._has_start or where == "start"
        if used < reserved:
            self._below = True
            return
        if used - reserved < self._largest:
            self._fell = True
        elif used - reserved > self._largest or where == "current":
            self._largest, self._where = used - reserved, where

    def told(self, counter: str) -> dict[str, Any]:
        """The record's entry, once the end was looked at: the largest look, and what it is."""
        doubt = self._doubt()
        how = f"{counter} - memory_reserved, the largest at {self._looks()}"
        return {
            "bytes": self._largest,
            "stat": self._where if doubt else "peak",
            "how": f"{how}; no peak: {doubt}" if doubt else how,
        }

    def _looks(self) -> str:
        start = "start, " if self._has_start else ""
        if self.num_samples == 0:
            return "start and end" if start else "the end"
        gap = -(-self._longest_ns // 1_000_000)
        return f"{start}end and {self.num_samples} samples, at most {gap} ms apart"

    def _doubt(self) -> str:
        """Why the largest look is no peak; empty where it is one."""
        if self.num_samples < FEWEST_SAMPLES:
            return "too few samples" if self.num_samples else "no samples"
        if self._longest_ns > LONGEST_GAP_NS:
            return "too long unwatched"
        if self._below:
            return "a sample lay below the reserve"
        return "it fell on the way, so samples may have missed more" if self._fell else ""
