"""Cards by id and by what their rows state: absent is unknown, and never matches a test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from fiche.cli.usage import unknown
from fiche.kernel.address import Span
from fiche.kernel.catalog import Card
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.figure import Number
from fiche.kernel.number import Misread
from fiche.kernel.quantity import Quantity, parse_bandwidth, parse_bytes, parse_count, parse_power
from fiche.kernel.record import record
from fiche.load import builtin
from fiche.load.catalog import Catalogs, builtin_catalog, enter
from fiche.load.fault import Faults
from fiche.load.folder import YAML_LIMIT, UnreadableError, read_file
from fiche.load.node import Scalar
from fiche.load.schema import check
from fiche.load.tree import parse

_TEST = re.compile(r"\s*([a-z][a-z0-9_.]*)\s*(>=|<=|!=|=)\s*(.+?)\s*")
_NUMBERS: Mapping[str, Callable[[str], Quantity | Misread]] = {
    "nominal": parse_bytes,
    "nominal_binary": parse_bytes,
    "bandwidth": parse_bandwidth,
    "nvlink": parse_bandwidth,
    "power": parse_power,
    "year": lambda text: parse_count(text, "year"),
    "devices": lambda text: parse_count(text, "devices"),
}


@record
class FieldTest:
    """`field sign value`: numbers compare by size, words by equality."""

    text: str
    field: str
    sign: str
    word: str
    number: Number | None

    def answer(self, card: Card) -> bool | None:
        """Whether a card passes; None where its row does not state the field."""
        if self.number is not None:
            figure = card.figures.get(self.field)
            return None if figure is None else _compared(figure.low, self.sign, self.number)
        told = _words(card).get(self.field)
        if told is None:
            return None
        return (told.casefold() == self.word.casefold()) == (self.sign == "=")


@record
class Chosen:
    """Cards that pass every test, and by test how many were left out for not stating its field."""

    cards: tuple[Card, ...]
    silent: Mapping[str, int]


def known_cards(files: Iterable[Path]) -> tuple[Card, ...]:
    """The built-in cards, then those of the files.

    Raises:
        Refused: something is wrong with a file.
    """
    return (*builtin_catalog().cards.values(), *_own(files).own_cards.values())


def card_named(name: str, cards: Sequence[Card]) -> Card:
    """The card of this id.

    Raises:
        Refused: F701 there is none.
    """
    found = {card.id: card for card in cards}
    if name not in found:
        raise Refused([unknown("card", name, found)])
    return found[name]


def tests(texts: Iterable[str]) -> tuple[FieldTest, ...]:
    """Read tests such as `fp8=yes` and `power<=300 W`.

    Raises:
        Refused: F703 one is none, or a quantity in it has no single reading.
    """
    read = [_test(text) for text in texts]
    wrong = [each for each in read if isinstance(each, Diagnostic)]
    if wrong:
        raise Refused(wrong)
    return tuple(each for each in read if isinstance(each, FieldTest))


def _test(text: str) -> FieldTest | Diagnostic:
    match = _TEST.fullmatch(text)
    if match is None:
        return _no_test(text, "write a field, one of = != >= <=, and a value: fp8=yes")
    field, sign, value = match.groups()
    parser = _NUMBERS.get(field)
    if parser is None:
        if sign in (">=", "<="):
            return _no_test(text, f"only numbers have an order: {', '.join(_NUMBERS)}")
        return FieldTest(text=text, field=field, sign=sign, word=value, number=None)
    read = parser(value)
    if isinstance(read, Misread):
        message = f"{text}: {read.message}"
        return Diagnostic(code=read.code, message=message, address=None, hint=read.hint)
    return FieldTest(text=text, field=field, sign=sign, word=value, number=read.value)


def _no_test(text: str, hint: str) -> Diagnostic:
    return Diagnostic(code="F703", message=f"'{text}' is no test", address=None, hint=hint)


def chosen(cards: Iterable[Card], asked: Sequence[FieldTest]) -> Chosen:
    """The cards that pass every test.

    Raises:
        Refused: F701 a test names a field that no card states, or a word that none has there.
    """
    every = tuple(cards)
    lost = [each for test in asked if (each := _unheard(test, every)) is not None]
    if lost:
        raise Refused(lost)
    answers = [(card, [test.answer(card) for test in asked]) for card in every]
    silent = {
        test.text: sum(1 for _, said in answers if said[place] is None and False not in said)
        for place, test in enumerate(asked)
    }
    return Chosen(
        cards=tuple(card for card, said in answers if all(said)),
        silent={text: count for text, count in silent.items() if count},
    )


def _unheard(test: FieldTest, cards: Sequence[Card]) -> Diagnostic | None:
    """A misspelt field or word would match nothing in silence."""
    fields = {field for card in cards for field in (*card.figures, *_words(card))}
    if test.field not in fields:
        return unknown("field", test.field, sorted(fields))
    words = {_words(card)[test.field] for card in cards if test.field in _words(card)}
    if test.number is None and test.word.casefold() not in {word.casefold() for word in words}:
        return unknown(test.field, test.word, sorted(words))
    return None


def _words(card: Card) -> dict[str, str]:
    own = {
        "id": card.id,
        "vendor": card.vendor,
        "name": card.name,
        "enumerated_as": card.enumerated_as,
    }
    return {**{path: fact.value for path, fact in card.facts.items()}, **own}


def _compared(left: Number, sign: str, right: Number) -> bool:
    return {
        ">=": left >= right,
        "<=": left <= right,
        "=": left == right,
        "!=": left != right,
    }[sign]


def validated(files: Sequence[Path]) -> tuple[int, int]:
    """How many cards and offers the files hold, or the built-in ones where none is named.

    Raises:
        Refused: something is wrong in one of them.
    """
    if files:
        found = _own(files)
        return len(found.own_cards), len(found.offers)
    faults = Faults()
    for source in builtin.sources():
        check(parse(source), "catalog", faults)
    faults.stop()
    return len(builtin_catalog().cards), 0


def _own(files: Iterable[Path]) -> Catalogs:
    """Catalog files named on the command line, by the paths that were typed."""
    faults = Faults()
    found = Catalogs(faults)
    for path in files:
        name = Scalar(Span(file=str(path), line=1, column=1, text=str(path)), plain=True)
        try:
            enter(name, read_file(path, name.text, YAML_LIMIT), found)
        except UnreadableError as problem:
            faults.found.append(problem.told)
        except Refused as refused:
            faults.found.extend(refused.diagnostics)
    faults.stop()
    return found
