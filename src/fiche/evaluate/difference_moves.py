"""Which change moved which verdict: each is tried alone on one side, and taken back alone on the other.

Nothing is guessed: a verdict is moved by a change that does it alone; by any of several that each do; or by the
fewest changes that do it together, found by leaving out one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

Asked = tuple[str, str, str, str]
Verdicts = Mapping[Asked, str]
Group = tuple[str, ...]
# A trial judges the whole fiche: beyond so many, what is left is said to be not found.
MOST_TRIALS = 300


class Cause(NamedTuple):
    """How a verdict was moved, and by the ids of which changes."""

    how: str
    by: tuple[str, ...]


class Trial:
    """Judgements of the first side with some groups of changes applied, each made once."""

    def __init__(
        self, groups: Mapping[Group, object], judge: Callable[[frozenset[Group]], Verdicts]
    ) -> None:
        """`groups` are ids of changes that are applied together; `judge` gives the verdicts with some."""
        self._every = tuple(groups)
        self._judge = judge
        self._done: dict[frozenset[Group], Verdicts] = {}

    def cause(self, asked: Asked, wanted: str | None) -> Cause:
        """What moved one verdict to what is wanted; all changes together are known to do it."""
        alone = [group for group in self._every if self._with((group,), asked) == wanted]
        if alone:
            by = tuple(name for group in alone for name in group)
            return Cause("any" if len(alone) > 1 else "alone", by)
        needed = [group for group in self._every if self._without(group, asked) != wanted]
        if not needed or self._with(tuple(needed), asked) != wanted:
            needed = self._fewest(asked, wanted)
        if not needed:
            return Cause("unattributed", ())
        return Cause("together", tuple(name for group in needed for name in group))

    def _fewest(self, asked: Asked, wanted: str | None) -> list[Group]:
        """A set of which each is needed, one of those that there are; none after too many trials."""
        kept = list(self._every)
        if self._with(tuple(kept), asked) != wanted:
            return []
        for group in self._every:
            if len(self._done) >= MOST_TRIALS:
                return []
            less = [each for each in kept if each != group]
            if self._with(tuple(less), asked) == wanted:
                kept = less
        return kept

    def _with(self, groups: tuple[Group, ...], asked: Asked) -> str | None:
        chosen = frozenset(groups)
        if chosen not in self._done:
            self._done[chosen] = self._judge(chosen)
        return self._done[chosen].get(asked)

    def _without(self, group: Group, asked: Asked) -> str | None:
        return self._with(tuple(each for each in self._every if each != group), asked)
