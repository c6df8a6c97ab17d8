"""The need's total beside a policy's thresholds: similar orders, bands, quotes, and what is not known."""

from fractions import Fraction

import pytest
from evaluate.build import (
    AUTHOR,
    DATE,
    NEUTRAL,
    attest,
    candidate,
    choice,
    decision,
    money,
    offer,
    quote,
    span,
    stated,
)

from fiche.kernel.choice import Ordered
from fiche.kernel.origin import Assumed
from fiche.kernel.procedure import Band, QuotesRule, SimilarOrder, Thresholds
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.record import replace
from fiche.kernel.unit import HOUR, count_of


def band(id, at_least=None, below=None, tax="excluded"):
    return Band(
        id=id,
        name=id,
        tax=tax,
        source="a rule",
        confirm="to be confirmed by the purchasing office",
        span=span(),
        at_least=None if at_least is None else money(at_least, stated),
        below=None if below is None else money(below, stated),
    )


SMALL, LARGE = band("small", below="100 USD"), band("large", at_least="100 USD")


def similar(id="before", amount="60 USD", date="2026-06-30", tax="excluded"):
    told = None if amount is None else money(amount, stated)
    return SimilarOrder(id=id, span=span(), date=date, amount=told, tax=tax)


def judged(*orders, rules=None, bought="47.14 USD", tax="excluded", told="rent", **changes):
    """One candidate at a price before tax, under a policy with thresholds."""
    rules = rules or Thresholds(bands=(SMALL, LARGE))
    sold = candidate(offer=offer(bought, tax=tax))
    quoted = quote(bought, attest("validity", until="2026-12-31"))
    made = decision(
        [sold],
        changes.pop("pieces", [quoted]),
        [],
        purchase=Purchase(rates=changes.pop("rates", ())),
        policy=replace(NEUTRAL, thresholds=rules),
        similar_orders=tuple(orders),
        choice=replace(choice(told), **changes),
    )
    return made.procedure


def places(found):
    return {placed.band.id: (placed.need, placed.order) for placed in found.placed}


def test_neither_threshold_nor_similar_order_is_no_section():
    assert decision([candidate()], [], [], choice=choice("rent")).procedure is None


def test_one_order_is_its_own_total():
    found = judged()
    assert found.order.low == found.total.low == found.total.high == Fraction("47.14")
    assert places(found) == {"small": ("within", "within"), "large": ("below", "below")}
    assert found.splitting == ()


def test_small_orders_of_one_need_are_summed_and_a_threshold_that_only_they_reach_is_told():
    """Catalog 7: the need's total, over similar orders, not one order."""
    found = judged(similar())
    assert found.total.low == found.total.high == Fraction("107.14")
    assert places(found) == {"small": ("above", "within"), "large": ("within", "below")}
    assert [placed.band.id for placed in found.splitting] == ["large"]


def test_at_the_threshold_itself_the_band_begins():
    found = judged(similar(amount="52.86 USD"))
    assert places(found)["large"] == ("within", "below")
    found = judged(similar(amount="52.85 USD"))
    assert places(found)["small"] == ("within", "within")
    assert found.splitting == ()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"amount": None}, "no_amount"),
        ({"amount": "60 EUR"}, "other_currency"),
        ({"tax": ""}, "no_basis"),
        ({"tax": "included"}, "with_tax"),
    ],
)
def test_what_is_not_known_of_a_similar_order_opens_the_total_and_is_said(changes, why):
    """C2 for money: never zero. The total is at least this order, and a band that it may reach is open."""
    found = judged(similar(**changes))
    assert [one.left_out for one in found.counted] == [why]
    assert (found.total.low, found.total.high) == (Fraction("47.14"), None)
    assert places(found) == {"small": ("open", "within"), "large": ("open", "below")}
    assert "before" in found.open[0].text


def rate(source, target, value, date=DATE):
    figure = stated(value, money(f"1 {target}", stated).unit.per(money(f"1 {source}", stated).unit))
    return Rate(source=source, target=target, figure=figure, date=date, told_by="a bank")


@pytest.mark.parametrize("told", [("EUR", "USD", 2), ("USD", "EUR", Fraction(1, 2))])
def test_an_amount_in_another_currency_counts_at_a_told_rate_whichever_way_it_is_told(told):
    """30 EUR at 2 USD are 60 USD: 47.14 + 60 = 107.14."""
    found = judged(similar(amount="30 EUR"), rates=(rate(*told),))
    assert found.counted[0].left_out == ""
    assert found.counted[0].converted.low == 60
    assert found.total.low == found.total.high == Fraction("107.14")
    assert [placed.band.id for placed in found.splitting] == ["large"]


@pytest.mark.parametrize("told", [("EUR", "USD", 2), ("USD", "EUR", Fraction(1, 2))])
def test_this_order_is_held_against_amounts_of_another_currency_at_a_told_rate(told):
    rules = Thresholds(bands=(band("euro", at_least="20 EUR"),))
    found = judged(rules=rules, rates=(rate(*told),))
    assert found.order.low == Fraction("23.57")
    assert places(found) == {"euro": ("within", "within")}


def test_a_rate_of_a_day_to_come_converts_nothing():
    found = judged(similar(amount="30 EUR"), rates=(rate("EUR", "USD", 2, "2031-01-01"),))
    assert found.counted[0].left_out == "other_currency"
    assert found.total.high is None


def test_a_band_that_is_reached_all_the_same_is_reached():
    found = judged(similar(amount=None), similar("more"))
    assert places(found)["large"] == ("within", "below")


def test_orders_before_the_policys_period_do_not_count():
    period = stated(365 * 24, HOUR, "policy.similar_orders_within")
    rules = Thresholds(bands=(SMALL, LARGE), within=period, within_source="a rule")
    order = Ordered(span=span(), date="2026-12-07")
    old, kept = similar("old", date="2025-12-06"), similar("kept", date="2025-12-07")
    found = judged(old, kept, rules=rules, order=order)
    assert [one.left_out for one in found.counted] == ["too_old", ""]
    assert found.total.low == found.total.high == Fraction("107.14")
    undated = judged(similar(date=""), rules=rules, order=order)
    assert [one.left_out for one in undated.counted] == ["no_date"]
    assert undated.total.high is None


def test_thresholds_of_another_currency_or_basis_tell_nothing():
    """Amount in another currency: said, and no procedure is chosen."""
    rules = Thresholds(bands=(band("euro", at_least="100 EUR"),))
    found = judged(rules=rules)
    assert found.order is None
    assert places(found) == {"euro": ("open", "open")}
    assert "USD" in found.open[0].text
    assert "EUR" in found.open[0].text
    rules = Thresholds(bands=(band("gross", at_least="10 USD", tax="included"),))
    assert places(judged(rules=rules)) == {"gross": ("open", "open")}


def test_nothing_chosen_has_no_amount():
    found = judged(told="none")
    assert (found.order, found.total) == (None, None)
    assert places(found)["small"] == ("open", "open")
    assert "choose a candidate" in found.open[0].text


def test_an_amount_before_tax_that_nobody_tells_is_not_taken_for_another():
    found = judged(tax="included")
    assert found.order is None
    assert "before tax" in found.open[0].text


@pytest.mark.parametrize(("wanted", "open_"), [(1, False), (2, True)])
def test_quotes_that_the_policy_asks_for_are_counted_by_seller(wanted, open_):
    """Catalog 7: three quotes are a rule of the house, a policy input."""
    quotes = stated(wanted, count_of("quotes"), "policy.quotes_needed.1.quotes")
    rule = QuotesRule(
        at_least=money("40 USD", stated), quotes=quotes, tax="excluded", source="x", span=span()
    )
    found = judged(rules=Thresholds(quotes=(rule,)))
    assert found.sellers == ("provider A",)
    assert [one.need for one in found.quotes] == ["within"]
    assert ([c.topic for c in found.open] == ["quotes"]) is open_
    assert judged(rules=Thresholds(quotes=(rule,)), pieces=[]).sellers == ()
    old = quote("47.14 USD", attest("validity", until="2026-11-01"))
    assert judged(rules=Thresholds(quotes=(rule,)), pieces=[old]).sellers == ()


def test_below_the_amount_of_a_rule_no_quote_is_missed():
    quotes = stated(3, count_of("quotes"), "policy.quotes_needed.1.quotes")
    rule = QuotesRule(
        at_least=money("48 USD", stated), quotes=quotes, tax="excluded", source=AUTHOR, span=span()
    )
    found = judged(rules=Thresholds(quotes=(rule,)))
    assert [one.need for one in found.quotes] == ["below"]
    assert found.open == ()


def test_a_total_that_rests_on_a_guess_says_so():
    """Law 1: an assumed number settles nothing by itself."""
    assert judged().assumed is False
    guess = Assumed(by=AUTHOR, because="from memory", span=span())
    told = similar()
    told = replace(told, amount=replace(told.amount, origin=guess))
    assert judged(told).assumed is True


def test_the_order_in_which_similar_orders_are_listed_changes_nothing():
    """DESIGN 4: nothing is chosen, and two currencies stand side by side."""
    orders = (similar("b", amount="60 USD"), similar("a", amount="60 EUR"))
    one, other = (judged(*each, rules=Thresholds(), told="none") for each in (orders, orders[::-1]))
    assert {c.order.id: c.left_out for c in one.counted} == {"a": "", "b": "other_currency"}
    assert {c.order.id: c.left_out for c in other.counted} == {"a": "", "b": "other_currency"}
