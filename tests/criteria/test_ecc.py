"""ECC as delivered: that a card can is not that it is (catalog.md 1.2: with it on, less is visible)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    MACHINE,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    of_catalog,
    offer,
    printing,
    requirement,
    says,
    topics,
    typed,
    verdict,
)
from evaluate.build import card as a_card

from fiche.kernel.record import replace

ON, OFF = requirement("ecc", state="on"), requirement("ecc", state="off")
A40 = "nvidia-a40-48g"


def told(state, id="quote", **scope):
    return document(id, attest("ecc", id=id, state=state), **(scope or {"offer": "offer-01"}))


def rented(**changes):
    return candidate(offer=offer(), **changes)


def test_that_the_card_can_is_to_confirm():
    """The catalog's `yes` says that its memory can run with ECC."""
    found = finding(ON, [], of_catalog(A40))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"ecc"})
    assert says(found, "the catalog says that it can, not that it is set")
    assert verdict(OFF, [], of_catalog(A40)) is TO_CONFIRM


def test_that_the_card_cannot_settles_it():
    on = candidate(card=a_card(ecc="no"))
    assert verdict(ON, [], on) is EXCLUDE
    assert verdict(OFF, [], on) is ADMISSIBLE


@pytest.mark.parametrize(
    ("asked", "state", "expected"),
    [(ON, "on", ADMISSIBLE), (ON, "off", EXCLUDE), (OFF, "off", ADMISSIBLE), (OFF, "on", EXCLUDE)],
)
def test_what_the_machine_prints_or_its_seller_attests_settles_it(asked, state, expected):
    assert verdict(asked, [printing(ecc=state)]) is expected
    assert verdict(asked, [printing(devices__0__ecc=state)]) is expected
    assert verdict(asked, [told(state)], rented()) is expected


def test_a_card_s_sheet_says_nothing_of_a_machine():
    """D3."""
    assert verdict(ON, [told("on", gpu=GPU)], rented()) is TO_CONFIRM
    assert verdict(ON, [told("on", offer="offer-02")], rented()) is TO_CONFIRM
    assert verdict(ON, [printing(machine="node-8", ecc="on")]) is TO_CONFIRM


def test_every_card_is_told():
    two = candidate(cards=2)
    assert verdict(ON, [printing(devices__0__ecc="on")], two) is TO_CONFIRM
    both = printing(devices__0__ecc="on", devices__1__ecc="off")
    assert verdict(ON, [both], two) is EXCLUDE
    assert verdict(OFF, [both], two) is EXCLUDE
    assert verdict(ON, [printing(ecc="on")], two) is ADMISSIBLE


def test_a_seller_against_the_machine_is_a_conflict():
    found = finding(ON, [printing(ecc="off"), told("on")], rented())
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


def test_a_state_that_somebody_typed_counts_on_that_word():
    seen = replace(printing(), typed={"ecc": typed("on", "C. Ito")})
    found = finding(ON, [seen])
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(ON, [seen], policy=STRICT) is TO_CONFIRM
    nobody = replace(printing(), typed={"ecc": typed("on", "")})
    assert verdict(ON, [nobody]) is TO_CONFIRM


def test_what_is_neither_on_nor_off_settles_nothing():
    assert verdict(ON, [printing(ecc="n/a")]) is TO_CONFIRM
    assert says(finding(ON, []), f"have machine {MACHINE} print the ECC state")
