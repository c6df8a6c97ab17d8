"""Peaks that the library itself resets inside a phase: read before, so that the phase keeps its own (C3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from fiche.measure.protocol.recorder import Recorder
from fiche.measure.wrapped.peaks import follow_resets


class ForeignResets:
    """Folds what a counter shows into every open phase, before somebody else than the recorder resets it."""

    def __init__(self, rec: Recorder) -> None:
        self._recorder = rec
        self._own = False
        for device in rec.devices.all:
            device.reset_peaks = self._marked(device.reset_peaks)  # type: ignore[method-assign]

    def before(self, index: int) -> None:
        """A device of this index is about to be reset."""
        if self._own:
            return
        for device in self._recorder.devices.all:
            if device.index == index:
                for period in self._recorder._periods_of(device):
                    period.peaks.fold(period.running_peaks())

    def _marked(self, reset: Callable[[], None]) -> Callable[[], None]:
        def own_reset() -> None:
            self._own = True
            try:
                reset()
            finally:
                self._own = False

        return own_reset


def follow(rec: Recorder) -> None:
    """Watch the resets of this process, where PyTorch is imported."""
    native: Any = getattr(sys.modules.get("torch"), "_C", None)
    if native is not None:
        follow_resets(native, ForeignResets(rec).before)
