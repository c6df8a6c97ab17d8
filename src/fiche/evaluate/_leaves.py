"""Which figures may turn a decision: assumed ones below what was compared, and stated ones that are choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.evaluate._varied_leaf import SIDES, Leaf, Reading
from fiche.kernel.comparison import Comparison
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Figure, Node, Operand, Unknown
from fiche.kernel.finding import Finding
from fiche.kernel.origin import Assumed
from fiche.kernel.replay import Replay
from fiche.kernel.trace import firm, inputs

_STALE = "stale"


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
        sides = (getattr(comparison, side) for side in SIDES)
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
        for side in SIDES:
            node = getattr(comparison, side)
            if isinstance(node, Figure | Unknown):
                slots[side] = len(tops)
                counted[side] = assume or side == "guard" or firm(node)
                tops.append(node)
        readings.append(
            Reading(
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
