"""What is left of a market after screening, cheapest package first; excluded offers are not on it.

A cost that is not known in full is ordered by the least that it may be, and is said to be open: such an
order is for reading, no ranking (DESIGN 4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import merge, nsmallest
from itertools import compress, islice
from typing import NamedTuple

from fiche.criteria._package import package
from fiche.criteria._stale import aged
from fiche.evaluate._answers import PRICE, telling
from fiche.evaluate._watched import Known, Row
from fiche.evaluate.screening import Bench, Screened
from fiche.kernel.figure import Figure, Number
from fiche.kernel.finding import Verdict
from fiche.kernel.record import record
from fiche.kernel.unit import Unit

_TRIED = 4


@record(eq=False)
class Listed:
    """An offer that no must excludes. `cost` is None where its row states no price."""

    row: int
    id: str
    verdict: Verdict
    cost: Figure | None
    open: bool


class _Place(NamedTuple):
    """The order of reading: retained first, then by cost, then by id; what has no cost comes last."""

    verdict: Verdict
    unpriced: bool
    cost: Number
    id: str
    row: int


def shortlist(screened: Screened, top: int) -> tuple[Listed, ...]:
    """The first offers of each currency, in order of verdict and cost of the package.

    What a rate of the fiche leads to is in the fiche's currency, as in any decision.
    """
    bench = screened.bench
    costs = _Costs(bench, screened.basis)
    left = _left(screened)
    places = [place for place in left.places if place not in bench.alone]
    for place in places[:: max(len(places) // _TRIED, 1)]:
        costs.of(place)
    while True:
        paths = costs.paths
        found = _first(screened, costs, left, top)
        if costs.paths == paths:
            return found


class _Costs:
    """The cost of each row's package, asked once for what it looks at."""

    def __init__(self, bench: Bench, basis: str) -> None:
        self._bench, self._basis = bench, basis
        self._known = Known(bench.market, self._ask)
        self._apart: dict[int, tuple[Figure | None, bool]] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """What a cost looks at, beside the price."""
        return tuple(path for path in self._known.paths if path != PRICE)

    def of(self, place: int) -> tuple[Figure | None, bool]:
        """The cost of a row, None where nothing says it; and whether something about it is open."""
        if place not in self._bench.alone:
            return self._known.of(place)
        if place not in self._apart:
            self._apart[place] = self._known.alone(place)
        return self._apart[place]

    def _ask(self, row: Row) -> tuple[Figure | None, bool]:
        priced = aged("cost", next(self._bench.candidates(row)), self._bench.ground)
        currency = priced.ground.purchase.currency
        bought = package(priced.candidate, self._basis, priced.ground, currency)
        return (None, True) if bought is None else (bought.cost, not bought.known)


def _first(screened: Screened, costs: _Costs, left: _Left, top: int) -> tuple[Listed, ...]:
    by_currency: dict[Unit | None, list[Iterator[_Place]]] = {}
    for rows, verdict in _alike(screened, left, costs.paths, top):
        cost, _ = costs.of(rows[0])
        unit = cost.unit if cost is not None else None
        by_currency.setdefault(unit, []).append(_rising(rows, verdict, costs, screened))
    return tuple(
        _listed(place, costs)
        for unit in sorted(by_currency, key=str)
        for place in islice(merge(*by_currency[unit]), top)
    )


@record(eq=False)
class _Left:
    """The rows that no must excludes: their places, what they are, and which of all rows they are."""

    places: list[int]
    verdicts: list[Verdict]
    chosen: list[bool]


def _left(screened: Screened) -> _Left:
    verdicts = [screened.verdict(group) for group in screened.kinds]
    alive = [verdict is not Verdict.EXCLUDE for verdict in verdicts]
    chosen = list(map(alive.__getitem__, screened.numbers))
    return _Left(
        places=list(compress(range(screened.total), chosen)),
        verdicts=list(map(verdicts.__getitem__, compress(screened.numbers, chosen))),
        chosen=chosen,
    )


def _alike(
    screened: Screened, left: _Left, paths: tuple[str, ...], top: int
) -> Iterator[tuple[list[int], Verdict]]:
    """The cheapest of rows that differ in nothing that a cost looks at but the price, cheapest first."""
    bench, codes = screened.bench, screened.market.columns[PRICE].codes
    numbers = compress(bench.rows.numbers(telling(screened.market, paths)), left.chosen)
    units = map(bench.prices.units.__getitem__, compress(codes, left.chosen))
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, *key in zip(left.places, left.verdicts, units, numbers, strict=True):
        groups[tuple(key)].append(place)
    for told, rows in groups.items():
        apart = [row for row in rows if row in bench.alone] if bench.alone else []
        for row in apart:
            yield [row], told[0]  # type: ignore[misc]
        others = [row for row in rows if row not in bench.alone] if apart else rows
        if others:
            yield _cheapest(others, screened, top), told[0]  # type: ignore[misc]


def _cheapest(rows: list[int], screened: Screened, top: int) -> list[int]:
    """The first rows by price, then by id."""
    ranks, codes = screened.bench.prices.ranks, screened.market.columns[PRICE].codes
    told = [ranks[codes[row]] for row in rows]
    highest = sorted(told)[min(top, len(told)) - 1]
    near = [(rank, row) for rank, row in zip(told, rows, strict=True) if rank <= highest]
    ids = screened.market.ids
    return [row for _, _, row in nsmallest(top, ((rank, ids[row], row) for rank, row in near))]


def _rising(
    rows: list[int],
    verdict: Verdict,
    costs: _Costs,
    screened: Screened,
) -> Iterator[_Place]:
    """A higher price never makes a package cheaper: the rows of a group stand in order of cost."""
    for row in rows:
        cost, _ = costs.of(row)
        yield _Place(
            verdict=verdict,
            unpriced=cost is None,
            cost=cost.low if cost is not None else 0,
            id=screened.market.ids[row],
            row=row,
        )


def _listed(place: _Place, costs: _Costs) -> Listed:
    cost, is_open = costs.of(place.row)
    return Listed(row=place.row, id=place.id, verdict=place.verdict, cost=cost, open=is_open)
