"""Lightning, as `lightning` or `pytorch_lightning`: first step, later steps, evaluations (C7, C8).

    from fiche.measure.callbacks.lightning import FicheCallback

    Trainer(callbacks=[FicheCallback("m.json", ordering="phased")]).fit(model)

A step lasts from the first batch that it accumulates to the optimizer's step. Lightning tells of
exceptions, so nothing else is needed for a failure. Its only word about a save comes in the midst of it:
a save is no phase here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fiche.measure.callbacks._library import needed
from fiche.measure.callbacks._loop import Loop

_WHAT = "the Lightning callback"


def _bases() -> tuple[Any, ...]:
    """`lightning` and `pytorch_lightning` have each a class of their own, and take no other's callbacks."""
    first = needed(("lightning.pytorch", "pytorch_lightning"), _WHAT)
    try:
        second = needed(("pytorch_lightning",), _WHAT)
    except ImportError:
        second = first
    return tuple(dict.fromkeys((first.Callback, second.Callback)))


class FicheCallback(*_bases()):  # type: ignore[misc]
    """Records a Trainer's loop; `ordering` is `phased` or `whole_loop`, and has no default."""

    def __init__(self, output: str | Path | None = None, *, ordering: str, **words: Any) -> None:
        """`steps` later steps are phases of their own (20 if left out); other words as `fiche.recorder`.

        Raises:
            ValueError: no such ordering.
        """
        self.loop = Loop(output, ordering=ordering, **words)
        self._step_before = 0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """The record begins here, behind the sanity check.

        Raises:
            NoDevice: there is no GPU to measure.
        """
        self.loop.start()

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int
    ) -> None:
        """The first of the batches that a step accumulates begins it."""
        if not self.loop.is_open("first_step", "step"):
            self._step_before = trainer.global_step
            self.loop.begin_step()
        self.loop.passed(batch)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """The step is over once the optimizer has made it."""
        if trainer.global_step > self._step_before:
            self.loop.end_step()

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """An evaluation that the training loop makes, not the sanity check in front of it."""
        if trainer.state.fn == "fit" and not trainer.sanity_checking:
            self.loop.begin("evaluation")

    def on_validation_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Its dimensions are those executed."""
        if self.loop.is_open("evaluation"):
            self.loop.passed(batch)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """The evaluation is over."""
        self.loop.end("evaluation")

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Kept with its phase; Lightning goes on to raise it (C11)."""
        self.loop.fail(exception)
        self.loop.close()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """The loop is over; the record is written when fitting ends."""
        self.loop.stop()

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """The record is written."""
        self.loop.close()

    def close(self) -> Path | None:
        """Write the record now."""
        return self.loop.close()
