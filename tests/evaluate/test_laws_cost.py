"""Laws of a package's cost, by property test (D2, D9, DESIGN 3 and 4)."""

from fractions import Fraction

from evaluate.build import (
    DATE,
    DOORS,
    TO_CONFIRM,
    assumed,
    budget,
    candidate,
    declared,
    finding,
    ground,
    hours,
    offer,
    outcome,
    quote,
    ratio,
    stated,
    workload,
)
from evaluate.build import fiche as fiche_of
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.criteria._package import package
from fiche.evaluate.decide import decide
from fiche.evaluate.order import ranked
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, HOUR, money

MAYBE = st.booleans()
HOURS = st.integers(1, 3000)
CENTS = st.integers(0, 100_000)
PERIODS = st.sampled_from(["1 h", "72 h", "672 h", "730 h", "744 h"])
SHARES = st.sampled_from(["0 %", "5.5 %", "20 %", "100 %"])
RATE = st.fractions(min_value=Fraction(1, 500), max_value=500)


def text(cents, currency="USD"):
    return f"{cents // 100}.{cents % 100:02} {currency}"


@st.composite
def terms(draw):
    """The terms of an offer, as sellers leave out and state them."""
    told = {
        "per": draw(PERIODS),
        "covers": draw(st.sampled_from(["lot", "card", None])),
        "cards_per_lot": draw(st.sampled_from([1, 2, 8, None])),
        "extension": draw(st.sampled_from(["lots", "hours", None])),
        "tax": draw(st.sampled_from(["included", "excluded", None])),
    }
    if draw(MAYBE):
        told["tax_rate"] = draw(SHARES)
    if draw(MAYBE):
        told["min_order"] = draw(st.integers(1, 5))
    if draw(MAYBE):
        told["min_time"] = f"{draw(HOURS)} h"
    if draw(MAYBE):
        told["commitment"] = hours(f"{draw(HOURS)} h", declared)
    if draw(MAYBE):
        told["month"] = declared(draw(st.sampled_from([672, 730, 744])), HOUR)
    for name in ("setup", "storage", "egress"):
        if draw(MAYBE):
            told[name] = text(draw(CENTS))
            told[f"{name}__per"] = draw(
                st.sampled_from(["order", "lot", "card", "lot hour", "card hour", "GB", "GB month"])
            )
            told[f"{name}__begun"] = draw(st.sampled_from(["whole", "pro_rata", None]))
            if draw(MAYBE):
                told[f"{name}__quantity"] = declared(draw(st.integers(1, 10**13)), BYTE)
    return told


BASES = st.sampled_from(["excluded", "included", "payable", ""])
RECOVERY = st.one_of(st.none(), SHARES.map(ratio))


def billed(need, cents, told, basis="excluded", *, cards=1, purchase=None, currency="", **changes):
    load = workload(duration=None if need is None else f"{need} h")
    on = candidate(cards=cards, load=load, offer=offer(text(cents), **told))
    buyer = purchase or Purchase()
    return package(
        on, basis, ground([quote(text(cents))], on=on, purchase=buyer, **changes), currency
    )


def above(more, less):
    """Both ends of an interval are at or above those of another; an open end is the highest."""
    high = more.high is None or (less.high is not None and more.high >= less.high)
    return more.low >= less.low and high


@given(terms(), HOURS, HOURS, CENTS, BASES, RECOVERY)
def test_more_hours_never_cost_less(told, one, other, cents, basis, recovery):
    few, many = sorted((one, other))
    buyer = Purchase(recovery=recovery)
    less, more = (billed(n, cents, told, basis, purchase=buyer) for n in (few, many))
    assert above(more.cost, less.cost)
    assert (less.at_least is None) == (more.at_least is None)
    assert less.at_least is None or above(more.at_least, less.at_least)
    untold = billed(None, cents, told, basis, purchase=buyer)
    assert untold.cost.low <= more.cost.low
    assert (untold.cost.high if cents else None, untold.known) == (None, False)


@given(terms(), HOURS, CENTS, CENTS, BASES, st.integers(1, 12))
def test_a_lower_price_never_costs_more(told, need, one, other, basis, cards):
    low, high = sorted((one, other))
    less, more = (billed(need, c, told, basis, cards=cards) for c in (low, high))
    assert above(more.cost, less.cost)


@given(terms(), HOURS, CENTS, CENTS, CENTS, BASES)
def test_a_lower_price_never_worsens_a_verdict(told, need, one, other, most, basis):
    """DESIGN 4: admissible, to confirm, exclude, in this order."""
    low, high = sorted((one, other))
    asked = budget(text(most), tax=basis or None)
    verdicts = []
    for cents in (low, high):
        on = candidate(load=workload(duration=f"{need} h"), offer=offer(text(cents), **told))
        verdicts.append(finding(asked, [quote(text(cents))], on).verdict)
    assert verdicts[0] <= verdicts[1]


@given(terms(), HOURS, CENTS, st.integers(1, 20))
def test_lots_and_their_cards_are_whole_and_enough(told, need, cents, cards):
    found = billed(need, cents, told, cards=cards)
    lots, bought = found.bill.lots, found.bill.cards
    if told["cards_per_lot"] is None:
        assert lots is None
        return
    assert lots.exact
    assert lots.low.denominator == 1
    assert bought.low == lots.low * told["cards_per_lot"] >= cards
    spare = max(0, told.get("min_order", 0) - 1)
    assert (lots.low - 1) * told["cards_per_lot"] < cards or lots.low - 1 == spare


@given(terms(), HOURS, CENTS, BASES, RECOVERY)
def test_totals_agree_with_each_other(told, need, cents, basis, recovery):
    """The sum of the lines, the tax on it, what is recovered of it, what is paid."""
    found = billed(need, cents, told, basis, purchase=Purchase(recovery=recovery))
    bill = found.bill
    amounts = [line.amount for line in bill.lines if line.amount is not None]
    assert bill.net.low == sum(amount.low for amount in amounts)
    if bill.tax is not None:
        assert bill.before_tax.low + bill.tax.low == bill.after_tax.low
    if bill.recovered is not None:
        assert bill.payable.low == bill.after_tax.low - bill.recovered.low
    if bill.payable is not None:
        before = 0 if bill.before_tax is None else bill.before_tax.low
        assert before <= bill.payable.low
        assert bill.after_tax is None or bill.payable.low <= bill.after_tax.low
    totals = {
        "": bill.net,
        "excluded": bill.before_tax,
        "included": bill.after_tax,
        "payable": bill.payable,
    }
    assert totals[bill.basis].origin is found.cost.origin
    least = found.at_least
    assert least is None or found.cost.high is None or least.low <= found.cost.high


@given(terms(), HOURS, CENTS, BASES)
def test_a_known_cost_is_exact_and_its_least(told, need, cents, basis):
    """What nothing is open about is one number, and the bound that may exclude is that number."""
    found = billed(need, cents, told, basis)
    if found.known:
        assert found.cost.exact
        assert found.at_least.low == found.cost.low


# --- Currency --------------------------------------------------------------------------------------


def buying(rate, *, source="USD", target="EUR", printed=True, date=DATE, currency="EUR"):
    unit = money(target).per(money(source))
    make = declared if printed else assumed
    told = make(rate, unit, id=f"exchange.{source}.{target}")
    one = Rate(source=source, target=target, figure=told, date=date, told_by="a bank")
    return Purchase(currency=currency, rates=(one,))


@given(terms(), HOURS, CENTS, BASES, RATE)
def test_there_and_back_is_the_same_amount(told, need, cents, basis, rate):
    """Law 2: nothing is rounded on the way."""
    own = billed(need, cents, told, basis)
    there = billed(need, cents, told, basis, purchase=buying(rate), currency="EUR")
    assert there.cost.low / Fraction(rate) == own.cost.low
    inverse = buying(1 / Fraction(rate), source="EUR", target="USD")
    same = billed(need, cents, told, basis, purchase=inverse, currency="EUR")
    assert same.cost.low == there.cost.low


@given(terms(), HOURS, CENTS, CENTS, RATE, st.sampled_from(["firm", "typed", "old", "none"]))
def test_only_a_printed_rate_decides(told, need, cents, most, rate, kind):
    """A guess, an outdated rate or none neither admits nor excludes."""
    purchase = {
        "firm": buying(rate),
        "typed": buying(rate, printed=False),
        "old": buying(rate, date="2026-12-24"),
        "none": Purchase(currency="EUR"),
    }[kind]
    on = candidate(load=workload(duration=f"{need} h"), offer=offer(text(cents), **told))
    asked = budget(text(most, "EUR"))
    found = finding(asked, [quote(text(cents))], on, purchase=purchase)
    if kind != "firm":
        assert found.verdict is TO_CONFIRM
    else:
        firmly = finding(budget(text(cents)), [quote(text(cents))], on)
        assert (found.verdict is TO_CONFIRM) or firmly.reason != "conflict"


@given(st.permutations(["USD", "GBP", "CHF"]), CENTS)
def test_the_order_of_rates_says_nothing(order, cents):
    values = {"USD": "0.95", "GBP": "1.15", "CHF": "1.06"}
    rates = tuple(buying(Fraction(values[code]), source=code).rates[0] for code in order)
    found = billed(40, cents, {}, purchase=Purchase(currency="EUR", rates=rates), currency="EUR")
    assert found.cost.low == Fraction(cents, 100) * Fraction("0.95")


# --- The order of a decision -----------------------------------------------------------------------


PRICES = st.lists(st.tuples(CENTS, st.sampled_from(["USD", "EUR"])), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None)
@given(PRICES, st.randoms(), MAYBE)
def test_the_order_of_inputs_changes_no_bill(prices, shuffle, printed):
    """Each candidate's cost, its conditions and its place, whatever stands first."""
    buyer = buying(Fraction("0.95"), printed=printed)
    offers = [
        offer(text(cents, code), id=f"o{n}", per="72 h") for n, (cents, code) in enumerate(prices)
    ]
    sold = [candidate(f"c{n}", offer=one) for n, one in enumerate(offers)]
    pieces = [quote(text(c, code), id=f"q{n}", offer=f"o{n}") for n, (c, code) in enumerate(prices)]
    told = [(o.candidate.id, *_shown(o)) for o in _decided(sold, pieces, buyer).outcomes]
    shuffle.shuffle(sold)
    shuffle.shuffle(pieces)
    again = [(o.candidate.id, *_shown(o)) for o in _decided(sold, pieces, buyer).outcomes]
    assert again == told


def _shown(one):
    return one.cost.low, str(one.cost.unit), one.cost_conditions, one.rank


def _decided(sold, pieces, purchase):
    return decide(fiche_of(sold, pieces, [budget("100 EUR")], purchase=purchase), DOORS, "0")


def test_costs_in_one_currency_are_ranked_and_in_two_say_what_is_missing():
    """DESIGN 4: no exchange rate without its date and source."""
    sold = [
        candidate("in-usd", offer=offer("50 USD", id="a")),
        candidate("in-eur", offer=offer("49 EUR", id="b")),
    ]
    pieces = [quote("50 USD", id="qa", offer="a"), quote("49 EUR", id="qb", offer="b")]

    def placed(purchase):
        made = _decided(sold, pieces, purchase)
        kept = [replace(o, status="retained") for o in made.outcomes]
        return ranked(tuple(kept), stated(0))

    apart = placed(Purchase())
    assert {o.rank for o in apart} == {None}
    assert all("EUR and USD: state 'currency'" in o.cost_conditions[-1].text for o in apart)
    together = placed(buying(Fraction("0.95")))
    assert [(o.candidate.id, o.rank) for o in together] == [("in-usd", 1), ("in-eur", 2)]
    lacking = placed(Purchase(currency="EUR"))
    assert [(o.candidate.id, o.rank) for o in lacking] == [("in-eur", 1), ("in-usd", None)]
    assert outcome(_decided(sold, pieces, buying(Fraction("0.95"))), "in-usd").cost.low == 47.5
