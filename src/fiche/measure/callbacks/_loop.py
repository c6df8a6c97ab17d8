"""A training loop seen by a callback: its parts as phases, or the whole of it in its real order (C7, C8)."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from fiche.measure.callbacks._batch import Executed
from fiche.measure.protocol.phase import Phase
from fiche.measure.protocol.recorder import Recorder, recorder
from fiche.measure.protocol.turns import ORDERINGS

# What every step of these libraries goes through, though no callback can tell the parts apart.
STEP = ("forward", "loss", "backward", "optimizer_step")
_ORDER = "first step, then up to {steps} later steps; evaluations and saves as the loop makes them"
_WHOLE = "the whole loop from its first to its last step, un-phased"


class LeftOpen(BaseException):
    """A phase whose end nobody told: its outcome stays unknown."""


class Loop:
    """The record of one loop.

    It is made when the loop begins, not before: where there is no GPU, that is when it is said (C10). As a
    context manager it sees the exceptions that callbacks are not told of, and closes the record.
    """

    def __init__(
        self,
        output: str | Path | None = None,
        *,
        ordering: str,
        steps: int = 20,
        recorder: Recorder | None = None,
        **words: Any,
    ) -> None:
        """`words` are those of `fiche.recorder`; `recorder` is one of the caller's own, used instead.

        Raises:
            ValueError: no such ordering, or steps below zero.
        """
        if ordering not in ORDERINGS:
            raise ValueError(f"ordering is one of {', '.join(ORDERINGS)}, not {ordering!r}")
        if steps < 0:
            raise ValueError("steps is how many later steps are phases of their own: 0 or more")
        self.whole = ordering == "whole_loop"
        self._steps = steps
        self._output = output
        self._words = words
        self._recorder = recorder
        self._owned = recorder is None
        self._open: list[tuple[Phase, Executed]] = []
        self._pid = os.getpid()
        self._done = 0

    @property
    def recorder(self) -> Recorder:
        """The recorder, made on first use.

        Raises:
            NoDevice: there is no GPU to measure.
            FileExistsError: the record exists.
            OSError: it cannot be written.
        """
        if self._recorder is None:
            order = _WHOLE if self.whole else _ORDER.format(steps=self._steps)
            self._recorder = recorder(self._output, **{"order": order, **self._words})
            atexit.register(self._at_exit)
        return self._recorder

    def start(self) -> None:
        """The loop begins; what an earlier one left open has no known outcome."""
        self.leave()
        rec = self.recorder
        if self.whole:
            self._begin(rec.whole_loop("loop", covers=STEP))

    def begin_step(self) -> None:
        """The first step is a phase of its own; later ones are phases up to the number asked for."""
        self.leave("first_step", "step", "evaluation", "export")
        if self._done == 0:
            self._begin(self.recorder.phase("first_step", covers=STEP))
        elif self.whole or self._done <= self._steps:
            self._begin(self.recorder.phase("step", covers=STEP, pass_="later"))

    def end_step(self) -> None:
        """All passes that the step accumulated have run, and the optimizer's step."""
        self._done += 1
        self.end("first_step", "step")

    def begin(self, name: str) -> None:
        """Another part of the loop: evaluation, export."""
        self._begin(self.recorder.phase(name))

    def end(self, *names: str) -> None:
        """End the innermost phase, where it has one of these names."""
        if self._open and self._open[-1][0].name in names:
            phase, seen = self._open.pop()
            self._say(phase, seen)
            phase.end()

    def passed(self, batch: Any) -> None:
        """The model gets a batch: its dimensions are those executed (A3)."""
        if self._open:
            phase, seen = self._open[-1]
            seen.take(batch)
            if seen.passes == 1:
                phase.saw(**_named(batch))

    def stop(self) -> None:
        """The loop is over; the record stays open for what may follow, until `close`."""
        self.end("first_step", "step")
        self.end("evaluation", "export")
        self.end("loop")

    def fail(self, error: BaseException) -> None:
        """An exception goes through the loop: every open phase is kept with it (C11)."""
        while self._open:
            phase, seen = self._open.pop()
            self._say(phase, seen)
            phase.fail(error)

    def leave(self, *names: str) -> None:
        """Give up what is open (all of it, or the innermost of these names): its end nobody told."""
        while self._open and (not names or self._open[-1][0].name in names):
            self._open.pop()[0].fail(LeftOpen())

    def close(self) -> Path | None:
        """Write the record; None where nothing was begun, or where the recorder is the caller's own."""
        if self._recorder is None or os.getpid() != self._pid:
            return None
        self.leave()
        if not self._owned:
            return None
        atexit.unregister(self._at_exit)
        return self._recorder.close()

    def __enter__(self) -> Loop:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self.fail(error)
        self.close()

    def is_open(self, *names: str) -> bool:
        """Whether the innermost phase has one of these names."""
        return bool(self._open) and self._open[-1][0].name in names

    def _begin(self, phase: Phase) -> None:
        phase.begin()
        self._open.append((phase, Executed()))

    def _say(self, phase: Phase, seen: Executed) -> None:
        told = seen.told(accumulated=phase.name in ("first_step", "step"))
        if told:
            phase.executed(**told)

    def _at_exit(self) -> None:
        """A program that ends by an exception: what was open is its failure."""
        raised = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        if self._open and isinstance(raised, BaseException) and os.getpid() == self._pid:
            self.fail(raised)
        self.close()


def _named(batch: Any) -> dict[str, Any]:
    if isinstance(batch, dict) or hasattr(batch, "items"):
        return {str(name): value for name, value in batch.items()}
    return {"batch": batch}
