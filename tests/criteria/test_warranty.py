"""Warranty: months that a document grants, on site or not, and who pays the way back (D3, catalog 6)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    declared,
    document,
    finding,
    offer,
    requirement,
    says,
    stated,
    topics,
    verdict,
)

from fiche.kernel.rates import MONTH

ASKED = requirement("warranty", at_least=stated(36, MONTH))
ON_SITE = requirement("warranty", at_least=stated(36, MONTH), service="on-site", returns="seller")


def granted(months, id="quote", scope=None, quoted=True, by="A. Martin", **words):
    told = attest("warranty", id=id, value=declared(months, MONTH), quoted=quoted, by=by, **words)
    return document(id, told, **(scope or {"offer": "offer-01"}))


def on():
    return candidate(offer=offer())


@pytest.mark.parametrize(
    ("months", "expected"), [(36, ADMISSIBLE), (60, ADMISSIBLE), (35, EXCLUDE)]
)
def test_months_of_the_calendar_are_compared_with_months(months, expected):
    found = finding(ASKED, [granted(months)], on())
    assert (found.verdict, str(found.have.unit)) == (expected, "month")


def test_a_missing_warranty_is_asked_for_from_the_seller_by_name():
    found = finding(ON_SITE, [], on())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"warranty"})
    (only,) = found.conditions
    assert (only.threshold, only.supplier) == (">= 36 months", "provider A")
    assert says(found, "service on-site, the way back paid by seller")


def test_words_that_are_asked_must_be_said_and_be_the_same():
    assert verdict(ON_SITE, [granted(36, service="on-site", returns="seller")], on()) is ADMISSIBLE
    silent = finding(ON_SITE, [granted(36, service="on-site")], on())
    assert (silent.verdict, says(silent, "returns is not said")) == (TO_CONFIRM, True)
    other = finding(ON_SITE, [granted(60, service="return to base", returns="seller")], on())
    assert other.verdict is TO_CONFIRM
    assert says(other, "service: return to base, and on-site is asked")


@pytest.mark.parametrize("told", ["on-site", "On site", "onsite"])
def test_one_service_is_written_in_several_ways(told):
    """An exclusion needs a proof (D1), and a way of writing is none."""
    granted_so = granted(36, service=told, returns="seller")
    assert verdict(ON_SITE, [granted_so], on()) is ADMISSIBLE


def test_who_pays_the_way_back_is_one_of_two():
    asked = requirement("warranty", at_least=ASKED.figures["at_least"], returns="seller")
    other = finding(asked, [granted(60, returns="buyer")], on())
    assert (other.verdict, other.have_words) == (
        EXCLUDE,
        "returns: buyer, and seller is asked",
    )
    both = [granted(60, returns="buyer"), granted(60, "mail", returns="seller")]
    assert finding(asked, both, on()).reason == "conflict"


def test_two_documents_that_differ_are_a_conflict():
    one = granted(36, service="on-site", returns="seller")
    two = granted(36, "mail", service="on-site", returns="buyer")
    assert finding(ON_SITE, [one, two], on()).reason == "conflict"
    assert finding(ASKED, [granted(36), granted(12, "mail")], on()).reason == "conflict"


def test_another_offer_s_or_the_card_s_paper_says_nothing():
    other = granted(60, scope={"offer": "offer-02"})
    sheet = granted(60, "sheet", scope={"gpu": "nvidia-rtx-4090-24g"})
    assert verdict(ASKED, [other, sheet], on()) is TO_CONFIRM


def test_on_somebody_s_word_it_needs_the_neutral_policy():
    word = granted(36, quoted=False, by="C. Ito")
    found = finding(ASKED, [word], on())
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(ASKED, [word], on(), policy=STRICT) is TO_CONFIRM
