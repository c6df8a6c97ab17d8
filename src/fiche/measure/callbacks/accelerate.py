"""Accelerate: the backward pass and the optimizer's step of a loop of one's own (C7, C8).

    from fiche.measure.callbacks.accelerate import watch

    with watch(accelerator, "m.json", ordering="phased") as loop:
        for batch in loader:
            with loop.phase("forward", batch): loss = model(**batch).loss
            accelerator.backward(loss)      # the phase `backward`
            optimizer.step()                # the phase `optimizer_step`, where gradients are complete

Only what goes through the accelerator is seen by itself. The forward pass is the caller's own call, so it
is a phase where it is told. Accelerate's trackers keep scalars of a run, and are left alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MethodType
from typing import Any

from fiche.measure.callbacks._batch import dimensions_of
from fiche.measure.callbacks._library import needed
from fiche.measure.protocol.phase import Phase
from fiche.measure.protocol.recorder import Recorder, recorder
from fiche.measure.protocol.turns import ORDERINGS

needed(("accelerate",), "the Accelerate callback")

_ORDER = "as the loop of the program goes, each part a phase at each of its calls"


class Watched:
    """A loop under an accelerator: its recorder, and phases of the caller's own.

    Schedulers keep what they find as `step`: once nobody watches, a call is as if it never had been.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._watching = True

    def in_phase(self, act: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The same call, a phase of this name while somebody watches."""

        @functools.wraps(act)
        def phased(*args: Any, **kwargs: Any) -> Any:
            if not self._watching:
                return act(*args, **kwargs)
            with self.recorder.phase(name):
                return act(*args, **kwargs)

        return phased

    def stop(self) -> None:
        """Nobody watches any more."""
        self._watching = False

    @contextmanager
    def phase(self, name: str, batch: Any = None, **declared: Any) -> Iterator[Phase]:
        """A part of the loop; the batch, where it is given, tells the dimensions executed (A3)."""
        with self.recorder.phase(name, **declared) as phase:
            if batch is not None:
                phase.executed(**dimensions_of(batch))
                phase.saw(batch=batch)
            yield phase


@contextmanager
def watch(
    accelerator: Any,
    output: str | Path | None = None,
    *,
    ordering: str,
    recorder: Recorder | None = None,
    **words: Any,
) -> Iterator[Watched]:
    """Watch an accelerator and the optimizers that it has prepared, or prepares meanwhile.

    `ordering` is `phased` or `whole_loop`, and has no default; `words` are those of `fiche.recorder`, and
    `recorder` is one of the caller's own. All is put back at the end; exceptions are kept and go on (C11).

    Raises:
        ValueError: no such ordering.
        NoDevice: there is no GPU to measure.
        FileExistsError: the record exists.
    """
    if ordering not in ORDERINGS:
        raise ValueError(f"ordering is one of {', '.join(ORDERINGS)}, not {ordering!r}")
    with ExitStack() as stack:
        rec = recorder or stack.enter_context(_own(output, words))
        if ordering == "whole_loop":
            stack.enter_context(rec.whole_loop("loop"))
        watched = Watched(rec)
        stack.callback(watched.stop)
        _follow(accelerator, watched, stack)
        yield watched


def _own(output: str | Path | None, words: dict[str, Any]) -> Recorder:
    return recorder(output, **{"order": _ORDER, **words})


def _follow(accelerator: Any, watched: Watched, stack: ExitStack) -> None:
    _replace(accelerator, "backward", watched.in_phase(accelerator.backward, "backward"), stack)
    for optimizer in accelerator._optimizers:
        _follow_steps(optimizer, watched, stack)
    prepare = accelerator.prepare_optimizer

    @functools.wraps(prepare)
    def prepared(*args: Any, **kwargs: Any) -> Any:
        optimizer = prepare(*args, **kwargs)
        _follow_steps(optimizer, watched, stack)
        return optimizer

    _replace(accelerator, "prepare_optimizer", prepared, stack)


def _follow_steps(optimizer: Any, watched: Watched, stack: ExitStack) -> None:
    """While gradients accumulate, a call of `step` does nothing, and is no phase."""
    step = optimizer.step
    phased = watched.in_phase(step, "optimizer_step")

    @functools.wraps(step)
    def stepped(*args: Any, **kwargs: Any) -> Any:
        complete = optimizer.gradient_state.sync_gradients
        return (phased if complete else step)(*args, **kwargs)

    _replace(optimizer, "step", stepped, stack)


def _replace(owner: Any, name: str, new: Any, stack: ExitStack) -> None:
    """On this very object, as a method: schedulers look for one. The class's own is found again at the end."""

    @functools.wraps(new)
    def bound(_: Any, *args: Any, **kwargs: Any) -> Any:
        return new(*args, **kwargs)

    method = MethodType(bound, owner)
    setattr(owner, name, method)

    def put_back() -> None:
        if vars(owner).get(name) is method:
            delattr(owner, name)

    stack.callback(put_back)
