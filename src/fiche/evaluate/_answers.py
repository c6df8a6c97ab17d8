"""One question put to every row of a market, asked as seldom as what it looks at allows."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from fiche.evaluate._watched import Known
from fiche.kernel.currency import CURRENCIES
from fiche.kernel.figure import Number
from fiche.kernel.market import Market
from fiche.kernel.quantity import Quantity, parse_money
from fiche.kernel.record import record
from fiche.kernel.unit import Unit, money

T = TypeVar("T")
PRICE = "price.amount"
_TRIED = 16


@record(eq=False)
class Prices:
    """Where each distinct price stands within its currency, by code of its text.

    A row without a price has rank -1 and no unit.
    """

    ranks: tuple[Number, ...]
    units: tuple[Unit | None, ...]


def prices_of(market: Market) -> Prices:
    """The order of all prices of a market, each text read once."""
    column = market.columns.get(PRICE)
    units: dict[str, Unit] = {}
    read = [_money(text, units) for text in (column.texts if column is not None else ())]
    return Prices(
        ranks=tuple(-1 if told is None else told[0] for told in read),
        units=tuple(None if told is None else told[1] for told in read),
    )


# Not three decimals behind one to three digits: those can be read in two ways, and are refused.
_PLAIN = re.compile(r"(\d{1,12})(?:\.(\d|\d\d|\d{4,9}))? ([A-Z]{3})", re.ASCII)
_SCALE = 9


def _money(text: str, units: dict[str, Unit]) -> tuple[Number, Unit] | None:
    """An amount in billionths and its unit; the plainest writing is read without a detour."""
    plain = _PLAIN.fullmatch(text)
    if plain is None or plain[3] not in CURRENCIES:
        read = parse_money(text) if text else None
        return (read.value * 10**_SCALE, read.unit) if isinstance(read, Quantity) else None
    whole, decimals, currency = plain.groups(default="")
    unit = units.get(currency) or units.setdefault(currency, money(currency))
    return int(whole + decimals.ljust(_SCALE, "0")), unit


def spread(
    known: Known[T],
    market: Market,
    prices: Prices,
    alone: Collection[int],
    worse: Callable[[T], Number],
) -> tuple[tuple[T, ...], array[int]]:
    """The distinct answers, and which one each row has; rows in `alone` are asked one by one.

    `worse` orders answers by how bad they are: a lower price never has a worse one.
    """
    count = len(market.ids)
    for place in range(0, count, max(count // _TRIED, 1)):
        if place not in alone:
            known.of(place)
    while True:
        paths = known.paths
        table = _table(known, market, prices, alone, worse, paths)
        if known.paths == paths:
            break
    return _coded(table, known, market, alone, paths)


def _table(
    known: Known[T],
    market: Market,
    prices: Prices,
    alone: Collection[int],
    worse: Callable[[T], Number],
    paths: tuple[str, ...],
) -> dict[tuple[int, ...], T]:
    """The answer by what the rows state under the paths; with the price last, if it is one of them."""
    rows = _last(market, _ordered(paths), alone)
    if PRICE not in paths:
        return {key: known.of(place) for key, place in rows.items()}
    groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for key, place in rows.items():
        groups.setdefault(key[:-1], []).append((key[-1], place))
    table: dict[tuple[int, ...], T] = {}
    for rest, members in groups.items():
        for run in _by_currency(members, prices):
            for (code, _), answer in zip(run, _along(run, known, worse), strict=True):
                table[*rest, code] = answer
    return table


def _by_currency(
    members: Sequence[tuple[int, int]], prices: Prices
) -> Iterator[list[tuple[int, int]]]:
    """Rows that differ in nothing but the price, from the lowest price up, by currency."""
    runs: dict[Unit | None, list[tuple[int, int]]] = {}
    for code, place in members:
        runs.setdefault(prices.units[code], []).append((code, place))
    for run in runs.values():
        yield sorted(run, key=lambda member: prices.ranks[member[0]])


def _along(
    run: Sequence[tuple[int, int]], known: Known[T], worse: Callable[[T], Number]
) -> list[T]:
    """The answers along rising prices: between two that are the same there is no other.

    Where an answer breaks the law (a lower price that is worse), every price is asked.
    """
    found: dict[int, T] = {place: known.of(run[place][1]) for place in (0, len(run) - 1)}
    open_ends = [(0, len(run) - 1)]
    while open_ends:
        low, high = open_ends.pop()
        if worse(found[low]) > worse(found[high]):
            return [known.of(place) for _, place in run]
        if found[low] is found[high] or high - low < 2:
            found.update(dict.fromkeys(range(low, high), found[low]))
            continue
        middle = (low + high) // 2
        found[middle] = known.of(run[middle][1])
        open_ends += [(low, middle), (middle, high)]
    return [found[place] for place in range(len(run))]


def _ordered(paths: tuple[str, ...]) -> tuple[str, ...]:
    """The price comes last: rows are grouped by all else."""
    return (*(path for path in paths if path != PRICE), *((PRICE,) if PRICE in paths else ()))


def _keys(market: Market, paths: tuple[str, ...]) -> Iterable[tuple[int, ...]]:
    if not paths:
        return [()] * len(market.ids)
    return zip(*(market.columns[path].codes for path in paths), strict=True)


def _last(
    market: Market, paths: tuple[str, ...], alone: Collection[int]
) -> Mapping[tuple[int, ...], int]:
    """A row for each combination of texts under the paths, none of those that stand alone."""
    keys = _keys(market, paths)
    if not alone:
        return dict(zip(keys, range(len(market.ids)), strict=True))
    return {key: place for place, key in enumerate(keys) if place not in alone}


def _coded(
    table: Mapping[tuple[int, ...], T],
    known: Known[T],
    market: Market,
    alone: Collection[int],
    paths: tuple[str, ...],
) -> tuple[tuple[T, ...], array[int]]:
    apart = {place: known.alone(place) for place in sorted(alone)}
    distinct = {id(answer): answer for answer in (*table.values(), *apart.values())}
    codes = {name: code for code, name in enumerate(distinct)}
    by_key = {key: codes[id(answer)] for key, answer in table.items()}
    keys = _keys(market, _ordered(paths))
    if alone:
        first = next(iter(by_key.values()), 0)
        found = array("H", [by_key.get(key, first) for key in keys])
    else:
        found = array("H", map(by_key.__getitem__, keys))
    for place, answer in apart.items():
        found[place] = codes[id(answer)]
    return tuple(distinct.values()), found
