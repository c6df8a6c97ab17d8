"""An optimizer whose step is that of sharing software: the usual one, over partitions, within it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Stepped:
    """What a loop calls: `step` and `zero_grad`; all else is that of the optimizer within."""

    def __init__(self, within: Any, step: Callable[[], None], learned: Sequence[Any]) -> None:
        self._within = within
        self._step = step
        self._learned = learned

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)

    def step(self) -> None:
        """One update of this rank's partitions."""
        self._step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Whole gradients go; DeepSpeed does so itself once they are reduced."""
        for each in self._learned:
            each.grad = None


def shares(numels: Sequence[int], partition: int, ranks: int) -> list[list[int]]:
    """Places of the parameters that each rank's partition touches, of parameters laid one behind another."""
    found: list[list[int]] = [[] for _ in range(ranks)]
    start = 0
    for place, numel in enumerate(numels):
        end = start + numel
        for rank in range(start // partition, min(ranks - 1, max(start, end - 1) // partition) + 1):
            found[rank].append(place)
        start = end
    return found
