"""Device memory in a listing: what it can be, and what it cannot (reference: catalog.md 1 and 3).

A figure is taken as the memory of one card only where a card of that name may show it. One that a factor of
1024 separates from every such card is refused: a wrong unit is named, never converted.
"""

from __future__ import annotations

from fractions import Fraction

from fiche.kernel.catalog import Card
from fiche.kernel.listing import Doubt, Memory
from fiche.kernel.quantity import BYTE_UNITS
from fiche.kernel.record import record
from fiche.market._cards import binary, nominal

# No card shows less than this part of its label in powers of two (the lowest seen is 0.916), nor more than it.
_LEAST, _MOST = Fraction(90, 100), Fraction(1001, 1000)
# A label is rounded by whoever writes it: 140 for 141, 95.6 for 96.
_NEAR = Fraction(2, 100)
_PART = Fraction(75, 100)
_SMALLEST = 2**30  # no card is sold with less


@record(eq=False)
class Read:
    """What a memory leaves of the cards that a name may stand for.

    `declared` is the text to hand on as the seller's own print, empty where there is none. `wrong` says why
    the row cannot be right. `part` is True for a slice of a card.
    """

    cards: tuple[Card, ...]
    declared: str = ""
    doubts: tuple[Doubt, ...] = ()
    wrong: str = ""
    part: bool = False


def read_memory(told: Memory, value: Fraction, count: int, cards: tuple[Card, ...]) -> Read:
    """Narrow the cards by a memory that is above zero; `count` cards are in the lot."""
    bytes_ = value * BYTE_UNITS[told.unit] / (count if told.of == "lot" else 1)
    if _off_by_1024(bytes_, cards):
        return Read(
            cards=cards,
            wrong=f"{told.text} {told.unit} is 1024 times less than any card of that name has",
        )
    fits = _fitting(told.kind, bytes_, cards)
    if fits:
        return _kept(told, bytes_, fits)
    if count > 1 and told.of == "card" and (fits := _fitting(told.kind, bytes_ / count, cards)):
        why = f"stands for all {count} cards of the machine, not for one"
        return Read(cards=fits, doubts=(_doubt("memory_of_machine", told, why),))
    return _strange(told, bytes_, cards)


def _off_by_1024(bytes_: Fraction, cards: tuple[Card, ...]) -> bool:
    if any(_within(bytes_ * 1024, card) for card in cards):
        return True
    return bytes_ < _SMALLEST


def _fitting(kind: str, bytes_: Fraction, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    fits = _labelled if kind == "label" else _within
    return tuple(card for card in cards if fits(bytes_, card))


def _within(bytes_: Fraction, card: Card) -> bool:
    return binary(card) * _LEAST <= bytes_ <= binary(card) * _MOST


def _labelled(bytes_: Fraction, card: Card) -> bool:
    """A label in GB or in GiB, as the writer pleases: it is one number, and no capacity."""
    return any(abs(bytes_ - each) <= each * _NEAR for each in (nominal(card), binary(card)) if each)


def _kept(told: Memory, bytes_: Fraction, cards: tuple[Card, ...]) -> Read:
    if told.kind == "label" or told.of == "lot":
        return Read(cards=cards)
    converted = any(
        abs(bytes_ - each(card)) < 2**20 for card in cards for each in (nominal, binary)
    )
    if converted:
        why = "is the label converted, no print of a machine"
        return Read(cards=cards, doubts=(_doubt("label_converted", told, why),))
    return Read(cards=cards, declared=f"{told.text} {told.unit}")


def _strange(told: Memory, bytes_: Fraction, cards: tuple[Card, ...]) -> Read:
    """No card of that name has so much: the name stays a name."""
    if not cards:
        return Read(cards=())
    least, most = min(map(nominal, cards)), max(map(binary, cards))
    if bytes_ < least * _PART:
        why = "is less than the smallest card of that name: a part of one"
        return Read(cards=(), doubts=(_doubt("slice", told, why),), part=True)
    above = "more" if bytes_ > most else "other"
    why = f"is {above} than any card of that name in the catalog shows"
    kept = f"{told.text} {told.unit}" if told.kind == "print" and told.of == "card" else ""
    return Read(cards=(), declared=kept, doubts=(_doubt("no_such_card", told, why),))


def _doubt(kind: str, told: Memory, why: str) -> Doubt:
    return Doubt(kind=kind, column=told.column, value=f"{told.text} {told.unit}", why=why)
