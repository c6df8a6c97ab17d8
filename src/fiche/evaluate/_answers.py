"""One question put to every row of a market, asked as seldom as what it looks at allows."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple, TypeVar

from fiche.evaluate._watched import Known
from fiche.kernel.currency import CURRENCIES
from fiche.kernel.figure import Number
from fiche.kernel.market import Market
from fiche.kernel.quantity import Quantity, parse_money
from fiche.kernel.record import record
from fiche.kernel.unit import Unit, money

T = TypeVar("T")
PRICE = "price.amount"
_TRIED = 4
_TURNS = 2


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


Key = int | tuple[int, ...]


class Rows:
    """Which rows state the same under some paths; those in `alone` are like no other."""

    def __init__(self, market: Market, alone: Collection[int]) -> None:
        self.market, self.alone = market, alone
        self._last: dict[tuple[str, ...], Mapping[Key, int]] = {}

    def keys(self, paths: tuple[str, ...]) -> Iterable[Key]:
        """What each row states: one code, or one for each path."""
        codes = [self.market.columns[path].codes for path in paths]
        if len(codes) == 1:
            return codes[0]
        return zip(*codes, strict=True) if codes else [()] * len(self.market.ids)

    def last(self, paths: tuple[str, ...]) -> Mapping[Key, int]:
        """A row for each combination of texts under the paths, none of those that stand alone."""
        if paths not in self._last:
            keys = self.keys(paths)
            if self.alone:
                found = {k: row for row, k in enumerate(keys) if row not in self.alone}
            else:
                found = dict(zip(keys, range(len(self.market.ids)), strict=True))
            self._last[paths] = found
        return self._last[paths]


def spread(
    known: Known[T], rows: Rows, prices: Prices, worse: Callable[[T], Number]
) -> tuple[tuple[T, ...], array[int]]:
    """The distinct answers, and which one each row has; rows that stand alone are asked one by one.

    `worse` orders answers by how bad they are: a lower price never has a worse one.
    """
    count = len(rows.market.ids)
    for place in range(0, count, max(count // _TRIED, 1)):
        if place not in rows.alone:
            known.of(place)
    while True:
        paths = telling(rows.market, known.paths)
        if PRICE in paths and len(paths) > 1:
            table = _priced(known, rows, prices, worse, paths)
        else:
            table = {key: known.of(place) for key, place in rows.last(paths).items()}
        if telling(rows.market, known.paths) == paths:
            return _coded(table, known, rows, paths)


def telling(market: Market, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths that tell rows apart; the price comes last, for rows are grouped by all else."""
    telling = [path for path in paths if len(market.columns[path].texts) > 1]
    return tuple(sorted(telling, key=lambda path: (path == PRICE, path)))


def _priced(
    known: Known[T],
    rows: Rows,
    prices: Prices,
    worse: Callable[[T], Number],
    paths: tuple[str, ...],
) -> dict[Key, T]:
    """The answer by what the rows state under the paths, the price last."""
    groups: defaultdict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
    for key, place in rows.last(paths).items():
        assert isinstance(key, tuple)
        groups[key[:-1]][key[-1]] = place
    table: dict[Key, T] = {}
    turns: list[_Turn] = []
    for rest, places in groups.items():
        same = [repeat(code) for code in rest]
        for codes in _by_currency(places, prices):
            run = _Run([prices.ranks[code] for code in codes], [places[code] for code in codes])
            answers = _along(run, known, worse, turns)
            table.update(zip(zip(*same, codes, strict=False), answers, strict=True))
    return table


_Turn = tuple[Number, Number]


class _Run(NamedTuple):
    """Rows that differ in nothing but the price, from the lowest up: ranks of the prices, and the rows."""

    ranks: list[Number]
    rows: list[int]


def _by_currency(places: Mapping[int, int], prices: Prices) -> Iterator[list[int]]:
    """The codes of prices of one currency after another, each from the lowest up."""
    by_unit: defaultdict[Unit | None, list[int]] = defaultdict(list)
    for code in places:
        by_unit[prices.units[code]].append(code)
    for codes in by_unit.values():
        yield sorted(codes, key=prices.ranks.__getitem__)


def _along(run: _Run, known: Known[T], worse: Callable[[T], Number], turns: list[_Turn]) -> list[T]:
    """The answers along rising prices: between two that are the same there is no other.

    Where an answer breaks the law (a lower price that is worse), every price is asked. `turns` are ranks
    between which answers of other runs turned: they are tried first.
    """
    last = len(run.rows) - 1
    found: dict[int, T] = {place: known.of(run.rows[place]) for place in (0, last)}
    answers = [found[last]] * (last + 1)
    open_ends = [(0, last)]
    while open_ends:
        low, high = open_ends.pop()
        if worse(found[low]) > worse(found[high]):
            return [known.of(row) for row in run.rows]
        if found[low] is found[high] or high - low < 2:
            if found[low] is not found[high]:
                turns.append((run.ranks[low], run.ranks[high]))
            answers[low:high] = [found[low]] * (high - low)
            continue
        middle = _guess(run.ranks, low, high, turns)
        found[middle] = known.of(run.rows[middle])
        open_ends += [(low, middle), (middle, high)]
    return answers


def _guess(ranks: Sequence[Number], low: int, high: int, turns: Sequence[_Turn]) -> int:
    """The place to ask next: on either side of a turn of the last runs, else in the middle."""
    for below, above in turns[: -_TURNS - 1 : -1]:
        for place in (bisect_left(ranks, above), bisect_right(ranks, below) - 1):
            if low < place < high:
                return place
    return (low + high) // 2


def _coded(
    table: Mapping[Key, T], known: Known[T], rows: Rows, paths: tuple[str, ...]
) -> tuple[tuple[T, ...], array[int]]:
    apart = {place: known.alone(place) for place in sorted(rows.alone)}
    distinct = {id(answer): answer for answer in (*table.values(), *apart.values())}
    codes = {name: code for code, name in enumerate(distinct)}
    by_key = {key: codes[id(answer)] for key, answer in table.items()}
    if len(distinct) == 1:
        return tuple(distinct.values()), array("H", bytes(2 * len(rows.market.ids)))
    if rows.alone:
        found = array("H", [by_key.get(key, 0) for key in rows.keys(paths)])
    else:
        found = array("H", map(by_key.__getitem__, rows.keys(paths)))
    for place, answer in apart.items():
        found[place] = codes[id(answer)]
    return tuple(distinct.values()), found
