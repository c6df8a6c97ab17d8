"""Searching files of offers: tests on what rows state; unknown is neither yes nor no, and is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from fiche.cli.screened import Kept, read_market
from fiche.cli.terminal import table
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.market import Market
from fiche.kernel.quantity import (
    Misread,
    Quantity,
    parse_bytes,
    parse_count,
    parse_date,
    parse_duration,
    parse_money,
    parse_ratio,
)
from fiche.kernel.record import record

PER_CARD_HOUR = "price_per_card_hour"
_TEST = re.compile(r"\s*([a-z][a-z0-9_.]*)\s*(>=|<=|!=|=|~)\s*(.+?)\s*")
_NUMBERS: dict[str, Callable[[str], Quantity | Misread]] = {
    PER_CARD_HOUR: parse_money,
    "price.amount": parse_money,
    "price.per": parse_duration,
    "min_time": parse_duration,
    "tax.rate": parse_ratio,
    "host_memory": parse_bytes,
    "declared_memory.value": parse_bytes,
    **{
        path: lambda text: parse_count(text, "")
        for path in ("cards_per_lot", "lots_max", "min_order", "stock.free", "stock.installed")
    },
}
_DATES = ("observed_on", "valid_from", "valid_until", "delivery.earliest")
# What a reader wants to see of an offer, where any row states it.
_SHOWN = (
    "seller",
    "gpu",
    "cards_per_lot",
    "price.amount",
    "region",
    "interruptible",
    "observed_on",
)

# Ids are copied, and the name of a field is typed: neither is torn.
_WHOLE = ("gpu", "interruptible")


@record(eq=False)
class OfferTest:
    """`field sign value`: amounts compare by size within one unit, dates by day, words by equality.

    `~` asks whether a word holds the value: regions are written `France, FR, EU`.
    """

    text: str
    field: str
    sign: str
    word: str
    read: Quantity | None

    def passes(self, told: str) -> bool | None:
        """Whether a row passes; None where it does not state the field, or in another currency."""
        if not told:
            return None
        if self.read is None:
            return _compared(told.casefold(), self.sign, self.word.casefold())
        read = _quantity(self.field, told)
        if read is None or read.unit != self.read.unit:
            return None
        return _compared(read.value, self.sign, self.read.value)


@record(eq=False)
class Found:
    """Rows that pass every test, in order, and what was left out.

    `unsorted` of those that pass do not state the field that they are sorted by: they come last.
    """

    market: Market
    rows: tuple[int, ...]
    kept: Kept
    sort: str
    unsorted: int


def searched(files: Sequence[Path], where: Iterable[str], gpus: Iterable[str], sort: str) -> Found:
    """Search.

    Raises:
        Refused: F701 no row has such a field, F703 a test is none; or a file cannot be read.
    """
    market, _ = read_market(files)
    fields = {*market.columns, PER_CARD_HOUR}
    if sort not in fields:
        raise Refused([unknown("field", sort, sorted(fields))])
    left = kept(market, where, gpus)
    keyed = sorted((_order(sort, row, market), market.ids[row], row) for row in left.rows)
    return Found(
        market=market,
        rows=tuple(row for _, _, row in keyed),
        kept=left,
        sort=sort,
        unsorted=sum(1 for key, _, _ in keyed if key[0]),
    )


def kept(market: Market, where: Iterable[str], gpus: Iterable[str]) -> Kept:
    """The rows that pass every test.

    Raises:
        Refused: F701 no row has such a field, F703 a test is none.
    """
    tests = [_test(text, market) for text in where]
    left: Sequence[int] = range(len(market.ids))
    failed: dict[str, int] = {}
    silent: dict[str, int] = {}
    wanted = set(gpus)
    if wanted:
        left = _of_cards(left, wanted, market, failed, silent)
    for test in tests:
        left = _passing(left, test, market, failed, silent)
    return Kept(rows=left, failed=failed, silent=silent)


def _test(text: str, market: Market) -> OfferTest:
    match = _TEST.fullmatch(text)
    if match is None:
        raise _no_test(text, "write a field, one of = != >= <= ~, and a value: region~FR")
    field, sign, word = match.groups()
    if field not in market.columns and field != PER_CARD_HOUR:
        raise Refused([unknown("field", field, sorted({*market.columns, PER_CARD_HOUR}))])
    if field not in _NUMBERS:
        if sign in (">=", "<=") and field not in _DATES:
            raise _no_test(text, f"only numbers and dates have an order: {', '.join(_NUMBERS)}")
        if field in _DATES and sign != "~" and isinstance(day := parse_date(word), Misread):
            raise _no_test(text, day.hint)
        return OfferTest(text=text, field=field, sign=sign, word=word, read=None)
    if sign == "~":
        raise _no_test(text, "a number holds no word: write one of = != >= <=")
    read = _NUMBERS[field](word)
    if isinstance(read, Misread):
        message = f"{text}: {read.message}"
        raise Refused([Diagnostic(code=read.code, message=message, address=None, hint=read.hint)])
    return OfferTest(text=text, field=field, sign=sign, word=word, read=read)


def _no_test(text: str, hint: str) -> Refused:
    message = f"'{text}' is no test"
    return Refused([Diagnostic(code="F703", message=message, address=None, hint=hint)])


def _of_cards(
    rows: Iterable[int],
    wanted: set[str],
    market: Market,
    failed: dict[str, int],
    silent: dict[str, int],
) -> list[int]:
    """Rows of these cards; a name that could be one of them and something else is counted as silent."""
    kept, text = [], f"gpu={'|'.join(sorted(wanted))}"
    for row in rows:
        could_be = market.text("could_be", row).split()
        if market.text("gpu", row) in wanted or (could_be and wanted.issuperset(could_be)):
            kept.append(row)
        else:
            counts = failed if wanted.isdisjoint(could_be) else silent
            counts[text] = counts.get(text, 0) + 1
    return kept


def _passing(
    rows: Iterable[int],
    test: OfferTest,
    market: Market,
    failed: dict[str, int],
    silent: dict[str, int],
) -> list[int]:
    answer = cache(test.passes)
    kept = []
    for row in rows:
        passed = answer(value_of(test.field, row, market))
        if passed:
            kept.append(row)
        else:
            counts = silent if passed is None else failed
            counts[test.text] = counts.get(test.text, 0) + 1
    return kept


def value_of(field: str, row: int, market: Market) -> str:
    """What a row states under a field; a price per card and hour is worked out, where all of it is stated."""
    if field != PER_CARD_HOUR:
        return market.text(field, row)
    parts = (
        market.text(path, row)
        for path in ("price.amount", "price.covers", "price.per", "cards_per_lot")
    )
    return per_card_hour(*parts)


@cache
def per_card_hour(amount: str, covers: str, per: str, cards: str) -> str:
    """An amount and its currency, or nothing; exact, as a fraction where it has no end in decimals."""
    price, hours = _quantity("price.amount", amount), _quantity("price.per", per)
    lot = Fraction(1) if covers == "card" else _count(cards) if covers == "lot" else None
    if price is None or hours is None or not hours.value or not lot:
        return ""
    return f"{_decimal(Fraction(price.value) / Fraction(hours.value) / lot)} {price.unit}"


def _count(text: str) -> Fraction | None:
    return Fraction(text) if text.isascii() and text.isdigit() else None


def _decimal(value: Fraction) -> str:
    """Six decimals, to nearest: for reading and sorting, never for judging."""
    whole, rest = divmod(round(value * 10**6), 10**6)
    return f"{whole}.{rest:06}"


@cache
def _quantity(field: str, text: str) -> Quantity | None:
    parser = _NUMBERS.get(field)
    read = parser(text) if parser is not None and text else None
    return read if isinstance(read, Quantity) else None


def _order(field: str, row: int, market: Market) -> tuple[bool, str, Any]:
    """Unstated last; then by unit (currencies do not compare), then by size."""
    told = value_of(field, row, market)
    read = _quantity(field, told)
    if read is not None:
        return False, str(read.unit), read.value
    return not told, "", told if field not in _NUMBERS else 0


def _compared(left: Any, sign: str, right: Any) -> bool:  # noqa: ANN401 - of one kind
    if sign == "~":
        return bool(right in left)
    signs = {">=": left >= right, "<=": left <= right, "=": left == right, "!=": left != right}
    return bool(signs[sign])


def search_text(found: Found, limit: int) -> str:
    """The first rows as a table, then the counts: shown, passing, left out by each test."""
    market = found.market
    shown = [path for path in _SHOWN if path in market.columns]
    header = ("offer", *shown, PER_CARD_HOUR)
    rows = [
        (
            market.ids[row],
            *(_clipped(market.text(path, row)) for path in shown),
            value_of(PER_CARD_HOUR, row, market),
        )
        for row in found.rows[:limit]
    ]
    whole = (0, *(place for place, path in enumerate(header) if path in _WHOLE))
    text = table(rows, header=header, right=(len(header) - 1,), whole=whole) if rows else ""
    text += f"{len(rows)} shown of {len(found.rows)} that pass, of {len(market.ids)} offers\n"
    text += found.kept.text
    if found.unsorted:
        text += f"{found.unsorted} that pass do not state {found.sort}: they come last\n"
    return text


def _clipped(cell: str) -> str:
    """A cell that a table can hold; `--json` has all of it."""
    return cell if len(cell) <= _LONGEST else f"{cell[:_LONGEST]}…"


_LONGEST = 200


def search_json(found: Found, limit: int) -> dict[str, Any]:
    """The same: `left_out` adds up with those that pass to all offers."""
    market = found.market
    return {
        "format": "fiche-offers-search/1",
        "total": len(market.ids),
        "passing": len(found.rows),
        "left_out": found.kept.json,
        "sorted_by": found.sort,
        "not_stating_it": found.unsorted,
        "offers": [_record(row, market) for row in found.rows[:limit]],
    }


def _record(row: int, market: Market) -> dict[str, str]:
    told = {path: text for path in market.columns if (text := market.text(path, row))}
    worked_out = value_of(PER_CARD_HOUR, row, market)
    return {"id": market.ids[row], **told, **({PER_CARD_HOUR: worked_out} if worked_out else {})}
