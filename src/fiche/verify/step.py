"""One step of verifying: what was looked at, how it came out, and what was found on the way."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel.record import record, replace

OK, FAILED, UNPROVEN = "ok", "failed", "not_provable"
OUTCOMES = (OK, UNPROVEN, FAILED)


@record(kw_only=False)
class Point:
    """One thing that was found. `code` names a fault (F9xx) and is empty for what is merely said."""

    text: str
    code: str = ""


@record
class Step:
    """A step with its outcome.

    `key` is for machines, `title` and `looked_at` for people. `points` are faults first (those with a code),
    then what is not proven by it and what else is worth saying. `bytes_covered` is of a signature: how many
    bytes from the start of the file a signature that holds accounts for; 0 for every other step.
    """

    key: str
    title: str
    looked_at: str
    outcome: str
    points: tuple[Point, ...] = ()
    bytes_covered: int = 0

    @property
    def faults(self) -> tuple[Point, ...]:
        """What does not hold."""
        return tuple(point for point in self.points if point.code)


class Sheet:
    """What one step finds, while it looks; `step` is what comes of it."""

    def __init__(self, key: str, title: str) -> None:
        self.key, self.title = key, title
        self.faults: list[Point] = []
        self.left: list[Point] = []
        self.said: list[Point] = []

    def fault(self, code: str, text: str) -> None:
        """Note what does not hold."""
        self.faults.append(Point(text, code))

    def unproven(self, text: str) -> None:
        """Note what this step could not settle here."""
        self.left.append(Point(text))

    def say(self, text: str) -> None:
        """Note what is worth knowing and changes no outcome."""
        self.said.append(Point(text))

    def step(self, looked_at: str) -> Step:
        """Failed by any fault; not provable where something was left; else ok."""
        outcome = FAILED if self.faults else UNPROVEN if self.left else OK
        return Step(
            key=self.key,
            title=self.title,
            looked_at=looked_at,
            outcome=outcome,
            points=(*self.faults, *self.left, *self.said),
        )


def worst(steps: Iterable[Step]) -> str:
    """The outcome of several steps together: one that failed fails all; ok where there is none."""
    return max((step.outcome for step in steps), key=OUTCOMES.index, default=OK)


def within(where: str, step: Step) -> Step:
    """The step, said of one file among several."""
    return replace(step, looked_at=f"{where}: {step.looked_at}")
