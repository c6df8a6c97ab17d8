"""What the phases inside a whole loop tell of it: names, dimensions, tensors, checks (A3, C8).

A success covers every smaller case, so the dimensions of a loop must have run together. Where no run
of a part is the largest in every dimension at once, the one with the largest product stands.
"""

from __future__ import annotations

import math

from fiche.measure.protocol.phase import Phase
from fiche.measure.protocol.words import plain_text

MOST_INSIDE = 64
RanTogether = dict[str, int]


class Inside:
    """The passive phases of one loop."""

    def __init__(self) -> None:
        self.running: list[Phase] = []
        self.names: list[str] = []
        self.failed: dict[str, str] = {}
        self.failed_in = ""
        self._ran: dict[tuple[str, ...], list[RanTogether]] = {}
        self._failed_ran: list[RanTogether] = []

    def enter(self, inner: Phase) -> None:
        """One begins: whatever failed before it was caught, so it is not where the loop fails."""
        self.running.append(inner)
        self.failed_in = ""

    def take(self, loop: Phase, inner: Phase, error: BaseException | None) -> None:
        """One has ended; where it failed, a loop that goes on does not cover it (C11)."""
        if inner.name not in self.names:
            self.names.append(inner.name)
        _largest_into(loop.declared, inner.declared)
        if error is not None:
            self.failed_in = self.failed_in or inner.name
            told = f"{type(error).__name__}: {plain_text(error, 400)}"
            self.failed.setdefault(inner.name, told)
            self._failed_ran = [*self._failed_ran[-MOST_INSIDE:], dict(inner.ran)]
        elif inner.ran:
            _keep(self._ran.setdefault((inner.name, *inner.ran), []), inner.ran)
        _beside(loop, inner)

    def executed(self, succeeded: bool) -> RanTogether:
        """Of a success what ran together; of a failure the largest of all, at which it failed."""
        found: RanTogether = {}
        if succeeded:
            chosen = [max(kept, key=_product) for kept in self._ran.values()]
            apart = {name for kept in self._ran.values() for name in _apart(kept)}
        else:
            chosen = [*(ran for kept in self._ran.values() for ran in kept), *self._failed_ran]
            apart = set()
        for ran in chosen:
            for name, length in ran.items():
                least = name in apart
                so_far = found.get(name, length)
                found[name] = min(length, so_far) if least else max(length, so_far)
        return found

    def apart(self) -> list[dict[str, int]]:
        """Runs of one part of which none is the largest in every dimension."""
        return [ran for kept in self._ran.values() if len(kept) > 1 for ran in kept]


def _keep(kept: list[RanTogether], ran: RanTogether) -> None:
    """Only what no other run is at least as large as, in every dimension."""
    if ran in kept:
        return
    if any(all(ran[name] <= other[name] for name in ran) for other in kept):
        return
    kept[:] = [other for other in kept if any(other[name] > ran[name] for name in ran)]
    if len(kept) < MOST_INSIDE:
        kept.append(dict(ran))


def _apart(kept: list[RanTogether]) -> list[str]:
    return [name for name in kept[0] if len({ran[name] for ran in kept}) > 1]


def _product(ran: RanTogether) -> int:
    return math.prod(ran.values())


def _largest_into(mine: RanTogether, its: RanTogether) -> None:
    for name, length in its.items():
        if length > mine.get(name, -1):
            mine[name] = length


def _beside(loop: Phase, inner: Phase) -> None:
    """Tensors, checks and notes: each once, and no more than a reader can use."""
    if inner.tensors and len(loop.tensors) < MOST_INSIDE:
        known = {(seen["name"], tuple(seen["shape"]), seen["dtype"]) for seen in loop.tensors}
        for seen in inner.tensors:
            if (seen["name"], tuple(seen["shape"]), seen["dtype"]) not in known:
                loop.tensors.append(seen)
        del loop.tensors[MOST_INSIDE:]
    for check in inner.checks:
        # One that has not passed is never left out: it alone decides.
        if check not in loop.checks and (len(loop.checks) < MOST_INSIDE or not check["passed"]):
            loop.checks[MOST_INSIDE - 1 :] = [check]
    loop.notes.update(inner.notes)
