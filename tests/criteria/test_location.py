"""Location: where the machine stands, as its provider attests (D3): a label in a row is declared."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    offer,
    requirement,
    says,
    topics,
    typed,
    verdict,
)

from fiche.kernel.record import replace


def asked(*places, **words):
    made = requirement("location", **words)
    return replace(made, choices={"one_of": tuple(typed(place, "") for place in places)})


EUROPE = asked("France", "Germany")


def stands(id="quote", scope=None, **words):
    return document(id, attest("location", id=id, **words), **(scope or {"offer": "offer-01"}))


def on(**terms):
    return candidate(offer=offer(**terms))


def test_one_of_the_places_admits_and_another_excludes():
    assert verdict(EUROPE, [stands(country="germany")], on()) is ADMISSIBLE
    found = finding(EUROPE, [stands(country="Norway")], on())
    assert (found.verdict, found.need_words, found.have_words) == (
        EXCLUDE,
        "France or Germany",
        "Norway",
    )


def test_a_label_in_the_offer_s_row_is_no_document():
    found = finding(EUROPE, [], on(region="France"))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"location"})
    assert says(found, "the offer's row says France, which nobody attests")
    assert found.conditions[0].threshold == "country: France or Germany"


def test_a_country_says_nothing_of_a_datacentre():
    hall = asked("PAR-2", place="datacentre")
    assert verdict(hall, [stands(country="PAR-2")], on()) is TO_CONFIRM
    assert verdict(hall, [stands(datacentre="PAR-2")], on()) is ADMISSIBLE


def test_two_documents_that_differ_are_a_conflict_and_a_card_stands_nowhere():
    pieces = [stands(country="France"), stands("mail", country="Norway")]
    assert finding(EUROPE, pieces, on()).reason == "conflict"
    assert verdict(EUROPE, [stands(country="France", scope={"gpu": GPU})], on()) is TO_CONFIRM


@pytest.mark.parametrize(
    ("places", "told"),
    [(["FR"], "France"), (["France", "Germany"], "DE"), (["FR", "Norway"], "SE")],
)
def test_a_code_is_no_other_place_than_a_name(places, told):
    """An exclusion needs a proof (D1): DE may be Germany."""
    found = finding(asked(*places), [stands(country=told)], on())
    assert (found.verdict, says(found, f"quote says {told}")) == (TO_CONFIRM, True)
    assert verdict(asked("FR"), [stands(country="NO")], on()) is EXCLUDE


def test_a_place_is_the_same_however_its_words_are_joined():
    hall = asked("EU West 3", place="region")
    assert verdict(hall, [stands(region="eu-west-3")], on()) is ADMISSIBLE
