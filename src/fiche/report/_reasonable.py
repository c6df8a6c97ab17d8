"""Why the price of the chosen offer is taken to be a reasonable one, and what each offer costs (catalog 7)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.bill import Bill
from fiche.kernel.choice import Choice
from fiche.kernel.decision import Outcome
from fiche.report._costed import share
from fiche.report.desk import Desk, joined
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Reference,
    Words,
)


def reasonable(desk: Desk, choice: Choice, chosen: Outcome) -> Iterator[Block]:
    """Why the price is taken to be reasonable; where nobody says, that is said."""
    if chosen.candidate.offer is None:
        return
    told = _ground(desk, choice)
    yield Paragraph((Words(desk.word("price_title"), strong=True), *told))


def _ground(desk: Desk, choice: Choice) -> Parts:
    price = choice.price
    if price is None:
        return (Missing(desk.word("price_none")),)
    because: Parts = ()
    if price.because:
        because = desk.say("price_because", because=Quoted(price.because))
    if price.ground == "statement":
        return (*desk.say("price_statement", piece=Reference(price.piece)), *because)
    if price.ground == "comparison":
        offers = joined([_compared(desk, name) for name in price.offers], "; ")
        return (*desk.say("price_comparison", n=len(price.offers), offers=offers), *because)
    if price.listed is None:
        return (*desk.say("price_list_none", piece=Reference(price.piece)), *because)
    listed = desk.amount(price.listed)
    piece, less = Reference(price.piece), _discount(desk)
    told = desk.say("price_list", listed=listed, piece=piece, discount=less)
    return (*told, *because)


def _discount(desk: Desk) -> Parts:
    """How far the offer's price is below the list price, and which share of it that is."""
    found = desk.decision.choosing
    if found is None or found.discount is None:
        return (Missing(desk.word("price_no_discount")),)
    amount = desk.amount(found.discount)
    if found.share is None:
        key = "price_above" if found.discount.low < 0 else "price_discount"
        return desk.say(key, amount=amount)
    return desk.say(
        "price_share", amount=amount, share=desk.amount(found.share, share(desk, found.share))
    )


def _over(desk: Desk, bill: Bill | None) -> Parts:
    """A price that no longer holds compares with nothing that can be had."""
    if bill is None or not bill.valid_until or bill.valid_until >= desk.decision.fiche.date:
        return ()
    return desk.say("price_over", until=Code(bill.valid_until))


def _compared(desk: Desk, name: str) -> Parts:
    """An offer with what its package costs, where a candidate takes it."""
    for outcome in desk.decision.outcomes:
        offer = outcome.candidate.offer
        if offer is not None and offer.id == name:
            seller, cost = Quoted(offer.seller), _on_basis(desk, outcome)
            told = desk.say("price_offer", offer=Code(name), seller=seller, cost=cost)
            return (*told, *_over(desk, outcome.bill))
    return desk.say("price_offer_bare", offer=Code(name))


def cost(desk: Desk, outcome: Outcome) -> Part:
    """What is compared of an outcome, or that nobody tells it."""
    return Missing(desk.word("no_cost")) if outcome.cost is None else desk.amount(outcome.cost)


def _on_basis(desk: Desk, outcome: Outcome) -> Parts:
    """With the tax basis that it is compared on."""
    told: Parts = (cost(desk, outcome),)
    basis = outcome.bill.basis if outcome.bill is not None and outcome.cost is not None else ""
    return desk.say(f"basis_{basis}", amount=told) if basis else told
