"""What the thresholds of the policy say of this purchase: the need's total beside each, never law (catalog 7).

Several small orders for one need are one need: its total is this order's cost before tax and that of every
similar order. What is not known of them opens the total upwards, and a band that it may reach stays open.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._days import days_between
from fiche.criteria._exchange import exchange
from fiche.criteria.quotes import sellers as quotes_on_record
from fiche.evaluate._ground import ground_of
from fiche.evaluate.rejudge import Judged
from fiche.kernel.condition import Condition
from fiche.kernel.currency import currency_of
from fiche.kernel.decision import Decision, Fiche, Outcome
from fiche.kernel.figure import Figure, Node, Unknown, total
from fiche.kernel.procedure import (
    ABOVE,
    BELOW,
    OPEN,
    WITHIN,
    Band,
    Counted,
    Placed,
    Procedure,
    Quoted,
    QuotesRule,
    SimilarOrder,
)
from fiche.kernel.said import tell
from fiche.kernel.trace import assumptions, conditions
from fiche.kernel.unit import Unit, money

_AUTHOR = tell("author of the fiche")
_HOURS = 24


def procedure(judged: Judged) -> Procedure | None:
    """Place the need's total in the policy's bands; None where there is neither a band nor another order."""
    decision = judged.decision
    rules = decision.fiche.policy.thresholds
    if not (rules.bands or rules.quotes or decision.fiche.similar_orders):
        return None
    unit = _currency(decision)
    order = _order(decision, unit)
    counted = tuple(_counted(one, decision.fiche, unit) for one in decision.fiche.similar_orders)
    parts = [_part(one, unit) for one in counted if one.left_out != TOO_OLD]
    whole = total((order, *parts), unit).named(
        "procedure.total", tell("the need's total over this order and similar ones, before tax")
    )
    placed = tuple(_placed(band, whole, order) for band in rules.bands)
    quotes = tuple(_quoted(rule, whole) for rule in rules.quotes)
    sellers = quotes_on_record(ground_of(decision.fiche))
    return Procedure(
        order=order if isinstance(order, Figure) else None,
        total=whole if whole.low or whole.high is not None else None,
        counted=counted,
        placed=placed,
        quotes=quotes,
        splitting=tuple(p for p in placed if p.order == BELOW and p.need in (WITHIN, ABOVE)),
        sellers=sellers,
        open=(*conditions(whole), *_too_few(quotes, sellers)),
        assumed=bool(assumptions(whole)),
    )


# Why a similar order is not in the total: codes of the report.
TOO_OLD, NO_AMOUNT, OTHER_CURRENCY, NO_BASIS, WITH_TAX, NO_DATE = (
    "too_old",
    "no_amount",
    "other_currency",
    "no_basis",
    "with_tax",
    "no_date",
)


def _currency(decision: Decision) -> Unit:
    """What the total is told in: as the policy's amounts, this order, the fiche's own, or another order."""
    rules = decision.fiche.policy.thresholds
    ends = [end for band in rules.bands for end in (band.at_least, band.below)]
    told = [*ends, *(rule.at_least for rule in rules.quotes)]
    chosen = decision.chosen
    told.append(_before_tax(chosen) if chosen else None)
    unit = next((node.unit for node in told if node is not None), None)
    if unit is not None:
        return unit
    currency = decision.fiche.purchase.currency
    orders = sorted(decision.fiche.similar_orders, key=lambda order: order.id)
    amounts = [order.amount.unit for order in orders if order.amount is not None]
    return money(currency) if currency else next(iter(amounts), Unit())


def _before_tax(outcome: Outcome) -> Figure | None:
    return outcome.bill.before_tax if outcome.bill is not None else None


def _order(decision: Decision, unit: Unit) -> Node:
    """This order before tax in the total's currency, or what is missing for it."""
    chosen = decision.chosen
    if chosen is None:
        return _missing(tell("choose a candidate: without one the order has no amount"), unit)
    name = chosen.candidate.id
    amount = _before_tax(chosen)
    if amount is None:
        return _missing(tell("have the cost of {name} before tax stated", name=name), unit)
    if amount.unit == unit:
        return amount
    found = _converted(amount, unit, decision.fiche)
    if found is None:
        return _missing(
            tell(
                "state a rate from {unit} to {other} with its date and source",
                unit=str(amount.unit),
                other=str(unit),
            ),
            unit,
        )
    return found.named(
        "procedure.order", tell("cost of {name} before tax, in {unit}", name=name, unit=str(unit))
    )


def _converted(amount: Figure, unit: Unit, fiche: Fiche) -> Figure | None:
    """In the total's currency at a rate of the fiche; None where none leads there, or it does not count."""
    way = exchange(currency_of(amount.unit), currency_of(unit), ground_of(fiche))
    found = way.of(amount) if way.possible else amount
    return found if found.unit == unit else None


def _missing(text: str, unit: Unit) -> Unknown:
    condition = Condition(
        topic="cost", text=text, supplier=_AUTHOR, piece_kind=tell("fiche or quote")
    )
    return Unknown(condition=condition, unit=unit)


def _counted(order: SimilarOrder, fiche: Fiche, unit: Unit) -> Counted:
    told, found = order.amount, None
    if told is not None and told.unit != unit:
        found = _converted(told, unit, fiche)
        label = tell("amount of the similar order {id}, in {unit}", id=order.id, unit=str(unit))
        found = None if found is None else found.named(f"{told.id}_converted", label)
    known = found is not None or (told is not None and told.unit == unit)
    return Counted(
        order=order,
        left_out=next(_reasons(order, fiche, known=known), ""),
        converted=found,
    )


def _reasons(order: SimilarOrder, fiche: Fiche, *, known: bool) -> Iterator[str]:
    """Why an order does not count, or not with a known amount; nothing where it does."""
    within = fiche.policy.thresholds.within
    age = days_between(order.date, placed_on(fiche)) if order.date else None
    if within is not None and age is not None and age * _HOURS > within.low:
        yield TOO_OLD
    if not known:
        yield NO_AMOUNT if order.amount is None else OTHER_CURRENCY
    if order.tax != "excluded":
        yield WITH_TAX if order.tax else NO_BASIS
    if within is not None and age is None:
        yield NO_DATE


def placed_on(fiche: Fiche) -> str:
    """The day of the order, else that of the decision."""
    choice = fiche.choice
    told = (choice.order.date if choice.order else "", choice.date) if choice else ()
    return next((day for day in told if day), fiche.date)


def _asked(left_out: str, name: str, unit: Unit) -> str:
    """What would let an order count."""
    if left_out == NO_AMOUNT:
        return tell("state the amount of the similar order {id}", id=name)
    if left_out == OTHER_CURRENCY:
        return tell(
            "state the similar order {id} in {unit}, or a rate with its date and source",
            id=name,
            unit=str(unit),
        )
    if left_out == NO_BASIS:
        return tell("state whether the amount of the similar order {id} is before tax", id=name)
    if left_out == WITH_TAX:
        return tell("state the amount of the similar order {id} before tax", id=name)
    assert left_out == NO_DATE, left_out
    return tell("state the date of the similar order {id}", id=name)


def _part(counted: Counted, unit: Unit) -> Node:
    """What an order adds to the total: its amount, or an open end with what would close it."""
    order = counted.order
    amount = order.amount if counted.converted is None else counted.converted
    if not counted.left_out and amount is not None:
        return amount
    return _missing(_asked(counted.left_out, order.id, unit), unit)


def _placed(band: Band, whole: Figure, order: Node) -> Placed:
    return Placed(band=band, need=_place(band, whole), order=_place(band, order))


def _place(band: Band, amount: Node) -> str:
    """Where an amount before tax stands to a band; an end of another currency or basis tells nothing."""
    ends = [end for end in (band.at_least, band.below) if end is not None]
    if band.tax != "excluded" or any(end.unit != amount.unit for end in ends):
        return OPEN
    if band.below is not None and amount.low >= band.below.low:
        return ABOVE
    if band.at_least is not None and amount.high is not None and amount.high < band.at_least.low:
        return BELOW
    reached = band.at_least is None or amount.low >= band.at_least.low
    kept = band.below is None or (amount.high is not None and amount.high < band.below.low)
    return WITHIN if reached and kept else OPEN


def _quoted(rule: QuotesRule, whole: Figure) -> Quoted:
    band = Band(
        id="",
        name="",
        tax=rule.tax,
        source=rule.source,
        confirm="",
        span=rule.span,
        at_least=rule.at_least,
    )
    return Quoted(rule=rule, need=_place(band, whole))


def _too_few(quotes: tuple[Quoted, ...], sellers: tuple[str, ...]) -> Iterator[Condition]:
    for asked in quotes:
        wanted = asked.rule.quotes.low
        if asked.need == WITHIN and len(sellers) < wanted:
            yield Condition(
                topic="quotes",
                text=tell(
                    "get quotes of {wanted} sellers: {count} on record",
                    wanted=str(wanted),
                    count=len(sellers),
                ),
                threshold=tell(">= {wanted} quotes", wanted=str(wanted)),
                supplier=tell("seller"),
                piece_kind="quote",
            )
