"""What differs between two decisions, and which of it moved which verdict."""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Detail:
    """One value of a change: its name (empty for the whole), before and after (None: not there)."""

    name: str
    before: str | None
    after: str | None


@record
class Change:
    """One thing that differs, by its kind and id.

    `what` is added, removed, changed or renamed (equal content under another id, which `details` name).
    `figures` are the ids of the numbers that it states, on either side.
    """

    kind: str
    name: str
    what: str
    details: tuple[Detail, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """One word for it: `piece:run-4090`, `workload:cases.limit.prompt_tokens`."""
        return f"{self.kind}:{self.name}"


@record
class Move:
    """A verdict that is another one: None on the side that does not ask.

    `how` says what moved it, `by` are ids of changes: `alone` (that one change does it), `any` (each of them
    does), `together` (only these together do), `named` (not judged again: what the verdict's own words and
    numbers lead to), `unattributed`.
    """

    candidate: str
    requirement: str
    case: str
    device: str
    before: str | None
    after: str | None
    reason_before: str = ""
    reason: str = ""
    how: str = "unattributed"
    by: tuple[str, ...] = ()


@record
class Standing:
    """A candidate whose status or rank is another one; None on the side that does not have it."""

    candidate: str
    before: str | None
    after: str | None
    rank_before: int | None = None
    rank: int | None = None


@record
class Side:
    """One of the two: what it is called, fiche or decision, and whose tool's words it is in."""

    name: str
    kind: str
    title: str
    date: str
    tool: str


@record
class Difference:
    """All of it. `asked` counts the verdicts of either side, `reworded` those that stay for another reason.

    `rejudged` is False where a side is no fiche: then nothing was tried out. `grouped` says that there were so
    many changes that those of one kind were tried together.
    """

    before: Side
    after: Side
    changes: tuple[Change, ...]
    moves: tuple[Move, ...]
    standings: tuple[Standing, ...]
    asked: int
    reworded: int
    rejudged: bool
    grouped: bool = False

    @property
    def empty(self) -> bool:
        """True where nothing differs at all."""
        return not (self.changes or self.moves or self.standings or self.reworded)
