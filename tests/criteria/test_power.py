"""Power: watts in the term they are declared in; TDP, TGP and TBP do not compare (catalog.md 6)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    TO_CONFIRM,
    attest,
    candidate,
    declared,
    document,
    finding,
    of_catalog,
    requirement,
    says,
    stated,
    topics,
    verdict,
)
from evaluate.build import card as a_card

from fiche.kernel.unit import WATT


def at_most(watts, **words):
    return requirement("power", at_most=stated(watts, WATT), **words)


def on(watts=450, **facts):
    return candidate(card=a_card(power=watts, **facts))


def sheet(watts, term=None, gpu=GPU):
    words = {} if term is None else {"term": term}
    return document("sheet", attest("power", value=declared(watts, WATT), **words), gpu=gpu)


@pytest.mark.parametrize(("limit", "expected"), [(450, ADMISSIBLE), (449, EXCLUDE)])
def test_the_card_s_declared_power_settles_it_and_rests_on_no_piece(limit, expected):
    """Declared: firm for what it attests; the catalog's row is no piece."""
    found = finding(at_most(limit), [], on())
    assert (found.verdict, found.pieces) == (expected, ())


def test_without_a_power_it_is_to_confirm():
    found = finding(at_most(300), [], candidate())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"power"})
    assert found.conditions[0].threshold == "<= 300 W"


def test_only_the_term_that_is_asked_for_compares():
    """MI250X: 500 W TDP, 560 W peak TBP."""
    tdp = on(500, power__term="TDP")
    assert verdict(at_most(550, term="TDP"), [], tdp) is ADMISSIBLE
    assert verdict(at_most(550, term="tdp"), [], tdp) is ADMISSIBLE
    assert verdict(at_most(550, term="TBP"), [], tdp) is TO_CONFIRM
    assert verdict(at_most(550, term="TBP"), [sheet(560, "TBP")], tdp) is EXCLUDE
    assert verdict(at_most(550, term="TGP"), [sheet(560)], on(500)) is TO_CONFIRM


def test_a_sheet_against_the_catalog_is_a_conflict():
    found = finding(at_most(460), [sheet(480)], on(450))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "the catalog says 450 W; sheet says 480 W")


def test_the_sheet_of_another_card_says_nothing():
    assert verdict(at_most(300), [sheet(200, gpu="nvidia-l4-24g")], candidate()) is TO_CONFIRM


def test_the_term_stays_beside_the_watts():
    """MI250X: a TDP under the limit and a peak TBP above it are no one value: name which is limited."""
    tdp = on(500, power__term="TDP")
    assert says(finding(at_most(550), [], tdp), "noted: the catalog says 500 W TDP")
    found = finding(at_most(550), [sheet(560, "TBP")], tdp)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "the catalog says 500 W TDP; sheet says 560 W TBP")


def test_the_power_of_a_module_is_not_that_of_its_half():
    """Half of a module has no power of its own: never priced or limited per device."""
    found = finding(at_most(600), [], of_catalog("amd-mi250x-gcd-64g", cards=2))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"power"})
