"""Quotes: enough of them, of different sellers, for the need, each valid at the decision's date (catalog 7).

How many is the fiche's number, or the policy's: an internal rule of establishments, never one of this tool.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _claims, _conditions
from fiche.criteria._package import package
from fiche.criteria._words import number_text
from fiche.kernel.comparison import Claim, Comparison, Inquiry
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure, total
from fiche.kernel.origin import Declared
from fiche.kernel.piece import Attested, Piece
from fiche.kernel.procedure import QuotesRule
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import count_of

_QUOTES = count_of("quotes")


@record
class _Quote:
    """One priced quote: its seller where that is known, and what keeps it from counting."""

    piece: Piece
    item: Attested
    seller: str
    doubt: str = ""


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison: sellers whose valid quotes are on record; more may always come, so none excludes."""
    needed = _claims.first(requirement.figures.get("at_least"), _by_policy(candidate, ground))
    if needed is None:
        return (Comparison(required=False, conditions=(_untold(ground),)),)
    read = list(_quotes(ground))
    by_seller: dict[str, _Quote] = {}
    for one in read:
        if not one.doubt:
            by_seller.setdefault(one.seller.casefold(), one)
    counted = [by_seller[seller] for seller in sorted(by_seller)]
    have = total((_one(quote) for quote in counted), _QUOTES)
    enough = len(counted) >= needed.low
    return (
        Comparison(
            need_low=needed,
            need_high=needed,
            have_low=have,
            need_shown=needed,
            have_shown=have.named(f"quotes.{requirement.id}", tell("sellers with a valid quote")),
            useful_margin=have - needed if enough else None,
            claims=tuple(
                Claim(piece=one.piece.id, answer="", by=_claims.people(one.item)) for one in counted
            ),
            conditions=() if enough else (_lacking(needed, counted, read),),
            pieces=tuple(one.piece.id for one in counted),
            attested_by=tuple(
                dict.fromkeys(name for one in counted for name in _claims.people(one.item))
            ),
        ),
    )


def sellers(ground: Inquiry) -> tuple[str, ...]:
    """Those of whom a priced quote is on record that holds on the day, each once."""
    held: dict[str, str] = {}
    for one in _quotes(ground):
        if not one.doubt:
            held.setdefault(one.seller.casefold(), one.seller)
    return tuple(held[name] for name in sorted(held))


def _quotes(ground: Inquiry) -> Iterator[_Quote]:
    """Pieces that attest a price, in the order of their ids: which one of a seller counts is settled."""
    for piece in ground.pieces:
        priced = [i for i in piece.attested if i.fact == "price" and _claims.vouched(i, ground)]
        if priced and piece.kind == "quote":
            seller = _seller(piece, ground)
            doubt = _doubt(piece, seller, ground)
            yield _Quote(piece=piece, item=priced[0], seller=seller, doubt=doubt)


def _seller(piece: Piece, ground: Inquiry) -> str:
    """Who signs it: as the document attests, else the seller of the offer that it is the document of."""
    for item in piece.attested:
        if item.fact == "seller" and _claims.vouched(item, ground):
            return item.words["name"].value
    named = piece.typed.get("offer")
    offers = [one.offer for one in ground.candidates if one.offer is not None]
    sellers = {
        offer.seller
        for offer in offers
        if (named is not None and named.value == offer.id)
        or ("quote" in offer.facts and offer.facts["quote"].value == piece.id)
    }
    return sellers.pop() if len(sellers) == 1 else ""


def _doubt(piece: Piece, seller: str, ground: Inquiry) -> str:
    if not seller:
        return tell("it does not say whose it is: attest the seller")
    why = _claims.holds_on(piece, ground.date, ground)
    return tell("it {why}", why=why) if why else ""


def _one(quote: _Quote) -> Figure:
    address = quote.item.pointer or quote.item.span
    origin = Declared(address=address, by=quote.piece.id, printed=quote.seller)
    name = f"{quote.piece.id}/quote"
    return Figure(low=1, high=1, unit=_QUOTES, origin=origin, id=name, label=quote.seller)


def _by_policy(candidate: Candidate, ground: Inquiry) -> Figure | None:
    """The most quotes that a rule of the policy asks for at a candidate's cost, or at any where it is open."""
    asked = [
        rule.quotes for rule in ground.policy.thresholds.quotes if _applies(rule, candidate, ground)
    ]
    return max(asked, key=lambda number: number.low, default=None)


def _applies(rule: QuotesRule, candidate: Candidate, ground: Inquiry) -> bool:
    bought = package(candidate, rule.tax, ground)
    if bought is None or bought.cost.unit != rule.at_least.unit or bought.cost.high is None:
        return True
    return bought.cost.high >= rule.at_least.low


def _lacking(needed: Figure, counted: list[_Quote], read: list[_Quote]) -> Condition:
    have = listed(one.seller for one in counted) or "none"
    apart = [
        tell("{piece}: {doubt}", piece=one.piece.id, doubt=one.doubt) for one in read if one.doubt
    ]
    tail = tell(" ({apart})", apart=listed(apart[:3], "; ")) if apart else ""
    missing = number_text(needed.low - len(counted))
    return _conditions.document(
        "quotes",
        tell(
            "get {missing} more written quote(s) for the same need, of sellers other than those on record: "
            "{have}{tail}",
            missing=missing,
            have=have,
            tail=tail,
        ),
        threshold=tell(">= {needed} sellers", needed=number_text(needed.low)),
        supplier=tell("purchasing office"),
    )


def _untold(ground: Inquiry) -> Condition:
    """Nobody says a number, or the policy says one for dearer packages only: these are two questions."""
    where = tell("at_least here, or quotes_needed in the policy")
    if ground.policy.thresholds.quotes:
        where = tell("at_least here; the policy asks for none at the cost of this package alone")
    return _conditions.document(
        "quotes",
        tell("say how many quotes are needed: {where}", where=where),
        supplier=tell("author of the fiche"),
    )


MEMBER = Criterion(
    name="quotes",
    title="Quotes",
    compare=compare,
    expects=tell("quotes of different sellers"),
    settles=tell(
        "as many sellers as asked here or by the policy, each with a priced quote that holds on the "
        "decision's date, admit; fewer leave it to confirm, and nothing excludes"
    ),
)
