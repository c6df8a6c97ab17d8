"""One question put to every row of a market, asked as seldom as what it looks at allows."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, chain, count, repeat
from operator import add
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
_TRIED = 16
_TURNS = 2


@record(eq=False)
class Prices:
    """The order of the distinct prices of a market, by code of their texts.

    `ranks` are amounts and `units` their currencies (-1 and none for a row without a price). Prices stand
    currency by currency, from the lowest up: `places` says where, and `ends` where the currency ends that
    stands at a place.
    """

    ranks: tuple[Number, ...]
    units: tuple[Unit | None, ...]
    places: tuple[int, ...]
    ends: tuple[int, ...]


def prices_of(market: Market) -> Prices:
    """The order of all prices of a market, each text read once."""
    column = market.columns.get(PRICE)
    known: dict[str, Unit] = {}
    read = [_money(text, known) for text in (column.texts if column is not None else ())]
    ranks = tuple(-1 if told is None else told[0] for told in read)
    units = tuple(None if told is None else told[1] for told in read)
    by_unit: defaultdict[Unit | None, list[int]] = defaultdict(list)
    for code, unit in enumerate(units):
        by_unit[unit].append(code)
    order = [code for codes in by_unit.values() for code in sorted(codes, key=ranks.__getitem__)]
    lengths = accumulate(map(len, by_unit.values()))
    ends = chain.from_iterable(
        repeat(end, len(codes)) for end, codes in zip(lengths, by_unit.values(), strict=True)
    )
    places = dict(zip(order, count()))
    return Prices(
        ranks=ranks,
        units=units,
        places=tuple(places[code] for code in range(len(order))),
        ends=tuple(ends),
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


class Rows:
    """Which rows state the same under some paths; those in `alone` are like no other."""

    def __init__(self, market: Market, alone: Collection[int]) -> None:
        self.market, self.alone = market, alone
        self._numbers: dict[tuple[str, ...], array[int]] = {}
        self._one_of_each: dict[tuple[str, ...], dict[int, int]] = {}

    def numbers(self, paths: tuple[str, ...]) -> array[int]:
        """A number for each row: the same where they state the same under the paths."""
        if paths not in self._numbers:
            told = [self.market.columns[path].codes for path in paths]
            self._numbers[paths] = numbered(told, len(self.market.ids))[0]
        return self._numbers[paths]

    def one_of_each(self, paths: tuple[str, ...]) -> Mapping[int, int]:
        """A row for each of these numbers, none of those that stand alone."""
        if paths not in self._one_of_each:
            self._one_of_each[paths] = self.one_of(self.numbers(paths))
        return self._one_of_each[paths]

    def one_of(self, keys: Sequence[int]) -> dict[int, int]:
        """The same for other keys, one of them for each row."""
        if self.alone:
            return {key: row for row, key in enumerate(keys) if row not in self.alone}
        return dict(zip(keys, range(len(keys)), strict=True))


def numbered(
    told: Sequence[array[int]], count_of_rows: int
) -> tuple[array[int], Sequence[tuple[int, ...]]]:
    """A number for each combination of codes that a row has, and the combinations by number."""
    if not told:
        return array("i", bytes(4 * count_of_rows)), ((),)
    if len(told) == 1:
        return told[0], [(code,) for code in range(max(told[0], default=-1) + 1)]
    found: defaultdict[tuple[int, ...], int] = defaultdict(count().__next__)
    numbers = array("i", list(map(found.__getitem__, zip(*told, strict=True))))
    return numbers, tuple(found)


def spread(
    known: Known[T], rows: Rows, prices: Prices, worse: Callable[[T], Number]
) -> tuple[tuple[T, ...], array[int]]:
    """The distinct answers, and which one each row has; rows that stand alone are asked one by one.

    `worse` orders answers by how bad they are: a lower price never has a worse one.
    """
    total = len(rows.market.ids)
    for place in range(0, total, max(total // _TRIED, 1)):
        if place not in rows.alone:
            known.of(place)
    while True:
        paths = telling(rows.market, known.paths)
        if PRICE in paths and len(paths) > 1:
            keys = _with_price(rows, prices, paths[:-1])
            asked, answers = _priced(known, rows.one_of(keys), prices, worse)
        else:
            keys = rows.numbers(paths)
            asked = list(rows.one_of_each(paths))
            answers = list(map(known.of, rows.one_of_each(paths).values()))
        if telling(rows.market, known.paths) == paths:
            return _coded(asked, answers, known, rows, keys)


def telling(market: Market, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths that tell rows apart; the price comes last, for rows are grouped by all else."""
    telling = [path for path in paths if len(market.columns[path].texts) > 1]
    return tuple(sorted(telling, key=lambda path: (path == PRICE, path)))


def _with_price(rows: Rows, prices: Prices, others: tuple[str, ...]) -> Sequence[int]:
    """A number for each row: rows that state the same but for the price stand together, by rising price."""
    step = len(prices.places)
    first = [number * step for number in range(max(rows.numbers(others), default=-1) + 1)]
    starts = map(first.__getitem__, rows.numbers(others))
    codes = rows.market.columns[PRICE].codes
    return list(map(add, starts, map(prices.places.__getitem__, codes)))


def _priced(
    known: Known[T], row_of: Mapping[int, int], prices: Prices, worse: Callable[[T], Number]
) -> tuple[list[int], list[T]]:
    """The numbers that `_with_price` gives, in order, and the answer to each."""
    keys = sorted(row_of)
    answers: list[T] = []
    turns: list[_Turn] = []
    while len(answers) < len(keys):
        start, place = divmod(keys[len(answers)], len(prices.places))
        start *= len(prices.places)
        end = bisect_left(keys, start + prices.ends[place], len(answers))
        run = _Run([key - start for key in keys[len(answers) : end]], start, row_of)
        answers += _along(run, known, worse, turns)
    return keys, answers


# Places of prices between which an answer turned.
_Turn = tuple[int, int]


class _Run(NamedTuple):
    """Rows that differ in nothing but a price of one currency: the places of the prices, from the lowest up."""

    places: list[int]
    start: int
    row_of: Mapping[int, int]

    def row(self, at: int) -> int:
        """A row with the price that stands there."""
        return self.row_of[self.start + self.places[at]]


def _along(run: _Run, known: Known[T], worse: Callable[[T], Number], turns: list[_Turn]) -> list[T]:
    """The answers along rising prices: between two that are the same there is no other.

    Where an answer breaks the law (a lower price that is worse), every price is asked. `turns` are places
    between which answers of other runs turned: they are tried first.
    """
    last = len(run.places) - 1
    found: dict[int, T] = {at: known.of(run.row(at)) for at in (0, last)}
    answers = [found[last]] * (last + 1)
    open_ends = [(0, last)]
    while open_ends:
        low, high = open_ends.pop()
        if worse(found[low]) > worse(found[high]):
            return [known.of(run.row(at)) for at in range(last + 1)]
        if found[low] is found[high] or high - low < 2:
            if found[low] is not found[high]:
                turns.append((run.places[low], run.places[high]))
            answers[low:high] = [found[low]] * (high - low)
            continue
        middle = _guess(run.places, low, high, turns)
        found[middle] = known.of(run.row(middle))
        open_ends += [(low, middle), (middle, high)]
    return answers


def _guess(places: Sequence[int], low: int, high: int, turns: Sequence[_Turn]) -> int:
    """What to ask next: on either side of a turn of the last runs, else in the middle."""
    for below, above in turns[: -_TURNS - 1 : -1]:
        for at in (bisect_left(places, above), bisect_right(places, below) - 1):
            if low < at < high:
                return at
    return (low + high) // 2


def _coded(
    asked: Sequence[int], answers: Sequence[T], known: Known[T], rows: Rows, keys: Sequence[int]
) -> tuple[tuple[T, ...], array[int]]:
    """The distinct answers, and which one each row has by its key; `asked` are the keys of the answers."""
    apart = {row: known.alone(row) for row in sorted(rows.alone)}
    told = [*answers, *apart.values()]
    names = list(map(id, told))
    distinct = dict(zip(names, told, strict=True))
    if len(distinct) == 1:
        return tuple(distinct.values()), array("H", bytes(2 * len(rows.market.ids)))
    codes = {name: code for code, name in enumerate(distinct)}
    by_key = (
        dict.fromkeys(keys, 0) if apart else {}
    )  # a row asked alone may state what no other does
    by_key.update(zip(asked, map(codes.__getitem__, names), strict=False))
    found = array("H", list(map(by_key.__getitem__, keys)))
    for row, answer in apart.items():
        found[row] = codes[id(answer)]
    return tuple(distinct.values()), found
