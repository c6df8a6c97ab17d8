"""What may stand in a cell of a table of offers, by the schema of offers and by its loader (F7, law 3).

A market is read as columns, and most of its rows are never trees. So each distinct text is held against the
schema by itself, in an offer that is otherwise right; what an entry needs beside it is a table of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.number import Misread
from fiche.kernel.quantity import Quantity, parse_duration, parse_money, parse_ratio
from fiche.load.offer_rows import checked_offer

_CHARGES = ("setup", "storage", "egress")
_CHARGE = {"amount": "1 EUR", "per": "GB month", "quantity": "1 GB"}
_STANDING = {
    "id": "row",
    "seller": "the seller",
    "kind": "rent",
    "gpu": "card",
    "price.amount": "1 EUR",
}
_BESIDE: Mapping[str, Mapping[str, str]] = {
    "tax.rate": {"tax.basis": "excluded"},
    "declared_memory.value": {"declared_memory.counter": "provider_declared"},
    "declared_memory.counter": {"declared_memory.value": "1 GiB"},
    **{
        f"{charge}.{key}": {f"{charge}.{name}": text for name, text in _CHARGE.items()}
        for charge in _CHARGES
        for key in ("amount", "per", "quantity", "begun", "source")
    },
}
# Where the schema wants a text of any kind and the loader a quantity: reading it says all, and takes no tree.
_QUANTITIES: Mapping[str, Callable[[str], Quantity | Misread]] = {
    "price.amount": parse_money,
    "min_time": parse_duration,
    "commitment.time": parse_duration,
    "tax.rate": parse_ratio,
}
_ID = re.compile("[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)
# A path, and what the schema wants beside it.
NEEDS: tuple[tuple[str, str], ...] = (
    ("tax.rate", "tax.basis"),
    ("declared_memory.value", "declared_memory.counter"),
    ("declared_memory.counter", "declared_memory.value"),
    *((f"{charge}.{key}", f"{charge}.amount") for charge in _CHARGES for key in ("per", "source")),
    *((f"{charge}.amount", f"{charge}.per") for charge in _CHARGES),
    *((f"{charge}.quantity", f"{charge}.amount") for charge in _CHARGES),
    *((f"{charge}.begun", f"{charge}.quantity") for charge in _CHARGES),
)
_DEEPEST = 4


@cache
def complaint(path: str, text: str) -> Diagnostic | None:
    """What is wrong with a text under a path; None where it may stand there."""
    parser = _QUANTITIES.get(path)
    if parser is not None and not isinstance(parser(text), Misread):
        return None
    if path == "id" and _ID.fullmatch(text):
        return None
    if path.count(".") > _DEEPEST:
        return _unknown(path)
    beside = dict(_BESIDE.get(path, {}))
    if path.endswith(".per") and path != "price.per" and text not in ("GB", "GB month"):
        beside = {name: said for name, said in beside.items() if not name.endswith(".quantity")}
    try:
        checked_offer("", 1, {**_STANDING, **beside, path: text})
    except Refused as refused:
        return refused.diagnostics[0]
    return None


@cache
def takes_anything(path: str) -> bool:
    """True where any words may stand: they are not looked at one by one."""
    return complaint(path, "any words, of no kind that is read") is None


def wrong_in(offer: Mapping[str, str]) -> tuple[str, Diagnostic] | None:
    """The path of the first thing that is wrong with an offer, and what it is."""
    for path, text in offer.items():
        told = None if takes_anything(path) else complaint(path, text)
        if told is not None:
            return path, told
    return next(lacking(offer), None)


def lacking(paths: Mapping[str, str]) -> Iterator[tuple[str, Diagnostic]]:
    """What is missing beside what an offer states, by the path that wants it."""
    for path, needed in NEEDS:
        if path in paths and needed not in paths:
            yield path, missing(path, needed)


def missing(path: str, needed: str) -> Diagnostic:
    """The fault of an entry that says one thing without the other."""
    message = f"'{path}' stands without '{needed}'"
    hint = f"state '{needed}' too, or leave both out"
    return Diagnostic(code="F302", message=message, address=None, hint=hint)


def _unknown(path: str) -> Diagnostic:
    message = f"unknown key '{path.partition('.')[0]}'"
    place = Span(file="", line=1, column=1)
    return Diagnostic(code="F301", message=message, address=place, hint="see `fiche schema offers`")
