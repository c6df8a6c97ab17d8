"""One leaf of what was compared, prepared for other values: what the rule, the fold and the order then say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fiche.evaluate import order
from fiche.evaluate.rule import ROWS, Bounds
from fiche.kernel.comparison import Comparison
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.record import record, replace
from fiche.kernel.replay import Replay
from fiche.kernel.unit import BYTE, HOUR

# (what, of whom, how it stands): statuses by candidate, second readings by candidate and requirement, the first
State = tuple[tuple[str, str, str], ...]
_STATUS = ("retained", "to_confirm", "excluded")
SIDES = ("need_low", "need_high", "have_low", "have_high", "guard")


@record(eq=False)
class Reading:
    """One comparison that the leaf moves: its ends, those that count, and where their bounds come out."""

    finding: Finding
    comparison: Comparison
    assume: bool
    counted: Mapping[str, bool]
    slots: Mapping[str, int]


@record(frozen=False, kw_only=False)
class Leaf:
    """A figure by its id; `kind` is assumed or stated.

    `may_be_nothing`: zero of it is an amount. `is_uneven`: costs may change places more than once as it grows.
    """

    name: str
    kind: str
    figure: Figure
    decision: Decision
    replay: Replay
    readings: tuple[Reading, ...]
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
        return sorted(set(found), reverse=other < one)

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


def _verdict(reading: Reading, found: tuple[tuple[Number, Number | None], ...]) -> Verdict:
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


def _bounds(reading: Reading, found: tuple[tuple[Number, Number | None], ...]) -> Bounds:
    """The ends as they come out; one that does not count in this reading is open."""
    comparison = reading.comparison
    ends: dict[str, tuple[Number, Number | None]] = {}
    for side, slot in reading.slots.items():
        if reading.counted[side]:
            ends[side] = found[slot]
    band = ends["guard"][1] or 0 if "guard" in ends else 0
    low = {side: None if side not in ends else ends[side][0] for side in SIDES}
    high = {side: None if side not in ends else ends[side][1] for side in SIDES}
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


def _supposed(verdicts: list[tuple[Reading, Verdict]]) -> Iterator[tuple[str, str, str]]:
    """Second readings by candidate and requirement, the worst of its cases and devices."""
    worst: dict[str, Verdict] = {}
    for one, verdict in verdicts:
        if one.assume:
            key = f"{one.finding.candidate}/{one.finding.requirement}"
            worst[key] = max(verdict, worst.get(key, Verdict.ADMISSIBLE))
    for key, verdict in worst.items():
        yield "reading", key, verdict.code
