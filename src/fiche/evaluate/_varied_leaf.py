"""One leaf of what was compared, prepared for other values: what the rule, the fold and the order then say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fiche.evaluate import order
from fiche.evaluate.rule import ROWS, Bounds
from fiche.kernel.comparison import Comparison
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, Node, Number, Operand, Unknown
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.origin import Assumed
from fiche.kernel.record import record, replace
from fiche.kernel.replay import Replay
from fiche.kernel.trace import firm, inputs
from fiche.kernel.unit import BYTE, HOUR

# (what, of whom, how it stands): statuses by candidate, second readings by candidate and requirement, the first
State = tuple[tuple[str, str, str], ...]
_STATUS = ("retained", "to_confirm", "excluded")
_SIDES = ("need_low", "need_high", "have_low", "have_high", "guard")
_STALE = "stale"


@record(eq=False)
class _Reading:
    """One comparison that the leaf moves: its ends, those that count, and where their bounds come out."""

    finding: Finding
    comparison: Comparison
    assume: bool
    counted: Mapping[str, bool]
    slots: Mapping[str, int]


@dataclass(slots=True)
class Leaf:
    """A figure by its id; `kind` is assumed or stated.

    `may_be_nothing`: zero of it is an amount. `is_uneven`: costs may change places more than once as it grows.
    """

    name: str
    kind: str
    figure: Figure
    decision: Decision
    replay: Replay
    readings: tuple[_Reading, ...]
    costs: Mapping[str, int]
    tolerance: bool = False

    @property
    def _leader(self) -> str:
        return next((o.candidate.id for o in self.decision.outcomes if o.rank == 1), "")

    @property
    def may_be_nothing(self) -> bool:
        """Bytes may be none, and a tolerance may be nothing; a price or a time of nothing is no amount."""
        return self.figure.unit == BYTE or self.tolerance

    @property
    def is_uneven(self) -> bool:
        """Whole lots make the order of costs go back and forth."""
        ranked = [
            o for o in self.decision.outcomes if o.rank is not None and o.candidate.id in self.costs
        ]
        return len(ranked) > 1 or self.tolerance

    def state(self, value: Number) -> State:
        """What the decision says at a value of the leaf, as far as the leaf moves it."""
        found = self.replay.at({self.name: (value, value)} if not self.tolerance else {})
        verdicts = [(each, _verdict(each, found)) for each in self.readings]
        firmly = {id(one.finding): verdict for one, verdict in verdicts if not one.assume}
        statuses = {
            o.candidate.id: _status(o, firmly, self.decision) for o in self.decision.outcomes
        }
        told = [("status", who, _STATUS[verdict]) for who, verdict in statuses.items()]
        told += sorted(_supposed(verdicts))
        moved = any(statuses[o.candidate.id] is not o.verdict for o in self.decision.outcomes)
        if self.is_uneven or moved:
            told.append(("first", "", self._first(statuses, found, value)))
        else:
            told.append(("first", "", self._leader))
        return tuple(told)

    def crossings(self, one: Number, other: Number) -> list[Number]:
        """Where two ends would meet if they moved evenly from one value to the other, nearest to `one` first.

        Most ends do; which value it is, the caller tries.
        """
        here = self.replay.at({self.name: (one, one)})
        there = self.replay.at({self.name: (other, other)})
        found: list[Number] = []
        for reading in self.readings:
            for before, after in zip(
                _slacks(_bounds(reading, here)), _slacks(_bounds(reading, there)), strict=True
            ):
                if before is not None and after is not None and before != after:
                    share = Fraction(before) / (before - after)
                    if 0 <= share <= 1:
                        found.append(one + (other - one) * share)
        found += [met for met in self._lots(one) if min(one, other) <= met <= max(one, other)]
        return sorted(found, reverse=other < one)

    def _lots(self, value: Number) -> Iterator[Number]:
        """Whole periods around a time: where one more of them, or one less, is paid for."""
        if self.figure.unit != HOUR:
            return
        for outcome in self.decision.outcomes:
            offer = outcome.candidate.offer
            hours = None if offer is None else offer.figures.get("hours")
            if hours is not None and hours.low > 0:
                whole = Fraction(value) // hours.low
                yield from (
                    hours.low * (whole + more) for more in (-1, 0, 1, 2) if whole + more > 0
                )

    def _first(
        self,
        statuses: Mapping[str, Verdict],
        found: tuple[tuple[Number, Number | None], ...],
        value: Number,
    ) -> str:
        """Who would rank first; empty where nobody is ranked."""
        outcomes = tuple(
            replace(
                self._priced(one, found),
                status=_STATUS[statuses[one.candidate.id]],
                verdict=statuses[one.candidate.id],
            )
            for one in self.decision.outcomes
            if statuses[one.candidate.id] is Verdict.ADMISSIBLE
        )
        tolerance = self.decision.fiche.policy.tie_tolerance
        if self.tolerance:
            tolerance = replace(tolerance, low=value, high=value)
        placed = order.ranked(outcomes, tolerance)
        return next((one.candidate.id for one in placed if one.rank == 1), "")

    def _priced(self, outcome: Outcome, found: tuple[tuple[Number, Number | None], ...]) -> Outcome:
        slot = self.costs.get(outcome.candidate.id)
        if slot is None or not isinstance(outcome.cost, Figure):
            return outcome
        low, high = found[slot]
        return replace(outcome, cost=replace(outcome.cost, low=low, high=high))


def _verdict(reading: _Reading, found: tuple[tuple[Number, Number | None], ...]) -> Verdict:
    """The first row of the one rule that holds on the bounds as they come out."""
    bounds = _bounds(reading, found)
    return next(row.verdict for row in ROWS if row.holds(reading.comparison, bounds))


def _slacks(bounds: Bounds) -> tuple[Number | None, Number | None]:
    """How much room there is at least, and at most, beside the guard band."""
    least = most = None
    if bounds.have_low is not None and bounds.need_high is not None:
        least = bounds.have_low - bounds.need_high - bounds.below
    if bounds.have_high is not None and bounds.need_low is not None:
        most = bounds.have_high - bounds.need_low + bounds.above
    return least, most


def _bounds(reading: _Reading, found: tuple[tuple[Number, Number | None], ...]) -> Bounds:
    """The ends as they come out; one that does not count in this reading is open."""
    comparison = reading.comparison
    ends: dict[str, tuple[Number, Number | None]] = {}
    for side, slot in reading.slots.items():
        if reading.counted[side]:
            ends[side] = found[slot]
    band = ends["guard"][1] or 0 if "guard" in ends else 0
    low = {side: None if side not in ends else ends[side][0] for side in _SIDES}
    high = {side: None if side not in ends else ends[side][1] for side in _SIDES}
    return Bounds(
        need_low=low["need_low"],
        need_high=high["need_high"],
        have_low=low["have_low"],
        have_high=high["have_high"],
        above=band if comparison.guard_excludes else 0,
        below=band,
    )


def _status(outcome: Outcome, moved: Mapping[int, Verdict], decision: Decision) -> Verdict:
    """The worst must (D1), with the findings that the leaf moves as they come out."""
    worst = max(
        (moved.get(id(f), f.verdict) for f in outcome.findings if f.level == "must"),
        default=Verdict.TO_CONFIRM,
    )
    return max(worst, Verdict.TO_CONFIRM) if decision.workload_conditions else worst


def _supposed(verdicts: list[tuple[_Reading, Verdict]]) -> Iterator[tuple[str, str, str]]:
    """Second readings by candidate and requirement, the worst of its cases and devices."""
    worst: dict[str, Verdict] = {}
    for one, verdict in verdicts:
        if one.assume:
            key = f"{one.finding.candidate}/{one.finding.requirement}"
            worst[key] = max(verdict, worst.get(key, Verdict.ADMISSIBLE))
    for key, verdict in worst.items():
        yield "reading", key, verdict.code


# --- Which leaves there are -----------------------------------------------------------------------


def leaves_of(decision: Decision) -> Iterator[Leaf]:
    """Every assumed figure below what was compared, and the stated ones that are choices."""
    tops = list(_tops(decision))
    below = _Below({id(one): one for one in _choices(decision)})
    depends = [(finding, one, assume, below.of_comparison(one)) for finding, one, assume in tops]
    costs = [
        (o, below.of(o.cost))
        for o in decision.outcomes
        if o.status != "excluded" and o.cost is not None
    ]
    for name, figure in below.found.items():
        readings = [(f, c, a) for f, c, a, names in depends if name in names]
        priced = [o for o, names in costs if name in names]
        if readings or len(priced) > 1:
            yield _leaf(decision, name, figure, readings, priced)
    retained = [o for o in decision.outcomes if o.rank is not None]
    if len(retained) > 1:
        tolerance = decision.fiche.policy.tie_tolerance
        yield Leaf(
            name="policy.tie_tolerance",
            kind="stated",
            figure=tolerance,
            decision=decision,
            replay=Replay((), ()),
            readings=(),
            costs={},
            tolerance=True,
        )


def _tops(decision: Decision) -> Iterator[tuple[Finding, Comparison, bool]]:
    """What was compared firmly and, of each *to confirm*, with assumptions let in.

    A finding that waits for something stale keeps its verdict whatever the number; a want turns nothing.
    """
    for finding in decision.findings:
        if finding.level != "must" or finding.comparison is None or finding.reason == _STALE:
            continue
        yield finding, finding.comparison, False
        if finding.supposed is not None:
            yield finding, finding.supposed, True


def _choices(decision: Decision) -> Iterator[Figure]:
    """Stated figures that act like an assumption: how long, how much, what to keep free, how near."""
    fiche = decision.fiche
    loads = [
        fiche.workload,
        *(c.workload for c in fiche.candidates if c.workload is not fiche.workload),
    ]
    for load in loads:
        yield from load.margin
        if "duration" in load.figures:
            yield load.figures["duration"]
    for requirement in fiche.requirements:
        if requirement.kind == "cost":
            yield from requirement.figures.values()
    yield from fiche.policy.guard_bands.values()
    if fiche.policy.machine_spread is not None:
        yield fiche.policy.machine_spread


class _Below:
    """The ids of varied leaves below a node, each node looked at once; `found` are those leaves in order."""

    def __init__(self, choices: Mapping[int, Figure]) -> None:
        self._choices = choices
        self._known: dict[int, frozenset[str]] = {}
        self._kept: list[Operand] = []
        self.found: dict[str, Figure] = {}

    def of_comparison(self, comparison: Comparison) -> frozenset[str]:
        """Below any of its ends."""
        sides = (getattr(comparison, side) for side in _SIDES)
        return frozenset().union(*(self.of(side) for side in sides if side is not None))

    def of(self, top: Operand) -> frozenset[str]:
        """Below one node."""
        waiting: list[Operand] = [top]
        while waiting:
            here = waiting[-1]
            if id(here) in self._known:
                waiting.pop()
                continue
            pending = [part for part in inputs(here) if id(part) not in self._known]
            if pending:
                waiting.extend(pending)
                continue
            waiting.pop()
            self._kept.append(here)
            self._known[id(here)] = self._own(here).union(
                *(self._known[id(part)] for part in inputs(here))
            )
        return self._known[id(top)]

    def _own(self, node: Operand) -> frozenset[str]:
        if not isinstance(node, Figure) or not node.id:
            return frozenset()
        if isinstance(node.origin, Assumed) or id(node) in self._choices:
            self.found.setdefault(node.id, node)
            return frozenset((node.id,))
        return frozenset()


def _leaf(
    decision: Decision,
    name: str,
    figure: Figure,
    compared: list[tuple[Finding, Comparison, bool]],
    priced: list[Outcome],
) -> Leaf:
    tops: list[Node] = []
    readings = []
    for finding, comparison, assume in compared:
        slots, counted = {}, {}
        for side in _SIDES:
            node = getattr(comparison, side)
            if isinstance(node, Figure | Unknown):
                slots[side] = len(tops)
                counted[side] = assume or side == "guard" or firm(node)
                tops.append(node)
        readings.append(
            _Reading(
                finding=finding, comparison=comparison, assume=assume, counted=counted, slots=slots
            )
        )
    costs = {}
    for outcome in priced:
        if outcome.cost is not None:
            costs[outcome.candidate.id] = len(tops)
            tops.append(outcome.cost)
    return Leaf(
        name=name,
        kind="assumed" if isinstance(figure.origin, Assumed) else "stated",
        figure=figure,
        decision=decision,
        replay=Replay(tops, [name]),
        readings=tuple(readings),
        costs=costs,
    )
