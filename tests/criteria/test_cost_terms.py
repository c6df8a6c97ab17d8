"""What a package costs beside its price: storage, months, commitments, tax recovered, currencies (D2, D9)."""

import re
from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    DATE,
    EXCLUDE,
    TO_CONFIRM,
    assumed,
    attest,
    budget,
    candidate,
    declared,
    document,
    finding,
    ground,
    hours,
    offer,
    piece,
    policy,
    quote,
    ratio,
    says,
    second,
    texts,
    topics,
    verdict,
    workload,
)

from fiche.criteria._package import package
from fiche.criteria._words import number_text
from fiche.kernel import trace
from fiche.kernel.bill import figures_of
from fiche.kernel.purchase import Purchase, Rate
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, HOUR, money

GB = 10**9


def renting(price="100 USD", need="730 h", *, cards=1, **terms):
    told = {"per": "730 h", "price__unit": "month", **terms}
    return candidate(cards=cards, load=workload(duration=need), offer=offer(price, **told))


def billed(on, pieces=(), basis="excluded", currency="", **changes):
    found = package(on, basis, ground(pieces, on=on, **changes), currency)
    assert found is not None
    return found


def data(count):
    return declared(count, BYTE)


def open_of(found):
    return "; ".join(condition.text for condition in found.open)


# --- Storage, egress, months -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("per", "need", "terms", "printed"),
    [
        ("GB", "730 h", {}, "20"),
        ("GB month", "730 h", {}, "20"),
        ("GB month", "731 h", {}, "40"),  # two whole months are rented
        ("GB month", "365 h", {"extension": "hours"}, "20"),  # one period is the least that is paid
        ("GB month", "1095 h", {"extension": "hours", "storage__begun": "pro_rata"}, "30"),
        ("GB month", "1095 h", {"extension": "hours", "storage__begun": "whole"}, "40"),
    ],
)
def test_storage_by_the_gb_counts_the_data_planned_and_the_seller_s_months(
    per, need, terms, printed
):
    """200 GB at 0.10: months are those of the rental, by the seller's own hours of a month."""
    on = renting("0 USD", need, storage="0.10 USD", storage__per=per, **terms)
    on = replace(on, offer=_planned(on.offer, "storage", 200 * GB))
    found = billed(on)
    assert number_text(found.cost.high) == printed
    assert "storage" not in found.cost.left_out
    line = found.bill.lines[1]
    assert (line.name, line.gigabytes.low) == ("storage", 200)


def _planned(told, name, count):
    return replace(told, figures={**told.figures, f"{name}.quantity": data(count)})


def test_a_month_that_has_begun_and_is_untold_leaves_both_readings():
    on = renting("0 USD", "1095 h", extension="hours", storage="0.10 USD", storage__per="GB month")
    on = replace(on, offer=_planned(on.offer, "storage", 200 * GB))
    found = billed(on)
    assert (found.cost.low, found.cost.high) == (30, 40)
    assert "whether a month of storage that has begun is paid whole" in open_of(found)
    assert found.at_least.low == 30


def test_a_gib_is_more_than_a_gb():
    """B1: a seller's GB is 10^9 bytes."""
    on = renting("0 USD", egress="1 USD", egress__per="GB")
    on = replace(on, offer=_planned(on.offer, "egress", 2**30))
    assert billed(on).cost.high == Fraction(2**30, 10**9)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({}, "no quantity is planned"),
        (
            {"storage__quantity": data(GB), "price__unit": None, "per": "72 h"},
            "no hours of a month are told",
        ),
    ],
)
def test_what_a_charge_lacks_is_said_and_it_is_left_out(terms, why):
    on = renting(storage="0.10 USD", storage__per="GB month", **terms)
    found = billed(on, [quote("100 USD")])
    assert why in open_of(found)
    assert "storage" in found.cost.left_out
    assert found.bill.lines[1].amount is None


def test_a_price_of_days_takes_the_month_of_its_seller():
    """The hours of a month stand beside a price that is for another time."""
    on = renting(
        "10 USD", "73 h", per="73 h", price__unit=None, month=declared(730, HOUR),
        storage="1 USD", storage__per="GB month", storage__begun="pro_rata",
        storage__quantity=data(100 * GB),
    )  # fmt: skip
    assert number_text(billed(on).cost.high) == "20"


def test_data_beside_a_card_that_is_bought_is_stored_for_a_time_that_nobody_states():
    on = renting(kind="buy", per=None, storage="1 USD", storage__per="GB month")
    on = replace(on, offer=_planned(on.offer, "storage", GB))
    assert "storage" in billed(on).cost.left_out


# --- Commitment and minimum ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bound", "need", "paid"), [("2190 h", "40 h", 3), ("2190 h", "3000 h", 5), ("1 h", "40 h", 1)]
)
def test_a_commitment_is_the_least_time_to_pay(bound, need, paid):
    on = renting(need=need, commitment=hours(bound, declared))
    assert billed(on).bill.term.periods.low == paid


def test_a_commitment_in_words_leaves_the_cost_open():
    """Three months are no hours, until the seller says which."""
    on = renting(commitment="3 months")
    found = finding(budget("1000 USD"), [quote("100 USD")], on)
    assert found.verdict is TO_CONFIRM
    assert says(found, "in hours what '3 months' binds")
    assert verdict(budget("1000 USD"), [quote("100 USD")], renting(commitment="none")) is ADMISSIBLE


@pytest.mark.parametrize(
    ("need", "extension", "known"),
    [("100 h", None, True), ("6000.5 h", None, False), ("6000.5 h", "hours", True)],
)
def test_a_part_of_an_hour_is_paid_as_the_seller_says(need, extension, known):
    on = renting("1 USD", need, per="1 h", price__unit="hour", extension=extension)
    found = billed(on, [quote("1 USD")])
    assert found.known is known
    assert known or "by lots or by hours" in open_of(found)


# --- Tax -------------------------------------------------------------------------------------------


def taxed(basis="excluded", rate="20 %", recovery="25 %", asked="payable", price="100 USD"):
    on = renting(price, tax=basis, tax_rate=rate)
    buyer = Purchase(recovery=None if recovery is None else ratio(recovery))
    return billed(on, [quote(price)], asked, purchase=buyer)


@pytest.mark.parametrize(
    ("basis", "price", "totals"),
    [
        ("excluded", "100 USD", (100, 20, 120, 5, 115)),
        ("included", "120 USD", (100, 20, 120, 5, 115)),
    ],
)
def test_payable_is_before_tax_and_the_tax_that_is_not_recovered(basis, price, totals):
    """Catalog 6: compare before tax, and state the payable amount with the buyer's own recovery rate."""
    bill = taxed(basis, price=price).bill
    assert [
        t.low for t in (bill.before_tax, bill.tax, bill.after_tax, bill.recovered, bill.payable)
    ] == list(totals)
    assert bill.before_tax.low + bill.tax.low == bill.after_tax.low
    assert bill.after_tax.low - bill.recovered.low == bill.payable.low


def test_an_unknown_recovery_leaves_the_payable_amount_to_confirm():
    """Catalog 6: unknown = to confirm. The cost before tax is known all the same."""
    found = taxed(recovery=None)
    assert found.bill.payable is None
    assert "buyer.tax_recovery" in open_of(found)
    assert found.at_least.low == 100
    assert taxed(recovery=None, asked="excluded").known


@pytest.mark.parametrize(
    ("basis", "recovery", "payable"),
    [
        ("excluded", "100 %", 100),
        ("included", "0 %", 100),
        ("excluded", "0 %", None),
        ("included", "100 %", None),
        ("excluded", "50 %", None),
    ],
)
def test_all_or_nothing_recovered_needs_no_rate(basis, recovery, payable):
    found = taxed(basis, None, recovery)
    assert (None if found.bill.payable is None else found.bill.payable.low) == payable
    assert found.known is (payable is not None)


def test_a_rate_of_nothing_needs_no_recovery():
    found = taxed(rate="0 %", recovery=None)
    assert (found.bill.payable.low, found.known) == (100, True)


@pytest.mark.parametrize(
    ("at_most", "expected"),
    [("115 USD", ADMISSIBLE), ("114.99 USD", EXCLUDE), ("100 USD", EXCLUDE)],
)
def test_a_budget_may_be_of_what_is_payable(at_most, expected):
    on = renting(tax_rate="20 %")
    buyer = Purchase(recovery=ratio("25 %"))
    asked = budget(at_most, tax="payable")
    assert verdict(asked, [quote("100 USD")], on, purchase=buyer) is expected


@pytest.mark.parametrize(("at_most", "expected"), [("99 USD", EXCLUDE), ("110 USD", TO_CONFIRM)])
def test_what_is_payable_is_at_least_the_amount_before_tax(at_most, expected):
    asked = budget(at_most, tax="payable")
    assert verdict(asked, [quote("100 USD")], renting(tax_rate="20 %")) is expected


def test_the_cost_is_one_of_the_bill_s_own_totals():
    for asked, key in (
        ("excluded", "before_tax"),
        ("included", "after_tax"),
        ("payable", "payable"),
    ):
        found = taxed(asked=asked)
        assert getattr(found.bill, key).origin is found.cost.origin
        assert (found.bill.compared, found.bill.basis) == (found.cost, asked)
    untold = taxed(basis=None, rate=None)
    assert (untold.bill.net.origin, untold.bill.basis) == (untold.cost.origin, "")


def test_every_number_of_a_bill_has_its_own_id():
    told = figures_of(taxed().bill)
    own = [
        node.id for name, node in told.items() if node.id.startswith("rent") and name != "compared"
    ]
    assert len(own) == len(set(own)) == 11
    assert told["compared"].id == "rent.cost"
    assert told["before_tax"].id == "rent/bill.before_tax"


# --- Currency --------------------------------------------------------------------------------------


def rates(value="1.25", *, source="EUR", target="USD", date=DATE, printed=True, of=""):
    unit = money(target).per(money(source))
    name = f"exchange.{source}.{target}"
    make = declared if printed else assumed
    figure = make(Fraction(value), unit, id=name)
    told = Rate(source=source, target=target, figure=figure, date=date, told_by="a bank", piece=of)
    return Purchase(currency="EUR", rates=(told,))


def test_a_rate_leads_in_both_directions():
    there = billed(renting("100 USD"), currency="EUR", purchase=rates())
    back = billed(renting("80 EUR"), currency="USD", purchase=rates())
    assert (there.cost.low, str(there.cost.unit)) == (80, "EUR")
    assert (back.cost.low, str(back.cost.unit)) == (100, "USD")
    assert there.bill.before_tax.low == 100
    assert there.bill.rate.date == DATE


def test_a_printed_rate_is_firm_and_decides():
    on, told = renting("100 USD"), [quote("100 USD")]
    assert verdict(budget("80 EUR"), told, on, purchase=rates()) is ADMISSIBLE
    assert verdict(budget("79.99 EUR"), told, on, purchase=rates()) is EXCLUDE


@pytest.mark.parametrize(("at_most", "would_be"), [("80 EUR", ADMISSIBLE), ("79 EUR", EXCLUDE)])
def test_a_typed_rate_is_assumed_and_only_a_second_reading_takes_it(at_most, would_be):
    """Catalog 6: a converted amount without its document is assumed; it never admits or excludes."""
    on, told, buyer = renting("100 USD"), [quote("100 USD")], rates(printed=False)
    found = finding(budget(at_most), told, on, purchase=buyer)
    assert found.verdict is TO_CONFIRM
    assert says(found, "attach what prints the rate")
    (reading,) = second(budget(at_most), told, on, purchase=buyer)
    assert reading.would_be is would_be
    assert "exchange.EUR.USD = 1.25 USD/EUR" in reading.if_held[0]
    assert not trace.firm(billed(on, told, currency="EUR", purchase=buyer).cost)


def test_without_a_rate_a_cost_stays_in_its_own_currency_and_says_which_is_missing():
    found = billed(renting("100 USD"), [quote("100 USD")], currency="EUR")
    assert (str(found.cost.unit), found.comparable, found.known) == ("USD", False, False)
    assert "the price is in USD, and compared in EUR: state a rate" in open_of(found)
    other = billed(renting("100 USD"), currency="CHF", purchase=rates())
    assert not other.comparable


@pytest.mark.parametrize(
    ("age", "ages", "counts"),
    [
        (30, {}, True),
        (30, {"exchange": 30}, True),
        (31, {"exchange": 30}, False),
        (31, {"others": 30}, False),
        (31, {"exchange": 40, "others": 30}, True),
    ],
)
def test_a_rate_grows_old_by_the_policy(age, ages, counts):
    days = {30: "2026-10-30", 31: "2026-10-29"}
    judge = replace(policy(), max_age=ages)
    buyer = rates(date=days[age])
    found = billed(renting("100 USD"), currency="EUR", purchase=buyer, policy=judge)
    assert found.comparable is counts
    assert counts or re.search("renew the rate.*31 days before the decision", open_of(found))


def test_a_rate_of_a_later_day_does_not_count():
    found = billed(renting("100 USD"), currency="EUR", purchase=rates(date="2026-11-30"))
    assert not found.comparable
    assert "after the decision" in open_of(found)


def test_a_rate_falls_with_the_piece_that_prints_it():
    buyer = rates(of="ecb")
    assert not billed(renting("100 USD"), currency="EUR", purchase=buyer).comparable
    kept = billed(renting("100 USD"), [piece("ecb")], currency="EUR", purchase=buyer)
    assert kept.comparable
    assert "ecb" in kept.pieces


# --- Hours that somebody assumes -------------------------------------------------------------------


def guessed(value=730, **terms):
    on = renting(**terms)
    figures = {**on.workload.figures, "duration": assumed(value, HOUR, "duration")}
    return replace(on, workload=replace(on.workload, figures=figures))


@pytest.mark.parametrize(
    ("need", "at_most", "firmly", "would_be"),
    [
        (730, "100 USD", TO_CONFIRM, ADMISSIBLE),
        (1460, "199 USD", TO_CONFIRM, EXCLUDE),
        (1460, "99 USD", EXCLUDE, None),  # one month is paid, whatever the guess
    ],
)
def test_guessed_hours_neither_admit_nor_exclude(need, at_most, firmly, would_be):
    """DESIGN 3: a guess stands for a second reading only."""
    on, told = guessed(need), [quote("100 USD")]
    found = finding(budget(at_most), told, on)
    assert found.verdict is firmly
    readings = second(budget(at_most), told, on)
    assert [reading.would_be for reading in readings] == [would_be] * (would_be is not None)
    assert firmly is EXCLUDE or "duration" in topics(found)


def test_a_cost_that_rests_on_a_guess_is_shown_and_not_known():
    found = billed(guessed(1460), [quote("100 USD")])
    assert (number_text(found.cost.high), found.known) == ("200", False)


# --- Stock -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "installed", "asked"),
    [(8, 8, False), (5, 8, True), (None, 8, False), (None, 7, True), (0, None, True)],
)
def test_what_is_free_bounds_an_order(free, installed, asked):
    on = renting(
        cards=8, covers="card", cards_per_lot=8, stock__free=free, stock__installed=installed
    )
    found = billed(on, [quote("100 USD")])
    assert ("availability" in {c.topic for c in found.open}) is asked


# --- The terms of a document -----------------------------------------------------------------------


def test_the_last_day_is_the_latest_that_a_document_states():
    ends = [attest("validity", until=day) for day in ("2026-12-05", "2026-12-20")]
    found = billed(renting(), [document("quote", *ends, offer="offer-01")])
    assert found.bill.valid_until == "2026-12-20"
    assert billed(renting()).bill.valid_until == "2026-12-31"


def test_people_and_pieces_of_a_bill_are_those_of_its_terms():
    word = document("told", attest("tax", basis="excluded", quoted=False), offer="offer-01")
    found = billed(renting(), [quote("100 USD"), word])
    assert set(found.bill.pieces) == {"quote", "told"}
    assert found.bill.by == ("A. Martin",)


def test_a_second_currency_of_a_budget_is_its_own_business():
    """The budget's currency is compared with, whatever all costs are shown in."""
    found = finding(budget("100 USD"), [quote("100 USD")], renting(), purchase=rates())
    assert (found.verdict, str(found.need.unit)) == (ADMISSIBLE, "USD")
    assert "EUR" not in texts(found)


def test_untold_terms_of_extension_leave_both_readings():
    """Catalog 5: 73 h of a 72-hour lot are two lots or 73/72 of one; neither is the cost."""
    on = renting("72 USD", "73 h", per="72 h", extension=None)
    found = billed(on, [quote("72 USD")])
    assert (found.cost.low, found.cost.high) == (73, 144)
    assert found.at_least.low == 73
    assert not found.known
    assert finding(budget("72.99 USD"), [quote("72 USD")], on).verdict is EXCLUDE
    assert finding(budget("73 USD"), [quote("72 USD")], on).verdict is TO_CONFIRM


def test_a_cost_that_the_asked_basis_has_no_amount_of_is_named_by_its_own():
    """Catalog 6: 100 USD before tax are not shown as if they were with tax."""
    on = renting("100 USD", "730 h", tax_rate=None)
    assert billed(on, basis="included").bill.basis == "excluded"
    assert billed(on, basis="excluded").bill.basis == "excluded"
    untold = renting("100 USD", "730 h", tax=None)
    assert billed(untold, basis="included").bill.basis == ""
