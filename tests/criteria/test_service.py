"""A managed application or service is a criterion that a GPU sheet alone leaves to confirm (D3)."""

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
    offer,
    requirement,
    says,
    topics,
    typed,
    verdict,
)

from fiche.kernel.record import replace

POSTGRES = requirement("service", service="managed PostgreSQL")
ON = candidate(offer=offer())


def told(service="Managed PostgreSQL", id="quote", answer=None, quoted=True, **scope):
    words = {"service": service} | ({} if answer is None else {"answer": answer})
    item = attest("service", id=id, quoted=quoted, **words)
    typed_by = {key: typed(value) for key, value in (scope or {"offer": "offer-01"}).items()}
    return replace(document(id, item), typed=typed_by)


@pytest.mark.parametrize("scope", [{"offer": "offer-01"}, {"machine": MACHINE}])
def test_a_document_that_names_it_admits(scope):
    assert verdict(POSTGRES, [told(**scope)], ON) is ADMISSIBLE
    assert verdict(POSTGRES, [told(answer="included", **scope)], ON) is ADMISSIBLE


def test_a_document_that_says_no_excludes():
    found = finding(POSTGRES, [told(answer="not_included")], ON)
    assert (found.verdict, found.have_words) == (EXCLUDE, "not included")


def test_a_sheet_or_another_service_leaves_it_to_confirm():
    for paper in (told(gpu=GPU), told("managed Redis"), told(offer="offer-02")):
        found = finding(POSTGRES, [paper], ON)
        assert (found.verdict, topics(found)) == (TO_CONFIRM, {"service"})
        assert says(found, "a card's sheet does not")


def test_a_person_s_word_counts_under_the_neutral_policy_alone():
    found = finding(POSTGRES, [told(quoted=False)], ON)
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("A. Martin",))
    assert verdict(POSTGRES, [told(quoted=False)], ON, policy=STRICT) is TO_CONFIRM


def test_two_documents_that_disagree_are_a_conflict():
    found = finding(POSTGRES, [told(), told(id="b", answer="not_included")], ON)
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
