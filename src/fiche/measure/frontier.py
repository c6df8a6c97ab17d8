"""The search for a frontier: the largest value that works and the smallest that does not (C11).

Everything follows from the outcomes that are known, so a search goes on from records as from its own
trials. Nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiche.kernel.record import record

_PARTS = 64


@record
class Extent:
    """From `low` to `high`, both tried; between them every `step`-th value from `low` on may be."""

    low: int
    high: int
    step: int

    def at(self, place: int) -> int:
        """The value at a place from 0; the last one is `high`."""
        return min(self.low + place * self.step, self.high)

    @property
    def last(self) -> int:
        """The place of `high`."""
        return -(-(self.high - self.low) // self.step)


@record
class Bracket:
    """What outcomes say: the largest success, and the smallest failure above it.

    `contrary` are failures below a success: the outcomes do not grow with the value, and that is said.
    """

    success: int | None
    failure: int | None
    contrary: tuple[int, ...] = ()


def default_step(low: int, high: int) -> int:
    """A sixty-fourth of the range, at least 1."""
    return max(1, -(-(high - low) // _PARTS))


def bracket(outcomes: Iterable[tuple[int, bool]]) -> Bracket:
    """The bracket of (value, whether it worked)."""
    told = list(outcomes)
    success = max((value for value, worked in told if worked), default=None)
    failures = sorted({value for value, worked in told if not worked})
    above = [value for value in failures if success is None or value > success]
    contrary = [value for value in failures if success is not None and value <= success]
    return Bracket(success=success, failure=above[0] if above else None, contrary=tuple(contrary))


def next_value(extent: Extent, outcomes: Sequence[tuple[int, bool]]) -> int | None:
    """The value to try next; None where nothing of the range is left to try.

    The low end comes first, so that an error of preparation shows on a short input (D6); then the high
    end, then the middle of what is open.
    """
    seen = bracket(outcomes)
    if seen.success is None:
        known = seen.failure is not None and seen.failure <= extent.low
        return None if known else extent.low
    if seen.failure is None:
        return None if seen.success >= extent.high else extent.high
    return _middle(extent, seen.success, seen.failure)


def _middle(extent: Extent, success: int, failure: int) -> int | None:
    """The value in the middle of those that lie between; None where none does."""
    first = max(0, (success - extent.low) // extent.step + 1)
    last = extent.last
    if failure <= extent.high:
        last = -(-(failure - extent.low) // extent.step) - 1
    if first > last or extent.at(first) <= success:
        return None
    return extent.at((first + last) // 2)
