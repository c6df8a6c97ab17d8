"""Peaks of a whole process, though its program may reset them: the largest of the parts is kept (C3).

`memory_allocated` and `memory_reserved` start at zero with the process, so the first part does too. A
part that begins at a reset begins at the levels of that moment: no peak is lost, and none overstated.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.measure.protocol.levels import DevicePeriod


class Resets:
    """Reads the peaks of a device before its program resets them, and counts how often it does."""

    def __init__(self, periods: Iterable[DevicePeriod]) -> None:
        self._periods = {period.device.index: period for period in periods}
        self.seen: dict[int, int] = {}

    def before(self, index: int) -> None:
        """The program is about to reset the peaks of a device; what cannot be read is lost (C2)."""
        period = self._periods.get(index)
        if period is not None:
            period.peaks.fold(period.running_peaks())
            self.seen[index] = self.seen.get(index, 0) + 1
