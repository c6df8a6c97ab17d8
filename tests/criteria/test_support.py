"""Support: hours until an answer, or a level by its name, in a document of the seller (D3)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    hours,
    offer,
    requirement,
    says,
    topics,
    verdict,
)

FOUR = requirement("support", at_most=hours("4 h"))
GOLD = requirement("support", support="Gold")


def granted(id="quote", **terms):
    return document(id, attest("support", id=id, **terms), offer="offer-01")


def on():
    return candidate(offer=offer())


@pytest.mark.parametrize(("time", "expected"), [("4 h", ADMISSIBLE), ("5 h", EXCLUDE)])
def test_the_hours_until_an_answer_settle_it(time, expected):
    assert verdict(FOUR, [granted(response=hours(time))], on()) is expected


def test_the_service_time_is_part_of_what_is_asked():
    asked = requirement("support", at_most=hours("4 h"), hours="24x7")
    assert verdict(asked, [granted(response=hours("2 h"), hours="24x7")], on()) is ADMISSIBLE
    office = finding(asked, [granted(response=hours("2 h"), hours="9 to 17")], on())
    assert (office.verdict, says(office, "9 to 17, and 24x7 is asked")) == (TO_CONFIRM, True)
    assert verdict(asked, [granted(response=hours("2 h"))], on()) is TO_CONFIRM


@pytest.mark.parametrize("told", ["24x7", "24/7", "24 x 7", "24X7"])
def test_one_service_time_is_written_in_several_ways(told):
    """An exclusion needs a proof (D1), and a way of writing is none."""
    asked = requirement("support", at_most=hours("4 h"), hours="24x7")
    assert verdict(asked, [granted(response=hours("2 h"), hours=told)], on()) is ADMISSIBLE
    level = requirement("support", support="Gold", hours="24x7")
    assert verdict(level, [granted(name="Gold", hours=told)], on()) is ADMISSIBLE
    other = finding(level, [granted(name="Gold", hours="working days")], on())
    assert (other.verdict, says(other, "working days, and 24x7")) == (TO_CONFIRM, True)


def test_a_level_goes_by_its_name_and_another_name_is_no_refusal():
    assert verdict(GOLD, [granted(name="gold")], on()) is ADMISSIBLE
    found = finding(GOLD, [granted(name="Basic")], on())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"support"})
    assert says(found, "quote names Basic")
    assert found.conditions[0].supplier == "provider A"


def test_hours_of_another_level_do_not_answer_for_this_one():
    asked = requirement("support", at_most=hours("4 h"), support="Gold")
    basic = granted(name="Basic", response=hours("2 h"))
    assert verdict(asked, [basic], on()) is TO_CONFIRM
    assert verdict(asked, [granted(name="Gold", response=hours("2 h"))], on()) is ADMISSIBLE


def test_two_documents_that_differ_are_a_conflict():
    pieces = [granted(response=hours("2 h")), granted("mail", response=hours("8 h"))]
    assert finding(FOUR, pieces, on()).reason == "conflict"
