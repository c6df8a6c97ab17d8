"""The cost of the package: whole lots, tax, validity, a quote (D2, D9, catalog.md sections 5 and 10)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    DATE,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    attest,
    budget,
    candidate,
    declared,
    document,
    finding,
    hours,
    money,
    offer,
    quote,
    ratio,
    says,
    texts,
    topics,
    verdict,
    workload,
)

from fiche.criteria._words import number_text
from fiche.kernel.record import replace


def renting(price="47.14 USD", *, cards=1, need="40 h", **terms):
    """A candidate that needs so many hours of an offer."""
    load = workload(duration=need)
    return candidate(cards=cards, load=load, offer=offer(price, **terms))


def cost(on, pieces=(), **changes):
    """The printed cost and the verdict on a large budget."""
    found = finding(budget("100000 USD", **changes), pieces, on)
    return number_text(found.need.high), found.verdict


# --- Budget ------------------------------------------------------------------------------------


def test_the_very_budget_is_admissible_and_a_cent_more_is_not():
    """60 USD against 60 USD."""
    for price, expected in (("60 USD", ADMISSIBLE), ("60.01 USD", EXCLUDE)):
        found = finding(budget("60 USD"), [quote(price)], renting(price))
        assert found.verdict is expected
    assert finding(budget("60 USD"), [quote("60 USD")], renting("60 USD")).margin.low == 0


def test_tax_untold_is_to_confirm():
    """55.71 USD with tax untold: the budget is before tax, the price nobody knows."""
    found = finding(budget("60 USD"), [quote("55.71 USD")], renting("55.71 USD", tax=None))
    assert found.verdict is TO_CONFIRM
    assert says(found, "includes tax")
    assert number_text(found.need.low) == "55.71"


def test_a_row_without_a_quote_never_admits():
    found = finding(budget(), [], renting())
    assert found.verdict is TO_CONFIRM
    assert says(found, "get a quote")


def test_a_row_without_a_quote_may_exclude():
    """DESIGN 4: each unknown opens the upper end only."""
    assert verdict(budget("40 USD"), [], renting()) is EXCLUDE


def test_the_budget_is_shown_and_says_where_an_open_cost_turns():
    """A threshold that the fiche states is never unknown."""
    alone = finding(budget("60 USD", tax="included"), [], candidate())
    unquoted = finding(budget("60 USD", tax="included"), [], renting("47.14 USD", tax=None))
    for found in (alone, unquoted):
        assert found.verdict is TO_CONFIRM
        assert number_text(found.have.low) == "60"
        assert {c.threshold for c in found.conditions} == {"<= 60 USD, tax included"}


def test_without_an_offer_or_a_price_there_is_no_cost():
    bare = candidate()
    found = finding(budget(), [], bare)
    assert (found.verdict, found.need, topics(found)) == (TO_CONFIRM, None, {"cost"})


def test_a_budget_that_says_nothing_of_tax_is_to_confirm():
    found = finding(budget(tax=None), [quote()], renting())
    assert found.verdict is TO_CONFIRM
    assert says(found, "before or after tax")


# --- Lots, cards, hours ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("need", "printed"),
    [
        ("70 h", "47.14"),
        ("72 h", "47.14"),
        ("73 h", "94.28"),
        ("100 h", "94.28"),
        ("144 h", "94.28"),
        ("145 h", "141.42"),
    ],
)
def test_hours_become_whole_lots(need, printed):
    """A 70 h need on a 3-day lot costs one lot; 73 h and 100 h cost two."""
    assert cost(renting(need=need), [quote()]) == (printed, ADMISSIBLE)


def test_untold_terms_of_extension_leave_the_second_lot_open():
    """73 h costs two lots, "or to confirm if extension terms are not written"."""
    on = renting(need="73 h", extension=None)
    assert cost(on, [quote()]) == ("94.28", TO_CONFIRM)
    assert says(finding(budget(), [quote()], on), "extended: by lots or by hours")
    assert verdict(budget("60 USD"), [quote()], on) is TO_CONFIRM  # by the hour it would be 47.80
    assert verdict(budget("47 USD"), [quote()], on) is EXCLUDE
    assert cost(renting(need="70 h", extension=None), [quote()]) == ("47.14", ADMISSIBLE)


def test_hours_may_be_added_where_the_terms_say_so():
    per_hour = Fraction("47.14") / 72
    found = finding(budget(), [quote()], renting(need="73 h", extension="hours"))
    assert found.verdict is ADMISSIBLE
    assert found.need.high == 73 * per_hour
    assert cost(renting(need="10 h", extension="hours"), [quote()])[0] == "47.14"


def test_an_extension_may_be_attested():
    told = document("terms", attest("extension", terms="hours"), offer="offer-01")
    on = renting(need="73 h", extension=None)
    found = finding(budget(), [quote(), told], on)
    assert found.verdict is ADMISSIBLE
    assert set(found.pieces) == {"quote", "terms"}


def test_a_price_by_the_hour_needs_no_terms_of_extension():
    on = renting("0.50 USD", per="1 h", need="100 h", extension=None)
    assert cost(on, [quote("0.50 USD")]) == ("50", ADMISSIBLE)


@pytest.mark.parametrize(
    ("price", "per", "need", "printed"),
    [
        ("11773.44 USD", "672 h", "672 h", "11773.44"),
        ("1250 USD", "730 h", "730 h", "1250"),
        ("17796.48 USD", "744 h", "744 h", "17796.48"),
        ("11773.44 USD", "672 h", "730 h", "23546.88"),
        ("17.52 USD", "1 h", "672 h", "11773.44"),
        ("1.7120 USD", "1 h", "730 h", "1249.76"),
        ("23.92 USD", "1 h", "744 h", "17796.48"),
    ],
)
def test_a_month_is_as_long_as_its_seller_says(price, per, need, printed):
    """Three sellers' months: 672, 730 and 744 hours."""
    assert cost(renting(price, per=per, need=need), [quote(price)])[0] == printed


def test_a_price_without_its_period_has_no_upper_end():
    found = finding(budget(), [quote()], renting(per=None))
    assert found.verdict is TO_CONFIRM
    assert (number_text(found.need.low), found.need.high) == ("47.14", None)
    assert says(found, "how many hours")


def test_an_untold_duration_has_no_upper_end():
    on = candidate(load=workload(duration=None), offer=offer())
    found = finding(budget(), [quote()], on)
    assert found.verdict is TO_CONFIRM
    assert found.need.high is None
    assert "duration" in topics(found)
    assert verdict(budget("47 USD"), [quote()], on) is EXCLUDE


def test_a_purchase_needs_no_hours():
    load = workload(duration=None)
    bought = candidate(load=load, offer=offer("1999 USD", kind="buy", per=None))
    assert cost(bought, [quote("1999 USD")]) == ("1999", ADMISSIBLE)


def test_the_shortest_rental_is_paid():
    on = renting("0.50 USD", per="1 h", need="1 h", min_time="8 h")
    assert cost(on, [quote("0.50 USD")])[0] == "4"


@pytest.mark.parametrize(
    ("price", "covers", "cards", "printed"),
    [
        ("0.50 USD", "card", 8, "4"),
        ("4.00 USD", "lot", 8, "4"),
        ("0.50 USD", "lot", 8, "0.5"),
        ("0.50 USD", "card", 1, "4"),
        ("0.50 USD", "card", 9, "8"),
        ("4.00 USD", "lot", 9, "8"),
    ],
)
def test_a_price_per_card_is_paid_for_every_card_of_the_lots(price, covers, cards, printed):
    """8 x 0.50 = 4.00; a lot is bought whole."""
    on = renting(price, cards=cards, covers=covers, cards_per_lot=8)
    assert cost(on, [quote(price)])[0] == printed


def test_what_a_price_covers_must_be_told_where_it_matters():
    on = renting("0.50 USD", cards=8, covers=None, cards_per_lot=8)
    found = finding(budget("1 USD"), [quote("0.50 USD")], on)
    assert found.verdict is TO_CONFIRM
    assert (found.need.low, found.need.high) == (Fraction("0.5"), 4)
    assert says(found, "what the price")
    one = renting("0.50 USD", covers=None)
    assert cost(one, [quote("0.50 USD")]) == ("0.5", ADMISSIBLE)


def test_the_cards_of_a_lot_must_be_told_where_it_matters():
    on = renting(cards=2, cards_per_lot=None)
    found = finding(budget("1000 USD"), [quote()], on)
    assert found.verdict is TO_CONFIRM
    assert (number_text(found.need.low), number_text(found.need.high)) == ("47.14", "94.28")
    assert cost(renting(cards=2, cards_per_lot=None, covers="card"), [quote()])[0] == "94.28"
    assert cost(renting(cards=1, cards_per_lot=None), [quote()])[0] == "47.14"


@pytest.mark.parametrize(("covers", "printed"), [("lot", "12"), ("card", "24")])
def test_the_smallest_order_is_in_lots(covers, printed):
    on = renting("4 USD", cards_per_lot=2, min_order=3, covers=covers, cards=2)
    assert cost(on, [quote("4 USD")])[0] == printed


def test_a_smallest_order_counts_without_the_cards_of_a_lot_too():
    on = renting("4 USD", cards_per_lot=None, min_order=3)
    assert cost(on, [quote("4 USD")])[0] == "12"


def test_more_lots_than_the_seller_has_are_to_confirm():
    """Listed is not in stock."""
    on = renting(cards=8, lots_max=5)
    found = finding(budget("1000 USD"), [quote()], on)
    assert found.verdict is TO_CONFIRM
    assert says(found, "5 lots at most")


# --- Charges beside the price ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per", "printed"), [("order", "22"), ("lot", "32"), ("card", "52"), ("lot hour", "1452")]
)
def test_a_charge_is_paid_as_often_as_its_seller_says(per, printed):
    terms = {"setup": "10 USD", "setup__per": per, "cards_per_lot": 2}
    on = renting("6 USD", cards=4, **terms)
    assert cost(on, [quote("6 USD")])[0] == printed


def test_a_charge_that_cannot_be_counted_opens_the_cost_and_is_named():
    on = renting(storage="0.10 USD", storage__per="GB month")
    found = finding(budget(), [quote()], on)
    assert found.verdict is TO_CONFIRM
    assert says(found, "what storage costs")
    assert "storage" in found.need.left_out


def test_what_is_left_out_is_named_and_what_is_counted_is_not():
    """Law 8: nothing silent."""
    on = renting(setup="5 USD", setup__per="order", storage="0 USD", storage__per="GB")
    found = finding(budget(), [quote()], on)
    assert (number_text(found.need.high), found.need.left_out) == ("52.14", ("egress",))


# --- Tax ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told", "rate", "at_most", "expected"),
    [
        ("excluded", "excluded", None, "60 USD", ADMISSIBLE),
        ("included", "included", None, "60 USD", ADMISSIBLE),
        ("included", "excluded", "20 %", "72 USD", ADMISSIBLE),
        ("included", "excluded", "20 %", "71.99 USD", EXCLUDE),
        ("excluded", "included", "20 %", "50 USD", ADMISSIBLE),
        ("excluded", "included", "20 %", "49.99 USD", EXCLUDE),
        ("included", "excluded", None, "60 USD", TO_CONFIRM),
        ("included", "excluded", None, "59 USD", EXCLUDE),  # tax adds, so it is above already
        ("excluded", "included", None, "60 USD", TO_CONFIRM),
        ("excluded", "included", None, "59 USD", TO_CONFIRM),  # less tax, it may be within
        ("included", None, None, "59 USD", EXCLUDE),
        ("excluded", None, None, "59 USD", TO_CONFIRM),
        (None, "excluded", None, "59 USD", EXCLUDE),
        (None, "included", None, "59 USD", TO_CONFIRM),
        (None, None, None, "59 USD", TO_CONFIRM),
    ],
)
def test_amounts_compare_on_the_budget_s_basis(asked, told, rate, at_most, expected):
    """An amount of 60 USD; what is unknown opens the end that it could move."""
    on = renting("60 USD", tax=told, tax_rate=rate)
    assert verdict(budget(at_most, tax=asked), [quote("60 USD")], on) is expected


def test_tax_may_be_attested():
    told = attest("tax", basis="excluded", rate=ratio("20 %"))
    on = renting("60 USD", tax=None)
    assert verdict(budget("72 USD", tax="included"), [quote("60 USD", told)], on) is ADMISSIBLE


# --- Validity ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "until", "expected"),
    [
        (None, DATE, ADMISSIBLE),
        (DATE, DATE, ADMISSIBLE),
        (None, "2026-11-28", TO_CONFIRM),
        ("2026-11-30", "2026-12-31", TO_CONFIRM),
        ("2026-11-01", None, TO_CONFIRM),
        (None, None, TO_CONFIRM),
    ],
)
def test_a_price_must_hold_at_the_decision_s_date(start, until, expected):
    """The last day counts."""
    on = renting(valid_from=start, valid_until=until)
    found = finding(budget(), [quote()], on)
    assert found.verdict is expected
    assert expected is ADMISSIBLE or says(found, DATE)


def test_an_expired_quote_never_admits_and_says_so():
    ended = attest("validity", until="2026-11-28")
    found = finding(budget(), [quote("47.14 USD", ended)], renting(valid_until=None))
    assert found.verdict is TO_CONFIRM
    assert says(found, "renew offer-01.*expired")


def test_a_renewed_quote_holds_whatever_ended_before():
    ended = attest("validity", until="2026-11-28")
    renewed = document("renewed", attest("validity", until="2026-12-31"), offer="offer-01")
    on = renting(valid_until="2026-11-28")
    assert verdict(budget(), [quote("47.14 USD", ended), renewed], on) is ADMISSIBLE


def test_a_row_that_holds_against_a_quote_that_ended_is_a_conflict():
    ended = attest("validity", until="2026-11-28")
    found = finding(budget(), [quote("47.14 USD", ended)], renting())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


# --- Quotes ------------------------------------------------------------------------------------


def test_a_quote_that_says_another_price_than_the_row_is_a_conflict():
    found = finding(budget(), [quote("55.71 USD")], renting())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "55.71 USD.*47.14 USD")


def test_two_quotes_that_differ_are_a_conflict_in_either_order():
    both = [quote(), quote("55.71 USD", id="other")]
    for pieces in (both, both[::-1]):
        assert finding(budget(), pieces, renting()).reason == "conflict"


@pytest.mark.parametrize(
    "told",
    [
        {"per": hours("24 h", declared)},
        {"covers": "card"},
    ],
)
def test_a_quote_that_differs_in_what_it_pays_for_is_a_conflict(told):
    priced = attest("price", amount=money("47.14 USD", declared), **told)
    found = finding(budget(), [document("quote", priced, offer="offer-01")], renting())
    assert found.reason == "conflict"


def test_a_tax_basis_that_differs_is_a_conflict():
    told = attest("tax", basis="included")
    assert finding(budget(), [quote("47.14 USD", told)], renting()).reason == "conflict"


def test_the_quote_of_another_offer_attests_nothing_here():
    """Documents scoped to another offer."""
    assert verdict(budget(), [quote(offer="offer-02")], renting()) is TO_CONFIRM


def test_a_price_list_of_the_card_is_no_quote():
    """D3: a card's name says nothing of what is charged."""
    listed = document("list", attest("price", amount=money("47.14 USD", declared)), gpu="x")
    mine = document(
        "list", attest("price", amount=money("47.14 USD", declared)), gpu="nvidia-rtx-4090-24g"
    )
    assert verdict(budget(), [listed], renting()) is TO_CONFIRM
    assert verdict(budget(), [mine], renting()) is TO_CONFIRM


def test_the_quote_that_the_row_names_is_its_quote():
    plain = document("quote-17", attest("price", amount=money("47.14 USD", declared)))
    assert verdict(budget(), [plain], renting(quote="quote-17")) is ADMISSIBLE
    assert verdict(budget(), [plain], renting(quote="quote-18")) is TO_CONFIRM


def test_a_price_on_somebody_s_word_names_them_and_needs_the_neutral_policy():
    told = attest("price", amount=money("47.14 USD", declared), quoted=False, by="C. Ito")
    word = document("word", told, offer="offer-01")
    found = finding(budget(), [word], renting())
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(budget(), [word], renting(), policy=STRICT) is TO_CONFIRM
    nobody = replace(word, attested=(replace(told, by=""),))
    assert verdict(budget(), [nobody], renting()) is TO_CONFIRM


# --- Currency ----------------------------------------------------------------------------------


def test_euros_are_not_compared_with_dollars():
    """DESIGN 4: no exchange rate without its date and source."""
    for price in ("1 EUR", "1000 EUR"):
        found = finding(budget("60 USD"), [quote(price)], renting(price))
        assert found.verdict is TO_CONFIRM
        assert "EUR" in texts(found)
        assert "rate with date and source" in texts(found)


def test_a_quote_in_another_currency_than_the_row_is_a_conflict():
    assert finding(budget(), [quote("47.14 EUR")], renting()).reason == "conflict"


def test_a_charge_in_another_currency_is_not_added():
    on = renting(setup="5 EUR", setup__per="order")
    found = finding(budget(), [quote()], on)
    assert found.verdict is TO_CONFIRM
    assert number_text(found.need.high) == "47.14"
    assert "setup" in found.need.left_out


# --- Corners that only a changed line showed ---------------------------------------------------


def test_as_many_lots_as_the_seller_has_are_no_question():
    assert cost(renting(cards=5, lots_max=5), [quote()])[1] is ADMISSIBLE


def test_what_is_untold_of_the_validity_is_asked_and_what_ended_is_renewed():
    untold = finding(budget(), [quote()], renting(valid_until=None))
    assert says(untold, "until when offer-01 holds")
    early = finding(budget(), [quote()], renting(valid_from="2026-12-01"))
    assert says(early, "renew offer-01: it does not hold on 2026-11-29 .early.")


def test_a_row_that_ended_and_a_quote_that_ended_agree():
    ended = attest("validity", until="2026-11-27")
    found = finding(budget(), [quote("47.14 USD", ended)], renting(valid_until="2026-11-28"))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "open")


def test_one_lot_of_untold_size_holds_the_one_card():
    on = renting(cards=1, cards_per_lot=None, covers=None)
    assert cost(on, [quote()]) == ("47.14", ADMISSIBLE)


def test_a_charge_by_the_hour_needs_the_hours():
    on = renting(per=None, setup="1 USD", setup__per="lot hour")
    found = finding(budget(), [quote()], on)
    assert says(found, "what setup costs")
    month = renting(storage="1 USD", storage__per="lot month")
    assert says(finding(budget(), [quote()], month), "what storage costs")
