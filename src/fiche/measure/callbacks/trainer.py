"""transformers' Trainer: first step, later steps, evaluations and saves (C7, C8).

    from fiche.measure.callbacks.trainer import FicheCallback

    with FicheCallback("m.json", ordering="phased") as callback:
        Trainer(model, args, train_dataset=..., callbacks=[callback]).train()

The Trainer tells its callbacks of no exception: `with` keeps it with its phase. Without `with`, an
exception that ends the program is kept as well, and one that somebody catches leaves its phase unknown.
An evaluation is told where the training loop makes it; `trainer.evaluate()` by itself has no event at its
beginning, so it is not a phase. Evaluations and saves begin when the Trainer decides on them.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

from fiche.measure.callbacks._library import needed
from fiche.measure.callbacks._loop import Loop

_transformers = needed(("transformers",), "the Trainer callback")


class FicheCallback(_transformers.TrainerCallback):  # type: ignore[misc, name-defined]
    """Records a Trainer's loop; `ordering` is `phased` or `whole_loop`, and has no default."""

    def __init__(self, output: str | Path | None = None, *, ordering: str, **words: Any) -> None:
        """`steps` later steps are phases of their own (20 if left out); other words as `fiche.recorder`.

        Raises:
            ValueError: no such ordering.
        """
        self.loop = Loop(output, ordering=ordering, **words)
        self._watch: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The record begins here.

        Raises:
            NoDevice: there is no GPU to measure.
        """
        self.loop.start()
        self._unwatch()
        model = kwargs.get("model")
        if model is not None:
            self._watch = model.register_forward_pre_hook(self._forward, with_kwargs=True)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """An optimizer's step, with all the passes that it accumulates."""
        self.loop.begin_step()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """What follows is decided by now: the default flow comes first among the callbacks."""
        self.loop.end_step()
        self._decided(control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluations and saves by epoch are decided here."""
        self._decided(control)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The evaluation of the loop is over; a save may follow."""
        if self.loop.is_open("evaluation"):
            self.loop.end("evaluation")
            if control.should_save:
                self.loop.begin("export")

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The save is over."""
        self.loop.end("export")

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The loop is over; the record is written when the callback closes, at the latest at exit."""
        self._unwatch()
        self.loop.stop()

    def close(self) -> Path | None:
        """Write the record."""
        self._unwatch()
        return self.loop.close()

    def __enter__(self) -> FicheCallback:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._unwatch()
        self.loop.__exit__(kind, error, trace)

    def _decided(self, control: Any) -> None:
        """What the Trainer does next, an evaluation before a save."""
        self.loop.leave("evaluation", "export")
        if control.should_evaluate:
            self.loop.begin("evaluation")
        elif control.should_save:
            self.loop.begin("export")

    def _forward(self, model: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.loop.passed(named or (inputs[0] if len(inputs) == 1 else inputs))

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.remove()
            self._watch = None
