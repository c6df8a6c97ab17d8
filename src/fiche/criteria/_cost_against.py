"""Which answers make a package too dear: the smallest sets of open points that exclude together (D1, D2).

A point excludes alone where its answer may raise the least cost above the budget. What makes the cost
comparable at all (its tax basis, a rate of exchange) comes first: no amount above a budget is one before.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._cost_open import FREELY, HOURS, RATE, TAX, WITHIN, Point
from fiche.criteria._package import Package
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure
from fiche.kernel.trace import firm

_Set = tuple[Condition, ...]


def against(bought: Package, budget: Figure) -> tuple[_Set, ...]:
    """The sets of open conditions that exclude if all of one are answered against the buyer."""
    points = (*bought.points, *bought.guessed)
    by_rate, tax = _of(points, RATE), _of(points, TAX)
    is_above = _above(bought.cost, budget)
    raising = tuple(_raising(points, bought))
    if by_rate or (tax and bought.at_least is None):
        first = (*by_rate, *(tax if bought.at_least is None else ()))
        enough = bool(by_rate) or is_above
        return (first,) if enough else tuple((*first, *one) for one in raising)
    within = ((one,) for one in _of(points, WITHIN) if is_above)
    taxed = (tax,) if tax and _tax_may_exclude(bought, budget) else ()
    return (*raising, *within, *taxed)


def _of(points: tuple[Point, ...], sways: str) -> _Set:
    return tuple(point.condition for point in points if point.sways == sways)


def _raising(points: tuple[Point, ...], bought: Package) -> Iterator[_Set]:
    """Answers that may come to any amount: each alone, but hours of an untold period only with its length."""
    yield from ((one,) for one in _of(points, FREELY))
    hours = _of(points, HOURS)
    if bought.bill.term.period is not None:
        yield from ((one,) for one in hours)
    elif hours:
        yield hours


def _above(cost: Figure | None, budget: Figure) -> bool:
    """The dearest of the readings that are known, as far as nobody guesses in it."""
    return cost is not None and cost.high is not None and firm(cost) and cost.high > budget.low


def _tax_may_exclude(bought: Package, budget: Figure) -> bool:
    """A tax rate may come to anything; with a known one the whole tax is the most."""
    bill = bought.bill
    return bill.tax_rate is None or bill.after_tax is None or _above(bill.after_tax, budget)
