"""Every number of a decision under one name: what a report prints, decision.json lists, `explain` finds.

A figure keeps the id that it was given. Where two different numbers claim one id (the same item of
two candidates), the later one is qualified by its candidate, in formulas too; a number that nobody
named is named by the place where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel import (
    _bills_named,
    _changes_named,
    _orders_named,
    _plans_named,
    _steps_named,
)
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Node, Operand, Unknown
from fiche.kernel.finding import Finding
from fiche.kernel.gaps import gaps
from fiche.kernel.origin import Computed, Stated
from fiche.kernel.record import field, record, replace
from fiche.kernel.simulation import details
from fiche.kernel.trace import basis, formula, inputs

WEAKEST_FIRST = ("unknown", "assumed", "declared", "observed", "stated")


@record
class Root:
    """A number of the decision: whose it is, and its name if it has none of its own."""

    owner: str
    name: str
    node: Node


@record(frozen=False, kw_only=False)
class Ledger:
    """`figures` by public id; `of` leads from a node of the decision to the one listed.

    Nodes are known by identity, so each one entered is kept: another would else be given its address.
    """

    figures: dict[str, Node] = field(default_factory=dict)
    _entered: list[Operand] = field(default_factory=list)
    _public: dict[int, Operand] = field(default_factory=dict)
    _kinds: dict[int, frozenset[str]] = field(default_factory=dict)
    _claims: dict[str, tuple[object, ...]] = field(default_factory=dict)

    def of(self, node: Node) -> Node:
        """The same number under its public id."""
        found = self._public[id(node)]
        assert isinstance(found, Figure | Unknown)
        return found

    def rests_on(self, node: Node) -> tuple[str, ...]:
        """The kinds of what a listed number was computed from, weakest first (E2)."""
        kinds = self._kinds.get(id(node), frozenset())
        return tuple(kind for kind in WEAKEST_FIRST if kind in kinds)

    def enter(self, root: Root) -> None:
        """List a root and every named number below it."""
        waiting: list[Operand] = [root.node]
        while waiting:
            here = waiting[-1]
            pending = [part for part in inputs(here) if id(part) not in self._public]
            if id(here) in self._public or not pending:
                waiting.pop()
                self._settle(here, root)
            else:
                waiting.extend(pending)

    def _settle(self, node: Operand, root: Root) -> None:
        if id(node) in self._public:
            return
        self._entered.append(node)
        if not isinstance(node, Figure | Unknown):
            self._public[id(node)] = node
            return
        public = self._renewed(node)
        name = public.id or (root.name if node is root.node else "")
        if name:
            public = self._listed(public, name, root.owner)
        self._public[id(node)] = public
        self._kinds[id(public)] = self._kinds_of(public)
        self._public.setdefault(id(public), public)

    def _renewed(self, node: Node) -> Node:
        """The node over the public copies of its inputs, or itself where none was renamed."""
        parts = inputs(node)
        public = tuple(self._public[id(part)] for part in parts)
        if all(new is old for new, old in zip(public, parts, strict=True)):
            return node
        assert isinstance(node.origin, Computed)
        return replace(node, origin=replace(node.origin, inputs=public))

    def _listed(self, node: Node, name: str, owner: str) -> Node:
        claim = _claim(node)
        free = _unclaimed(name, owner, claim, self._claims)
        self._claims[free] = claim
        if free in self.figures:
            return self.figures[free]
        named = node if node.id == free else replace(node, id=free)
        self.figures[free] = named
        return named

    def _kinds_of(self, node: Node) -> frozenset[str]:
        if not isinstance(node.origin, Computed):
            return frozenset((basis(node),))
        return frozenset().union(*(self._kinds.get(id(part), ()) for part in inputs(node)))


def _claim(node: Node) -> tuple[object, ...]:
    """What makes two numbers of one name the same number: bounds, unit, and where they come from."""
    where = getattr(node.origin, "address", None) or getattr(node.origin, "pointer", None)
    place = node.origin.span if isinstance(node.origin, Stated) else where
    made = formula(node) if isinstance(node.origin, Computed) else ""
    return (node.low, node.high, node.unit, basis(node), str(place), made)


def _unclaimed(
    name: str, owner: str, claim: tuple[object, ...], claims: Mapping[str, tuple[object, ...]]
) -> str:
    """The name itself, else qualified by its owner, else by a count."""
    wanted = [name] if not owner or name.startswith(f"{owner}/") else [name, f"{owner}/{name}"]
    for free in wanted:
        if claims.get(free, claim) == claim:
            return free
    count = 2
    while claims.get(f"{wanted[-1]}~{count}", claim) != claim:
        count += 1
    return f"{wanted[-1]}~{count}"


# decision.json and the page say the same numbers of the same decision: they are named once.
_latest: list[tuple[Decision, Ledger]] = []


def ledger(decision: Decision) -> Ledger:
    """Name every number that a report of this decision may print."""
    if _latest and _latest[0][0] is decision:
        return _latest[0][1]
    book = Ledger()
    for root in _roots(decision):
        book.enter(root)
    _latest[:] = [(decision, book)]
    return book


def _roots(decision: Decision) -> Iterator[Root]:
    for name, node in decision.figures.items():
        yield Root(owner="", name=name, node=node)
    yield from _question(decision)
    yield from _candidates(decision)
    yield from _pieces(decision)
    for found in decision.findings:
        yield from _judged(found)
    for gap in gaps(decision):
        yield Root(owner=gap.piece, name=gap.observed.id, node=gap.observed)
        yield Root(owner=gap.piece, name=gap.gap.id, node=gap.gap)
    yield from _simulated(decision)
    for outcome in decision.outcomes:
        who = outcome.candidate.id
        for name, part in (("cost", outcome.cost), ("useful_margin", outcome.useful_margin)):
            if part is not None:
                yield Root(owner=who, name=f"{who}/{name}", node=part)
    for numbers in _DERIVED:
        for owner, name, node in numbers(decision):
            yield Root(owner=owner, name=name, node=node)


_DERIVED = (
    _bills_named.numbers,
    _orders_named.numbers,
    _plans_named.numbers,
    _changes_named.numbers,
    _steps_named.numbers,
)


def _question(decision: Decision) -> Iterator[Root]:
    fiche = decision.fiche
    load = fiche.workload
    for path, stated in load.figures.items():
        yield Root(owner="", name=path, node=stated)
    for case in load.cases:
        for name, size in case.dimensions.items():
            yield Root(owner="", name=f"{case.id}.{name}", node=size)
    for kind, items in (("reserve", load.reserve), ("margin", load.margin)):
        for place, item in enumerate(items, 1):
            yield Root(owner=kind, name=f"{kind}.{place}", node=item)
    for requirement in fiche.requirements:
        for name, figure in requirement.figures.items():
            yield Root(owner="", name=f"requirement.{requirement.id}.{name}", node=figure)
    for name, told in (
        ("tie_tolerance", fiche.policy.tie_tolerance),
        ("machine_spread", fiche.policy.machine_spread),
    ):
        if told is not None:
            yield Root(owner="policy", name=f"policy.{name}", node=told)
    for name, band in fiche.policy.guard_bands.items():
        yield Root(owner="policy", name=f"policy.guard_band.{name}", node=band)


def _candidates(decision: Decision) -> Iterator[Root]:
    for who in decision.fiche.candidates:
        yield Root(owner=who.id, name=f"{who.id}/cards", node=who.cards)
        named = {
            f"card.{who.card.id}" if who.card else "": who.card.figures if who.card else {},
            f"offer.{who.offer.id}" if who.offer else "": who.offer.figures if who.offer else {},
        }
        for owner, figures in named.items():
            for name, figure in figures.items():
                yield Root(owner=owner, name=f"{owner}.{name}", node=figure)


def _pieces(decision: Decision) -> Iterator[Root]:
    for piece in decision.fiche.pieces:
        for place, item in enumerate(piece.attested, 1):
            for name, term in item.terms.items():
                yield Root(owner=piece.id, name=f"{piece.id}/attested.{place}.{name}", node=term)
        for name, typed in piece.typed_dimensions.items():
            yield Root(owner=piece.id, name=f"{piece.id}/{name}", node=typed)
        for name, then in piece.about_dimensions.items():
            yield Root(owner=piece.id, name=f"{piece.id}/about/{name}", node=then)
        for run in piece.reading.runs:
            for kind, sizes in (("executed", run.executed), ("declared", run.declared)):
                for name, size in sizes.items():
                    yield Root(owner=piece.id, name=f"{piece.id}/{run.id}.{kind}.{name}", node=size)


def _simulated(decision: Decision) -> Iterator[Root]:
    """Both sides of each comparison; of two simulations of one case the later is qualified by its piece."""
    for one in decision.simulations:
        owner = one.owner or one.piece
        found = [] if one.need is None else [one.need]
        for phase in one.phases:
            found += [phase.formulas, phase.simulated, phase.difference]
            found += [each for each in (phase.reserved, phase.ratio) if each is not None]
            found += [side for group in phase.groups for side in (group.formulas, group.simulated)]
        for node in found:
            yield Root(owner=owner, name=node.id, node=node)
    for piece in decision.fiche.pieces:
        if piece.reading.simulation is not None:
            for figure in details(piece.reading.simulation, piece.id):
                yield Root(owner=piece.id, name=figure.id, node=figure)


def _judged(found: Finding) -> Iterator[Root]:
    parts = (found.requirement, found.case, found.device)
    place = f"{found.candidate}/{'.'.join(part for part in parts if part)}"
    judged = (
        ("need", found.need),
        ("have", found.have),
        ("margin", found.margin),
        ("share", found.share),
        ("guard", found.guard),
    )
    for name, node in (*judged, *_bounds(found)):
        if node is not None:
            yield Root(owner=found.candidate, name=f"{place}.{name}", node=node)


def _bounds(found: Finding) -> Iterator[tuple[str, Node | None]]:
    """Of memory the ends that were compared as well: a picture draws them."""
    if found.kind == "memory" and found.comparison is not None:
        for name in ("need_low", "have_low", "have_high"):
            yield name, getattr(found.comparison, name)
