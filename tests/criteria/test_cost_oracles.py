"""Costs worked by hand, to the cent: the source guides' and the catalog's own (D9, catalog 5, 7 and 10)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    TO_CONFIRM,
    attest,
    budget,
    candidate,
    declared,
    document,
    finding,
    ground,
    hours,
    money,
    offer,
    quote,
    workload,
)

from fiche.criteria._package import package
from fiche.criteria._words import number_text
from fiche.kernel.quantity import Misread, parse_duration, parse_money
from fiche.report.numbers import TERMINAL, amount


def renting(price, need, *, cards=1, **terms):
    return candidate(cards=cards, load=workload(duration=need), offer=offer(price, **terms))


def billed(on, pieces=(), basis="excluded", **changes):
    found = package(on, basis, ground(pieces, on=on, **changes))
    assert found is not None
    return found


def printed(figure):
    return amount(figure, TERMINAL)


@pytest.mark.parametrize(
    ("price", "hourly"), [("47.14 USD", "0.655 USD/h"), ("55.71 USD", "0.774 USD/h")]
)
def test_the_guide_s_two_offers_are_72_hours_each(price, hourly):
    """D9: 1 card, 3 days; 0.655 and 0.774 an hour are derived, and the cost is that of the package."""
    found = billed(renting(price, "72 h", per="3 days"), [quote(price)])
    assert printed(found.cost) == price
    assert printed(found.bill.hourly) == hourly
    assert found.bill.hourly.low == parse_money(price).value / 72


def test_the_larger_card_is_18_percent_dearer():
    """Catalog 5: twice the memory for 18 % more."""
    costs = [billed(renting(p, "72 h"), [quote(p)]).cost.low for p in ("47.14 USD", "55.71 USD")]
    assert round(costs[1] / costs[0] * 100 - 100) == 18


@pytest.mark.parametrize(
    ("need", "extension", "cost", "verdict"),
    [
        ("70 h", "lots", "47.14", ADMISSIBLE),
        ("70 h", None, "47.14", ADMISSIBLE),
        ("73 h", "lots", "94.28", ADMISSIBLE),
        ("73 h", None, "94.28", TO_CONFIRM),
    ],
)
def test_70_hours_on_a_three_day_lot_are_one_lot_and_73_are_two(need, extension, cost, verdict):
    """Catalog 5: two, "or to confirm if extension terms are not written"."""
    on = renting("47.14 USD", need, per="3 days", extension=extension)
    found = finding(budget("1000 USD"), [quote()], on)
    assert (number_text(found.need.high), found.verdict) == (cost, verdict)


def test_eight_cards_at_fifty_cents_are_four_dollars():
    """Catalog 10: offer per card against per lot, 8 x 0.50 = 4.00."""
    by_card = renting("0.50 USD", "1 h", cards=8, per="1 h", covers="card", cards_per_lot=8)
    by_lot = renting("4.00 USD", "1 h", cards=8, per="1 h", covers="lot", cards_per_lot=8)
    assert {printed(billed(on).cost) for on in (by_card, by_lot)} == {"4.00 USD"}


def test_2712_cents_are_27_dollars_and_12_cents_and_no_currency():
    """Catalog 3: one seller's price is in cents; it is refused as a currency, never read as dollars."""
    for text in ("2712 cents", "2712 US cents", "2712 ¢"):
        refused = parse_money(text)
        assert isinstance(refused, Misread)
        assert "no cents" in refused.hint
    on = renting("27.12 USD", "8 h", per="1 h", min_time="480 minutes")
    assert printed(billed(on).cost) == "216.96 USD"
    assert Fraction(2712, 100) == parse_money("27.12 USD").value


@pytest.mark.parametrize("need", ["1 h", "8 h", "480 minutes"])
def test_480_minutes_are_the_least(need):
    """Catalog 5: minimum time is paid."""
    on = renting("27.12 USD", need, per="1 h", min_time="480 minutes")
    assert billed(on).bill.term.hours.low == 8


@pytest.mark.parametrize(
    ("month", "by_month", "by_hour", "exact"),
    [
        ("672 h", "11773.44 USD", "17.52 USD", "11773.44"),
        ("730 h", "1250 USD", "1.7120 USD", "1249.76"),
        ("744 h", "17796.48 USD", "23.92 USD", "17796.48"),
    ],
)
def test_a_month_of_each_seller_against_its_hour(month, by_month, by_hour, exact):
    """Catalog 7: three sellers' months; the second one's price is rounded to 1250, 24 cents above its hours."""
    hourly = billed(renting(by_hour, month, per="1 h", extension="hours"))
    assert number_text(hourly.cost.high) == exact
    whole = billed(renting(by_month, month, per=month, price__unit="month"))
    assert whole.cost.high == parse_money(by_month).value
    assert whole.cost.high - hourly.cost.high == (Fraction("0.24") if month == "730 h" else 0)
    assert (whole.bill.term.unit, whole.bill.term.period.low) == (
        "month",
        parse_duration(month).value,
    )


def test_a_month_that_nobody_defines_has_three_readings_and_no_cost():
    """Catalog 1: 672, 730 and 744 h are all sold as a month."""
    refused = parse_duration("1 month")
    assert isinstance(refused, Misread)
    assert all(reading in refused.hint for reading in ("672", "730", "744"))
    on = renting("1250 USD", "700 h", per=None, price__unit="month")
    found = finding(budget("100000 USD"), [quote("1250 USD")], on)
    assert (found.verdict, found.need.high) == (TO_CONFIRM, None)
    assert any("a month has no length of its own" in c.text for c in found.conditions)


def test_a_quote_may_say_what_it_calls_the_time():
    told = attest(
        "price", amount=money("1250 USD", declared), per=hours("730 h", declared), unit="month"
    )
    on = renting("1250 USD", "700 h", per="730 h")
    found = billed(on, [document("quote", told, offer="offer-01")])
    assert (found.bill.term.unit, found.conflicts) == ("month", ())
    other = renting("1250 USD", "700 h", per="730 h", price__unit="calendar month")
    assert billed(other, [document("quote", told, offer="offer-01")]).conflicts


def test_five_free_of_eight_installed_serve_no_order_of_eight():
    """Catalog 1: installed is not free, and listed is not in stock."""
    on = renting(
        "3.99 USD", "1 h", cards=8, per="1 h", covers="card", cards_per_lot=8,
        stock__installed=8, stock__free=5,
    )  # fmt: skip
    found = finding(budget("100000 USD"), [quote("3.99 USD")], on)
    assert found.verdict is TO_CONFIRM
    (lacking,) = found.conditions
    assert lacking.topic == "availability"
    assert "5 cards free of 8 installed" in lacking.text
    assert number_text(found.need.high) == "31.92"
