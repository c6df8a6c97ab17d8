"""What each package costs, line by line, with tax: what a purchasing officer needs to order it (D2, D9)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel import trace
from fiche.kernel.bill import Bill, Line, Term
from fiche.kernel.catalog import Offer
from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Figure, Node
from fiche.kernel.origin import Assumed
from fiche.report import numbers
from fiche.report.desk import Desk, cell, columns, group, joined, row
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """One table, a group of rows per candidate; None where no candidate has a price."""
    billed = [o for o in desk.decision.outcomes if o.bill is not None]
    if not billed:
        return None
    table = Table(
        id="bill",
        caption=desk.word("bill_caption"),
        columns=columns(desk, "bill_item", "bill_detail", "bill_amount:number"),
        rows=tuple(one for outcome in billed for one in _rows(desk, outcome)),
        notes=((Words(desk.word("bill_note")),),),
    )
    from fiche.report import hours

    blocks: tuple[Block, ...] = (table, *hours.pictures(desk))
    return Section(id="bill", title=desk.word("bill_title"), blocks=blocks)


# Whoever buys cards has no disk and no traffic of the seller's.
_OF_RENTALS = ("storage", "egress")


def _rows(desk: Desk, outcome: Outcome) -> Iterator[Row]:
    bill, who = outcome.bill, outcome.candidate
    offer = who.offer
    assert bill is not None
    assert offer is not None
    card = Quoted(who.card.name if who.card else who.gpu)
    yield group(desk.status(outcome.status), Words(" — "), Code(who.id), Words(", "), card)
    hourly = (desk.amount(bill.hourly),) if bill.hourly is not None else ()
    yield row(
        desk.word("bill_order"),
        cell(ordered(desk, offer, bill), *_behind(desk, offer, bill)),
        cell(hourly, desk.say("bill_hourly") if hourly else None, numeric=True),
    )
    yield from (_line(desk, line, offer, bill.term) for line in bill.lines)
    yield from _totals(desk, bill)
    left_out = [name for name in bill.left_out if offer.kind != "buy" or name not in _OF_RENTALS]
    if left_out:
        items = [Words(desk.language.inside(desk.word(f"bill_{name}"))) for name in left_out]
        told = desk.say("bill_left_out_note", items=joined(items))
        yield _named(desk, "left_out", told, (Missing(desk.word("not_known")),))
    if lacking := _unsaid(desk, outcome):
        until = cell(desk.word("bill_unranked"), numeric=True)
        yield row(desk.word("bill_open"), cell(*lacking), until)


def _unsaid(desk: Desk, outcome: Outcome) -> list[Parts]:
    """What keeps the cost from being known, and stands under no criterion: it is why there is no rank."""
    said = {c.text for found in outcome.findings for c in found.conditions}
    return [desk.legible(c.text) for c in outcome.cost_conditions if c.text not in said]


# --- What to order --------------------------------------------------------------------------------


def ordered(desk: Desk, offer: Offer, bill: Bill) -> Parts:
    """So many lots from whom, for how long. Counts are plain words here: a mark would tear them."""
    seller, named = Quoted(offer.seller), Code(offer.id)
    told = desk.say("bill_ordered_untold", seller=seller, offer=named)
    if bill.lots is not None and bill.cards is not None:
        lots, cards = _counted(desk, bill.lots, "lots_of"), _counted(desk, bill.cards, "cards_of")
        told = desk.say("bill_ordered", lots=lots, cards=cards, seller=seller, offer=named)
    if offer.kind == "buy":
        return (*told, Words(desk.word("bill_buy")))
    return (*told, *desk.say("bill_rent", term=_term(desk, bill.term)))


def _counted(desk: Desk, count: Figure, noun: str) -> str:
    """`2 lots`; an interval where what a lot holds is untold."""
    words = desk.counted(noun, int(count.low)) if count.exact else desk.counted(noun, 2)
    return f"{numbers.bare(count, desk.style)}{desk.style.space}{words}"


def _term(desk: Desk, term: Term) -> Parts:
    if term.period is None or term.periods is None:
        return (Missing(desk.word("bill_term_untold")),)
    if _hourly(term) and term.hours is not None:
        return (desk.amount(term.hours),)
    periods, period = numbers.amount(term.periods, desk.style), desk.amount(term.period)
    if term.unit:
        unit = Quoted(term.unit)
        return desk.say("bill_term_named", periods=periods, unit=unit, period=period)
    return desk.say("bill_term", periods=periods, period=period)


def _hourly(term: Term) -> bool:
    """The price is for an hour: then periods are hours."""
    return term.period is not None and term.period.exact and term.period.low == 1


def _behind(desk: Desk, offer: Offer, bill: Bill) -> Iterator[Parts]:
    """What stands behind the order: the hours and whose they are, then the documents."""
    if offer.kind != "buy":
        hours = [*_hours(desk, bill.term)]
        yield joined(hours, "; ") if hours else ()
    yield joined([_validity(desk, bill), _word(desk, bill)], "; ")


def _hours(desk: Desk, term: Term) -> Iterator[Parts]:
    """The hours to be rented, and on whose word: a stated term was measured by nobody (C2)."""
    if term.asked is not None:
        yield (*desk.say("bill_asked", hours=desk.amount(term.asked)), *_origin(desk, term))
    if term.needed is not None and term.needed is not term.asked:
        yield desk.say("bill_needed", hours=desk.amount(term.needed))
    paid, asked = term.hours, term.asked
    if paid is not None and asked is not None and (paid.low, paid.high) != (asked.low, asked.high):
        yield desk.say("bill_paid", hours=desk.amount(paid))


def _origin(desk: Desk, term: Term) -> Parts:
    asked = term.asked
    assert asked is not None
    guesses = trace.assumptions(asked)
    by = guesses[0].origin.by if guesses and isinstance(guesses[0].origin, Assumed) else ""
    if asked is term.needed:
        if by:
            return desk.say("bill_as_computed_guess", by=Quoted(by))
        pieces = joined([Reference(name) for name in _measured(asked)])
        return desk.say("bill_as_computed", pieces=pieces)
    return desk.say("bill_as_guessed", by=Quoted(by)) if by else desk.say("bill_as_stated")


def _measured(hours: Node) -> list[str]:
    """The pieces whose throughput the hours rest on, by the ids of their results."""
    found = (leaf.id.partition("/result.") for leaf in trace.leaves(hours))
    return list(dict.fromkeys(piece for piece, mark, _ in found if mark))


def _validity(desk: Desk, bill: Bill) -> Parts:
    if not bill.valid_until:
        return (Missing(desk.word("bill_valid_untold")),)
    over = bill.valid_until < desk.decision.fiche.date
    return desk.say("bill_over" if over else "bill_valid", until=Code(bill.valid_until))


def _word(desk: Desk, bill: Bill) -> Parts:
    told: list[Part] = [Reference(piece) for piece in bill.pieces]
    if not told:
        return (Missing(desk.word("bill_no_piece")),)
    return desk.say("bill_word", who=joined([*told, *(Quoted(name) for name in bill.by)]))


# --- What it comes to -----------------------------------------------------------------------------


def _line(desk: Desk, line: Line, offer: Offer, term: Term) -> Row:
    per = (Words(_per(desk, line, offer, term)),)
    price = desk.amount(line.price)
    if line.quantity is None or line.amount is None:
        told = desk.say("bill_uncounted", price=price, per=per)
        return _named(desk, line.name, told, (Missing(desk.word("not_known")),))
    told = desk.say("bill_times", quantity=desk.amount(line.quantity), price=price, per=per)
    told += _planned(desk, line)
    return _named(desk, line.name, told, (desk.amount(line.amount),))


def _planned(desk: Desk, line: Line) -> Parts:
    """How much data, and for how long: a quantity of GB months says neither."""
    if line.gigabytes is None or line.months is None:
        return ()
    told = desk.amount(
        line.gigabytes, f"{numbers.bare(line.gigabytes, desk.style)}{desk.style.space}GB"
    )
    noun = desk.counted("bill_months", 1 if line.months.exact and line.months.low == 1 else 2)
    return desk.say("bill_planned", planned=told, months=desk.amount(line.months), noun=noun)


def _per(desk: Desk, line: Line, offer: Offer, term: Term) -> str:
    """What one price pays for, in words; a charge's as its seller writes it."""
    if line.name != "price":
        return line.per
    kind = "_bought" if offer.kind == "buy" else "_hour" if _hourly(term) else ""
    return desk.word(f"bill_per_{line.per}{kind}" if line.per else "bill_per_untold")


def _totals(desk: Desk, bill: Bill) -> Iterator[Row]:
    """From the sum before tax to what the buyer pays; where the basis is untold, the sum as priced."""
    if bill.before_tax is None and bill.after_tax is None:
        yield _total(desk, bill, "net", bill.net, desk.say("bill_net_note"))
    else:
        yield from _taxed(desk, bill)
    yield from _converted(desk, bill)


def _taxed(desk: Desk, bill: Bill) -> Iterator[Row]:
    yield _total(desk, bill, "before_tax", bill.before_tax, _untaxed(desk, bill), "bill_no_rate")
    yield _total(desk, bill, "after_tax", bill.after_tax, _tax(desk, bill), "bill_no_rate")
    why = "bill_no_recovery" if bill.recovery is None else "bill_no_rate"
    yield _total(desk, bill, "payable", bill.payable, _recovered(desk, bill), why)


def _untaxed(desk: Desk, bill: Bill) -> Parts:
    """The sum of the items; where these are priced with tax, that sum is the other total."""
    before, net = bill.before_tax, bill.net
    taxed = before is not None and (before.low, before.high) != (net.low, net.high)
    return desk.say("bill_less_tax" if taxed else "bill_sum")


def _tax(desk: Desk, bill: Bill) -> Parts:
    if bill.tax is None or bill.tax_rate is None:
        return desk.say("bill_sum")
    return desk.say("bill_tax", tax=desk.amount(bill.tax), rate=_percent(desk, bill.tax_rate))


def _recovered(desk: Desk, bill: Bill) -> Parts:
    if bill.recovered is None or bill.recovery is None:
        return desk.say("bill_payable_note")
    share = _percent(desk, bill.recovery)
    return desk.say("bill_recovered", recovered=desk.amount(bill.recovered), share=share)


def _total(
    desk: Desk, bill: Bill, key: str, amount: Figure | None, told: Parts, why: str = ""
) -> Row:
    """A total with how it came about; where it is untold, why."""
    if amount is None:
        return _named(desk, key, desk.say(why), (Missing(desk.word("not_known")),))
    compared = f"bill_{key}" == _TOTALS[bill.basis] and bill.rate is None and not bill.wanted
    below = desk.say("bill_compared") if compared else None
    return _named(desk, key, told, (desk.amount(amount),), below)


def _converted(desk: Desk, bill: Bill) -> Iterator[Row]:
    rate = bill.rate
    if rate is None:
        if bill.wanted:
            title = desk.say("bill_in", currency=bill.wanted)
            lacking = cell((Missing(desk.word("not_known")),), numeric=True)
            yield row(cell(title), cell(desk.word("bill_no_exchange")), lacking)
        return
    firm = trace.firm(rate.figure)
    typed = desk.say("bill_printed_by", piece=Reference(rate.piece)) if firm else ()
    told = desk.say(
        "bill_converted",
        rate=desk.amount(rate.figure),
        date=Code(rate.date),
        source=Quoted(rate.told_by),
        printed=typed or desk.say("bill_typed"),
        total=Words(desk.language.inside(desk.word(_TOTALS[bill.basis]))),
    )
    title = desk.say("bill_in", currency=str(bill.compared.unit))
    amount = cell((desk.amount(bill.compared),), desk.say("bill_compared"), numeric=True)
    yield row(cell(title), cell(told), amount)


_TOTALS = {
    "": "bill_net",
    "excluded": "bill_before_tax",
    "included": "bill_after_tax",
    "payable": "bill_payable",
}


def _named(desk: Desk, key: str, told: Parts, *amount: Parts | None) -> Row:
    return row(desk.word(f"bill_{key}"), cell(told), cell(*amount, numeric=True))


def _percent(desk: Desk, share: Figure) -> Part:
    return desk.amount(share, numbers.percent(share, desk.style))
