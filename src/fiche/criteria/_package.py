"""What the whole package of an offer costs: whole lots, whole cards, minimum order and time (D9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fiche.criteria import _claims, _conditions
from fiche.kernel.catalog import Offer
from fiche.kernel.comparison import Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node, Unknown, ceil, larger
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.requirement import Candidate
from fiche.kernel.unit import HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """`cost` is what a report prints; `at_least` may exclude; `open` says what keeps it from admitting."""

    cost: Figure
    at_least: Figure | None
    open: tuple[Condition, ...]
    conflicts: tuple[str, ...]
    pieces: tuple[str, ...]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quoted:
    """Terms of one offer, each from its document where one attests it, else from the offer's row."""

    price: Figure
    covers: str
    hours: Figure | None
    basis: str
    rate: Figure | None
    quote: tuple[str, ...]
    valid: str
    conflicts: tuple[str, ...]
    by: tuple[str, ...]


def package(candidate: Candidate, basis: str, ground: Inquiry) -> Package | None:
    """The package's cost on a tax basis (`included`, `excluded`, or empty where none is asked)."""
    offer = candidate.offer
    if offer is None or "price" not in offer.figures:
        return None
    terms = _terms(offer, candidate, ground)
    net = terms.price * _lots(offer, candidate, terms)
    cost = _on_basis(net, basis, terms).named(
        f"{candidate.id}.cost", "cost of the package", left_out=_left_out(offer)
    )
    return Package(
        cost=cost,
        at_least=cost if not basis or terms.basis else None,
        open=tuple(_open(candidate, offer, basis, terms, ground)),
        conflicts=terms.conflicts,
        pieces=terms.quote,
        by=terms.by,
    )


def _terms(offer: Offer, candidate: Candidate, ground: Inquiry) -> _Quoted:
    prices = [
        x for x in _claims.attested("price", candidate, ground) if _claims.vouched(x[1], ground)
    ]
    taxes = [x for x in _claims.attested("tax", candidate, ground) if _claims.vouched(x[1], ground)]
    row = offer.figures["price"]
    price = next((item.terms["amount"] for _, item in prices), row)
    return _Quoted(
        price=price,
        covers=_word(prices, "covers") or _value(offer.facts.get("covers")),
        hours=next(
            (i.terms["per"] for _, i in prices if "per" in i.terms), offer.figures.get("hours")
        ),
        basis=_word(taxes, "basis") or _value(offer.facts.get("tax")),
        rate=next(
            (i.terms["rate"] for _, i in taxes if "rate" in i.terms), offer.figures.get("tax_rate")
        ),
        quote=tuple(dict.fromkeys(p.id for p, _ in (*prices, *taxes))),
        valid=_validity(offer, candidate, ground),
        conflicts=tuple(_differing(row, prices)),
        by=tuple(dict.fromkeys(n for _, i in (*prices, *taxes) for n in _claims.people(i))),
    )


def _differing(row: Figure, prices: list[tuple[Piece, Attested]]) -> Iterator[str]:
    for piece, item in prices:
        told = item.terms["amount"]
        if told.unit != row.unit or told.low != row.low:
            yield f"{piece.id} attests {told.low} {told.unit}, the offer's row says {row.low} {row.unit}"


def _word(claims: list[tuple[Piece, Attested]], name: str) -> str:
    return next((i.words[name].value for _, i in claims if name in i.words), "")


def _value(fact: Fact | None) -> str:
    return fact.value if fact else ""


def _validity(offer: Offer, candidate: Candidate, ground: Inquiry) -> str:
    """`yes`, `expired`, `early` or `untold` at the decision's date; ISO dates order as text."""
    spans = [
        (_value(i.words.get("from")), _value(i.words.get("until")))
        for _, i in _claims.attested("validity", candidate, ground)
        if _claims.vouched(i, ground)
    ]
    spans = spans or [
        (_value(offer.facts.get("valid_from")), _value(offer.facts.get("valid_until")))
    ]
    start, end = spans[0]
    if not end:
        return "untold"
    if end < ground.date:
        return "expired"
    return "early" if start > ground.date else "yes"


def _lots(offer: Offer, candidate: Candidate, terms: _Quoted) -> Figure:
    """Whole lots.

    Enough cards, each for enough whole periods, at least the minimum order (C: 73 h on a 72-hour
    lot are two).
    """
    per_lot = offer.figures.get("cards_per_lot")
    cards: Figure = candidate.cards if per_lot is None else ceil(candidate.cards / per_lot)
    if terms.covers == "card" and per_lot is not None:
        cards = cards * per_lot
    if "min_order" in offer.figures:
        cards = larger(cards, offer.figures["min_order"])
    if offer.kind == "buy" or terms.hours is None:
        return cards
    return cards * ceil(_hours(offer, candidate) / terms.hours)


def _hours(offer: Offer, candidate: Candidate) -> Node:
    """The need in hours, or the minimum time where that is longer; untold, one period at least."""
    needed: Node | None = candidate.workload.figures.get("duration")
    if needed is None:
        needed = Unknown(condition=_duration(), unit=HOUR, id="duration", label="hours needed")
        least = offer.figures.get("hours")
        return larger(needed, least) if least is not None else needed
    return larger(needed, offer.figures["min_time"]) if "min_time" in offer.figures else needed


def _duration() -> Condition:
    return Condition(
        topic="duration",
        text="state how many hours the work takes, with the reason",
        supplier="author of the fiche",
        piece_kind="fiche",
    )


def _on_basis(net: Figure, basis: str, terms: _Quoted) -> Figure:
    if not basis or not terms.basis or basis == terms.basis or terms.rate is None:
        return net
    return net * (1 + terms.rate) if basis == "included" else net / (1 + terms.rate)


def _open(
    candidate: Candidate, offer: Offer, basis: str, terms: _Quoted, ground: Inquiry
) -> Iterator[Condition]:
    if "duration" not in candidate.workload.figures and offer.kind == "rent":
        yield _duration()
    if not _priced(candidate, ground):
        yield _conditions.document("cost", f"get a quote that states the price of offer {offer.id}")
    if not basis:
        yield _conditions.document(
            "cost",
            "state whether the budget is before or after tax",
            supplier="author of the fiche",
        )
    elif not terms.basis:
        yield _conditions.document("cost", f"have the seller state whether {offer.id} includes tax")
    elif basis != terms.basis and terms.rate is None:
        yield _conditions.document("cost", f"have the seller state the tax rate of {offer.id}")
    if terms.valid != "yes":
        yield _conditions.document("cost", _validity_text(offer, terms.valid, ground.date))


def _priced(candidate: Candidate, ground: Inquiry) -> bool:
    claims = _claims.attested("price", candidate, ground)
    return any(_claims.vouched(item, ground) for _, item in claims)


def _validity_text(offer: Offer, valid: str, date: str) -> str:
    if valid == "untold":
        return f"have the seller state until when {offer.id} holds (decision of {date})"
    return f"renew {offer.id}: it does not hold on {date} ({valid})"


def _left_out(offer: Offer) -> tuple[str, ...]:
    terms = ("setup", "storage", "egress")
    return tuple(name for name in terms if name not in offer.figures)
