"""The terms of one offer: from its documents where they attest them, else from the offer's row.

Two sources that differ contradict each other: none is preferred, both are shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from fiche.criteria import _claims
from fiche.criteria._words import figure_text
from fiche.kernel.catalog import Offer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell

_EXTENSIONS = ("lots", "hours")


@record
class Terms:
    """Empty words and None are untold; `valid` is `yes`, `expired`, `early` or `untold` at the date.

    `quoted` is True when a document attests the price: a row alone never admits. `unit` is what the seller
    calls the time of `hours`, `month` the hours of the seller's month, `until` the last day of the price.
    """

    price: Figure
    covers: str
    hours: Figure | None
    basis: str
    rate: Figure | None
    extension: str
    valid: str
    until: str
    unit: str
    month: Figure | None
    quoted: bool
    conflicts: tuple[str, ...]
    pieces: tuple[str, ...]
    by: tuple[str, ...]

    @property
    def extension_told(self) -> bool:
        """The seller says, in one of the two ways that a cost can follow, how a rental goes on."""
        return self.extension in _EXTENSIONS


def terms_of(offer: Offer, candidate: Candidate, ground: Inquiry) -> Terms:
    """Gather the terms; `quote` of the row only names a document, it attests nothing."""
    desk = _Desk(offer, candidate, ground)
    price = desk.figure("price", "amount", "price")
    assert price is not None
    prices = desk.claims("price")
    hours, unit = desk.figure("price", "per", "hours"), desk.word("price", "unit", "price.unit")
    return Terms(
        price=price,
        covers=desk.word("price", "covers", "covers"),
        hours=hours,
        basis=desk.word("tax", "basis", "tax"),
        rate=desk.figure("tax", "rate", "tax_rate"),
        extension=desk.word("extension", "terms", "extension"),
        valid=_validity(desk),
        until=_until(desk),
        unit=unit,
        month=_month(offer, hours, unit),
        quoted=bool(prices),
        conflicts=tuple(dict.fromkeys(desk.conflicts)),
        pieces=tuple(dict.fromkeys(piece.id for piece, _ in desk.used)),
        by=tuple(dict.fromkeys(n for _, item in desk.used for n in _claims.people(item))),
    )


class _Desk:
    """Reads each term from every source; remembers the documents used and what contradicts."""

    def __init__(self, offer: Offer, candidate: Candidate, ground: Inquiry) -> None:
        self.offer, self.candidate, self.ground = offer, candidate, ground
        self.used: list[tuple[Piece, Attested]] = []
        self.conflicts: list[str] = []

    def claims(self, fact: str) -> list[tuple[Piece, Attested]]:
        """Vouched attested facts of one kind about this candidate."""
        found = [
            (piece, item)
            for piece, item in _claims.attested(fact, self.candidate, self.ground)
            if _claims.vouched(item, self.ground)
        ]
        self.used.extend(claim for claim in found if claim not in self.used)
        return found

    def word(self, fact: str, name: str, row: str) -> str:
        """A term in words."""
        told = [
            (p.id, item.words[name].value) for p, item in self.claims(fact) if name in item.words
        ]
        own = self.offer.facts.get(row)
        told += [] if own is None else [(self._row, own.value)]
        self._differing(told)
        return told[0][1] if told else ""

    def figure(self, fact: str, name: str, row: str) -> Figure | None:
        """A term in numbers."""
        found = [(p.id, item.terms[name]) for p, item in self.claims(fact) if name in item.terms]
        own = self.offer.figures.get(row)
        found += [] if own is None else [(self._row, own)]
        self._differing([(who, figure_text(told)) for who, told in found])
        return found[0][1] if found else None

    @property
    def _row(self) -> str:
        return tell("the row of {offer}", offer=self.offer.id)

    def _differing(self, told: Sequence[tuple[str, str]]) -> None:
        for who, value in told[1:]:
            if value != told[0][1]:
                self.conflicts.append(
                    tell(
                        "{told} says {told2}, {who} says {value}",
                        told=told[0][0],
                        told2=told[0][1],
                        who=who,
                        value=value,
                    )
                )


def _month(offer: Offer, hours: Figure | None, unit: str) -> Figure | None:
    """Hours of the seller's month: 672, 730 and 744 are all sold as one, so none is supposed."""
    if "month" in offer.figures:
        return offer.figures["month"]
    return hours if unit.lower() == "month" else None


def _until(desk: _Desk) -> str:
    """The last day of the price: the latest that a document states, else the row's."""
    told = [
        item.words["until"].value for _, item in desk.claims("validity") if "until" in item.words
    ]
    own = desk.offer.facts.get("valid_until")
    return max(told) if told else "" if own is None else own.value


def _validity(desk: _Desk) -> str:
    """At the decision's date: `yes` if any document says so; a row alone where none speaks."""
    date = desk.ground.date
    stands = [
        _at(item.words.get("from"), item.words.get("until"), date)
        for _, item in desk.claims("validity")
    ]
    own = _at(desk.offer.facts.get("valid_from"), desk.offer.facts.get("valid_until"), date)
    if not stands:
        return own
    best = min(stands, key=_VALIDITY.index)
    if own == "yes" and best in ("expired", "early"):
        desk.conflicts.append(
            tell(
                "the row of {offer} holds on {date}, its documents do not ({best})",
                offer=desk.offer.id,
                date=date,
                best=best,
            )
        )
    return best


_VALIDITY = ("yes", "early", "expired", "untold")


def _at(start: Fact | None, end: Fact | None, date: str) -> str:
    """How a span of days stands to a date; ISO dates order as text, and the last day counts."""
    if end is None:
        return "untold"
    if end.value < date:
        return "expired"
    return "early" if start is not None and start.value > date else "yes"
