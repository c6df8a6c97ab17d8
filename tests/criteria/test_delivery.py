"""Delivery: a documented date; declared stock proves none (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    offer,
    requirement,
    says,
    topics,
    verdict,
)

BY = requirement("delivery", by="2026-12-15")


def promised(earliest, id="quote", scope=None, **changes):
    told = attest("delivery", earliest=earliest, id=id, **changes)
    return document(id, told, **(scope or {"offer": "offer-01"}))


def bought(**terms):
    return candidate(offer=offer(**terms))


@pytest.mark.parametrize(
    ("earliest", "expected"),
    [("2026-12-14", ADMISSIBLE), ("2026-12-15", ADMISSIBLE), ("2026-12-16", EXCLUDE)],
)
def test_a_documented_date_settles_it_and_the_last_day_counts(earliest, expected):
    found = finding(BY, [promised(earliest)], bought())
    assert found.verdict is expected
    assert found.need.label == earliest


def test_what_the_offer_s_row_says_documents_nothing():
    on = bought(delivery__earliest="2026-12-01", stock__free=8)
    found = finding(BY, [], on)
    assert found.verdict is TO_CONFIRM
    assert topics(found) == {"delivery"}
    assert found.conditions[0].threshold == "no later than 2026-12-15"


def test_another_offer_s_or_the_card_s_date_says_nothing():
    other = promised("2026-12-01", scope={"offer": "offer-02"})
    sheet = promised("2026-12-01", scope={"gpu": "nvidia-rtx-4090-24g"})
    assert verdict(BY, [other, sheet], bought()) is TO_CONFIRM


def test_two_dates_that_disagree_about_the_deadline_are_a_conflict():
    found = finding(BY, [promised("2026-12-01"), promised("2026-12-20", "mail")], bought())
    assert found.reason == "conflict"
    assert says(found, "2026-12-01.*2026-12-20")


def test_of_two_dates_that_are_early_enough_the_later_counts():
    found = finding(BY, [promised("2026-12-10", "mail"), promised("2026-12-01")], bought())
    assert found.verdict is ADMISSIBLE
    assert found.need.label == "2026-12-10"


def test_a_date_on_somebody_s_word_needs_the_neutral_policy():
    word = promised("2026-12-01", quoted=False, by="C. Ito")
    found = finding(BY, [word], bought())
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(BY, [word], bought(), policy=STRICT) is TO_CONFIRM


ORDERED = requirement("delivery", by="2026-12-15", ordered="2026-12-10")


@pytest.mark.parametrize(
    ("until", "expected"),
    [("2026-12-10", ADMISSIBLE), ("2026-12-09", TO_CONFIRM), (None, TO_CONFIRM)],
)
def test_a_promise_must_still_hold_on_the_day_of_the_order(until, expected):
    told = [attest("delivery", earliest="2026-12-14", id="quote")]
    told += [attest("validity", until=until, id="quote")] if until else []
    found = finding(ORDERED, [document("quote", *told, offer="offer-01")], bought())
    assert found.verdict is expected
    if expected is TO_CONFIRM:
        assert says(found, "for an order of 2026-12-10")
        assert says(found, "quote holds until" if until else "quote does not say until when")


def test_of_two_days_until_which_a_promise_holds_the_earlier_counts():
    told = [attest("delivery", earliest="2026-12-14", id="quote")]
    told += [attest("validity", until=day, id="quote") for day in ("2026-12-31", "2026-12-09")]
    made = document("quote", *told, offer="offer-01")
    assert says(finding(ORDERED, [made], bought()), "quote holds until 2026-12-09")
    later = [told[0], attest("validity", until="2026-12-31", id="quote", **{"from": "2026-12-11"})]
    made = document("quote", *later, offer="offer-01")
    assert says(finding(ORDERED, [made], bought()), "quote holds from 2026-12-11")
