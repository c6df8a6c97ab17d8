"""Which needs decide the answers of page one, and what those of whom each is asked have (D0, B1).

Candidates that say the same share a row; where rows are many, those of one verdict do.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure, Node, Number
from fiche.kernel.finding import Finding
from fiche.kernel.origin import Declared
from fiche.kernel.record import record, replace
from fiche.kernel.unit import BYTE
from fiche.report import numbers
from fiche.report.answer import worst
from fiche.report.desk import Desk

MOST_ROWS = 8
MOST_NEEDS = 6


@record
class Held:
    """What some candidates have: `low` is what is surely there, `high` the most; None is an open end.

    `several` are capacities of one verdict that share a row.
    """

    who: tuple[str, ...]
    found: Finding
    low: Figure | None
    high: Figure | None
    several: tuple[Held, ...] = ()

    @property
    def known(self) -> bool:
        """True where at least one end is."""
        return bool(self.several) or self.low is not None or self.high is not None

    @property
    def failed(self) -> bool:
        """True where a failure that counts decided it."""
        return self.found.reason == "proven_failure"


@record
class Asked:
    """A need with those of whom it is asked. `is_open` where no firm figure ends it."""

    found: Finding
    need: Figure | None
    floor: Figure | None
    is_open: bool
    held: tuple[Held, ...]

    @property
    def least(self) -> bool:
        """True where the need is a floor: the least, and no estimate of the whole."""
        compared = self.found.comparison
        return self.need is not None and compared is not None and compared.need_is_floor

    @property
    def firm(self) -> bool:
        """False for a floor above a capacity that it does not exclude, since what it rests on is not firm."""
        compared = self.found.comparison
        if self.need is None or not self.least:
            return True
        beyond = (
            h.high is not None and h.high.high is not None and h.high.high < self.need.low
            for h in self.held
        )
        return not any(beyond) or (compared is not None and compared.need_low is not None)


def asked(desk: Desk) -> tuple[Asked, ...]:
    """Every need that decides an answer, in the order of the candidates."""
    groups: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for who, found in _deciding(desk):
        groups.setdefault(_need_key(desk, found), []).append((who, found))
    told = tuple(_asked(desk, members) for members in groups.values())
    if sum(len(group.held) for group in told) <= MOST_ROWS:
        return told
    return tuple(replace(group, held=_merged(group.held)) for group in told)


def _merged(held: tuple[Held, ...]) -> tuple[Held, ...]:
    """Capacities of one verdict in one row: what it spans is said, and of how many."""
    by_verdict: dict[object, list[Held]] = {}
    for one in held:
        by_verdict.setdefault((one.found.verdict, one.known), []).append(one)
    return tuple(
        same[0]
        if len(same) == 1
        else replace(
            same[0],
            who=tuple(who for one in same for who in one.who),
            several=tuple(same) if same[0].known else (),
        )
        for same in by_verdict.values()
    )


def _deciding(desk: Desk) -> Iterator[tuple[str, Finding]]:
    """A candidate's most demanding finding; one for each device where their verdicts differ."""
    for outcome in desk.decision.outcomes:
        by_device = worst(outcome)
        by_verdict: dict[object, Finding] = {}
        for found in by_device.values():
            kept = by_verdict.get(found.verdict)
            if kept is None or _low(found.need) > _low(kept.need):
                by_verdict[found.verdict] = found
        several = len(by_verdict) > 1
        for found in by_verdict.values():
            device = f", {found.device}" if several and found.device else ""
            yield f"{outcome.candidate.id}{device}", found


def _low(node: Node | None) -> Number:
    return 0 if node is None else node.low


def _need_key(desk: Desk, found: Finding) -> tuple[object, ...]:
    return (found.case, *(_name(desk, side) for side in (found.need, _floor(found))), _open(found))


def _name(desk: Desk, node: Node | None) -> str:
    return "" if node is None else desk.book.of(node).id


def _floor(found: Finding) -> Figure | None:
    floor = None if found.comparison is None else found.comparison.need_low
    return None if floor is None or floor is found.need or not floor.low else floor


def _open(found: Finding) -> bool:
    compared = found.comparison
    return compared is None or compared.need_high is None or compared.need_high.high is None


def _asked(desk: Desk, members: list[tuple[str, Finding]]) -> Asked:
    found = members[0][1]
    need = found.need if isinstance(found.need, Figure) and found.need.low else None
    rooms: dict[tuple[object, ...], list[tuple[str, Finding]]] = {}
    for who, each in members:
        ends = tuple(_name(desk, end) for end in bounds(each))
        key = (each.verdict, each.reason == "proven_failure", *ends)
        rooms.setdefault(key, []).append((who, each))
    return Asked(
        found=found,
        need=need,
        floor=_floor(found),
        is_open=_open(found),
        held=tuple(_held(tuple(who for who, _ in same), same[0][1]) for same in rooms.values()),
    )


def _held(who: tuple[str, ...], found: Finding) -> Held:
    low, high = bounds(found)
    return Held(who=who, found=found, low=low, high=high)


def bounds(found: Finding) -> tuple[Figure | None, Figure | None]:
    """What is surely there, and the most there can be.

    Where nothing was compared (the placement is untold) the figure that is shown bounds from above, no more.
    """
    compared, shown = found.comparison, found.have
    low = None if compared is None else compared.have_low
    high = None if compared is None else compared.have_high
    if low is None and high is None and isinstance(shown, Figure) and shown.unit == BYTE:
        high = shown if shown.low else None
    return low, high


def have_text(desk: Desk, group: Asked, end: Figure) -> str:
    """A capacity beside its need: to the byte where rounded texts would contradict the answer (law 2)."""
    if group.need is None:
        return numbers.amount(end, desk.style)
    return numbers.pair(group.need, end, desk.style)[1]


def need_text(desk: Desk, group: Asked) -> str:
    """The need beside all that it is compared with, printed as `have_text` prints them."""
    assert group.need is not None
    rounded = numbers.amount(group.need, desk.style)
    ends = [
        end
        for held in group.held
        for one in held.several or (held,)
        for end in (one.low, one.high)
        if end is not None
    ]
    told = (numbers.pair(group.need, end, desk.style)[0] for end in ends)
    return next((text for text in told if text != rounded), rounded)


def labelled(node: Node | None) -> bool:
    """True for a capacity that only a label or a document tells."""
    return node is not None and isinstance(node.origin, Declared)
