"""What a document states, typed by a person, tied to the very line of the file that says it (D3)."""

from __future__ import annotations

import re
from collections.abc import Mapping as Mapping_

from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.lazy import lazy
from fiche.kernel.number import Misread, Written, parse_number
from fiche.kernel.origin import Declared
from fiche.kernel.piece import Attested
from fiche.kernel.quantity import (
    BYTE_UNITS,
    parse_bandwidth,
    parse_bytes,
    parse_duration,
    parse_money,
    parse_power,
    parse_ratio,
    parse_score,
)
from fiche.kernel.rates import parse_latency, parse_months, parse_throughput
from fiche.kernel.rounding import printed_interval
from fiche.kernel.said import tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import BYTE
from fiche.kernel.yearly import parse_energy_price, parse_yearly
from fiche.load.node import Mapping, Scalar
from fiche.load.quoting import Document, pointer_of, silent
from fiche.load.values import Parser, Signature, above_zero, fact, figure

_PARSERS: Mapping_[tuple[str, str], Parser] = {
    ("capacity", "value"): parse_bytes,
    ("price", "amount"): parse_money,
    ("price", "per"): above_zero(parse_duration),
    ("tax", "rate"): parse_ratio,
    ("host_memory", "value"): parse_bytes,
    ("interconnect", "value"): parse_bandwidth,
    ("quality", "value"): parse_score,
    ("power", "value"): parse_power,
    ("energy_price", "value"): parse_energy_price,
    ("residual", "value"): parse_money,
    ("pue", "value"): parse_score,
    ("utilisation", "value"): parse_ratio,
    ("yearly_cost", "value"): parse_yearly,
    ("disk", "value"): parse_bytes,
    ("throughput", "value"): parse_throughput,
    ("latency", "value"): parse_latency,
    ("duration", "value"): parse_duration,
    ("warranty", "value"): parse_months,
    ("support", "response"): parse_duration,
    ("budget", "amount"): parse_money,
}
_OWN = ("fact", "quote", "line", "page", "by")


def attested(node: Mapping, document: Document, place: int, sign: Signature) -> Attested:
    """Build the attested fact number `place` of a piece."""
    pointer = pointer_of(node, document, sign)
    bare = pointer is None and silent(node, document)
    by = node.scalar("by") if "by" in node else document.by
    person = by.text if by else sign.author
    if pointer is None and "quote" not in node:
        person = sign.of(by, node, "this fact: it has no quote")
    if bare:
        person = sign.of(by, node, "this fact: the document holds no text to look its quote up in")
    if pointer is not None and not _holds(node, pointer.text):
        person, pointer = sign.of(by, node, "this fact: its quote does not hold the value"), None
    declared = Declared(
        address=pointer or node.scalar("fact").span,
        by=document.piece if pointer else person,
        printed=pointer.text if pointer else "",
    )
    terms, words = _split(node)
    return Attested(
        fact=node.text("fact"),
        terms={
            key: _term(
                node, scalar, key, f"{document.piece}/attested.{place}.{key}", declared, sign
            )
            for key, scalar in terms.items()
        },
        words={key: _word(scalar, pointer, person) for key, scalar in words.items()},
        span=node.scalar("fact").span,
        pointer=pointer,
        by=person,
    )


# The number of a fact: words that do not hold it print something else.
_MAIN = ("value", "amount", "response")


# Digits as any country groups them: `47.14`, `24,564`, `45 416`.
_NUMBERS = (
    lazy(r"[0-9]+(?:[.,'’][0-9]+)*"),
    lazy(r"[0-9]{1,3}(?:[ \u00a0\u202f.,'’][0-9]{3})+(?:[.,][0-9]+)?"),
)


def _holds(node: Mapping, quote: str) -> bool:
    """True where the quoted words hold the number of a fact, or the name that it hangs on."""
    told = [node.text(key) for key in _MAIN if (node.text("fact"), key) in _PARSERS and key in node]
    return (
        all(held_in(quote, text) for text in told) and _names(node, quote) and _times(node, quote)
    )


# Days and times that a price hangs on: words of another day or of another time print something else.
_DATED = (("validity", "from"), ("validity", "until"), ("delivery", "earliest"))
_YEAR = lazy(r"(?<![0-9])(?:19|20|21)[0-9]{2}(?![0-9])")
_HOURS = lazy(r"([0-9]{1,9}) ?(?:h|hours?|heures?)\b", re.IGNORECASE)


def _times(node: Mapping, quote: str) -> bool:
    """False where the quoted words print a date, or hours that a price is for, and not those of the fact.

    Words that print none say nothing against it; a month may be a word.
    """
    told = {int(number) for number in re.findall(r"[0-9]{1,9}", quote)}
    for kind, key in _DATED:
        if node.text("fact") == kind and key in node and _YEAR.search(quote):
            year, _, day = node.text(key).split("-")
            if not {int(year), int(day)} <= told:
                return False
    hours, per = _HOURS.findall(quote), parse_duration(node.text("per"))
    if node.text("fact") != "price" or isinstance(per, Misread) or not hours:
        return True
    return any(int(each) == per.value for each in hours)


# Words that decide by themselves: a quote that does not hold them prints something else.
_NAMED = (
    ("software", "version"),
    ("compute_capability", "value"),
    ("interconnect", "link"),
    ("service", "service"),
)


def _names(node: Mapping, quote: str) -> bool:
    """True where the quoted words hold the version, the capability or the name, whole."""
    said = " ".join(quote.casefold().split())
    told = [node.text(key) for fact, key in _NAMED if node.text("fact") == fact and key in node]
    words = (re.escape(" ".join(text.casefold().split())) for text in told)
    return all(re.search(rf"(?<![0-9.]){word}(?!\.?[0-9])", said) for word in words)


def held_in(quote: str, value: str) -> bool:
    """True where one of the numbers in quoted words has the digits of a value."""
    printed = {_digits(seen) for pattern in _NUMBERS for seen in pattern.findall(quote)}
    return _digits(value.partition(" ")[0]) in printed


def _digits(number: str) -> str:
    """The digits that any way of writing a number has: `645` of `0.6450`, of `64.5 %`, of `64,5`."""
    return re.sub(r"[^0-9]", "", number).strip("0") or "0"


def _split(node: Mapping) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    told = {key: node.scalar(key) for key in node.entries if key not in _OWN}
    kind = node.text("fact")
    terms = {key: scalar for key, scalar in told.items() if (kind, key) in _PARSERS}
    return terms, {key: scalar for key, scalar in told.items() if key not in terms}


def _word(scalar: Scalar, pointer: Pointer | None, by: str) -> Fact:
    return fact(scalar, by) if pointer is None else Fact(value=scalar.text, address=pointer)


def _term(
    node: Mapping, scalar: Scalar, key: str, id: str, origin: Declared, sign: Signature
) -> Figure:
    kind = node.text("fact")
    label = tell("{name}, {what}", name=kind, what=spoken(key))
    if kind == "capacity":
        return printed_capacity(scalar.text, node.text("rounding"), id, label, origin)
    return figure(scalar, _PARSERS[kind, key], id, label, sign.faults, origin)


def printed_capacity(text: str, rounding: str, id: str, label: str, origin: Declared) -> Figure:
    """The interval of bytes that a printed capacity allows, by how its program rounds (law 2)."""
    written = parse_number(text)
    assert isinstance(written, Written), "the schema has read this quantity before"
    steps = len(written.digits.partition(".")[2])
    how = rounding if rounding == "exact" else f"{rounding}-{steps}-digits"
    interval = printed_interval(text, BYTE_UNITS[written.unit], how)
    assert interval.low is not None
    return Figure(
        low=interval.low, high=interval.high, unit=BYTE, origin=origin, id=id, label=label
    )
