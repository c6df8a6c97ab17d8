"""A required document: of that title, about this candidate, vouched for (D3, F8)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    GPU,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    offer,
    requirement,
    topics,
    typed,
    verdict,
)

from fiche.kernel.record import replace

WARRANTY = requirement("document", document="Warranty, three years")


def paper(title="Warranty, three years", *, quoted=True, by="A. Martin", **scope):
    told = attest("document", title=title, quoted=quoted, by=by)
    return document("paper", told, kind="document", **(scope or {"offer": "offer-01"}))


def on():
    return candidate(offer=offer())


def test_a_document_of_that_title_about_the_offer_confirms():
    found = finding(WARRANTY, [paper()], on())
    assert (found.verdict, found.pieces) == (ADMISSIBLE, ("paper",))


def test_a_title_is_the_same_in_whatever_case_it_is_written():
    assert verdict(WARRANTY, [paper("WARRANTY,  three years")], on()) is ADMISSIBLE


def test_a_missing_document_is_to_confirm_by_its_title():
    found = finding(WARRANTY, [], on())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"document"})
    assert found.conditions[0].text == "provide the document 'Warranty, three years'"


def test_another_title_or_another_offer_s_document_is_not_it():
    """Documents scoped to another offer."""
    assert verdict(WARRANTY, [paper("Warranty, one year")], on()) is TO_CONFIRM
    assert verdict(WARRANTY, [paper(offer="offer-02")], on()) is TO_CONFIRM
    assert verdict(WARRANTY, [paper()], candidate()) is TO_CONFIRM


def test_a_document_about_nothing_in_particular_is_about_no_candidate():
    loose = replace(paper(), typed={})
    assert verdict(WARRANTY, [loose], on()) is TO_CONFIRM
    named = candidate(offer=offer(quote="paper"))
    assert verdict(WARRANTY, [loose], named) is ADMISSIBLE


def test_a_document_about_the_card_is_about_each_candidate_of_it():
    assert verdict(WARRANTY, [paper(gpu=GPU)], candidate()) is ADMISSIBLE


def test_a_document_on_somebody_s_word_needs_the_neutral_policy():
    word = paper(quoted=False, by="C. Ito")
    found = finding(WARRANTY, [word, replace(word, id="again")], on())
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert found.pieces == ("paper", "again")
    assert verdict(WARRANTY, [word], on(), policy=STRICT) is TO_CONFIRM


def terms(*, issuer="Fjord", day="2026-11-01", quote="an answer within 4 hours", **changes):
    made = paper(**changes)
    (item,) = made.attested
    words = {"issuer": typed(issuer), "date": typed(day)} if issuer else {}
    pointer = replace(item.pointer, text=quote) if item.pointer else None
    told = replace(item, words={**item.words, **words}, pointer=pointer)
    return replace(made, attested=(told,), date="")


@pytest.mark.parametrize(
    ("more", "wrong", "why"),
    [
        ({"issuer": "Alp"}, {}, "it is of Fjord"),
        ({"issuer": "Fjord"}, {"issuer": ""}, "its issuer is not said"),
        ({"since": "2026-11-02"}, {}, "it is of 2026-11-01"),
        ({"contains": "within 2 hours"}, {}, "'within 2 hours' is not quoted from it"),
        ({"contains": "within 4 hours"}, {"quoted": False}, "is not quoted from it"),
    ],
)
def test_what_must_be_true_of_a_document_is_asked_by_name(more, wrong, why):
    asked = requirement("document", document="Warranty, three years", **more)
    found = finding(asked, [terms(**wrong)], on())
    assert found.verdict is TO_CONFIRM
    assert why in found.conditions[0].text


def test_a_document_with_its_issuer_day_and_words_confirms():
    asked = requirement(
        "document", document="Warranty, three years", issuer="fjord", since="2026-11-01",
        contains="An Answer  within",
    )  # fmt: skip
    assert verdict(asked, [terms()], on()) is ADMISSIBLE
