"""Form factor: slot width or module, one of a list, by the card's row or a document."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    GPU,
    TO_CONFIRM,
    attest,
    candidate,
    catalog_cards,
    document,
    finding,
    of_catalog,
    requirement,
    says,
    topics,
    verdict,
)
from evaluate.build import card as a_card


def asks(*forms):
    return requirement("form_factor", one_of=list(forms))


def on(form=None):
    return candidate(card=a_card() if form is None else a_card(form_factor=form))


@pytest.mark.parametrize(
    ("forms", "told", "expected"),
    [
        (["PCIe dual-slot"], "PCIe dual-slot", ADMISSIBLE),
        (["pcie 2 slot"], "PCIe dual-slot", ADMISSIBLE),
        (["PCIe"], "PCIe dual-slot", ADMISSIBLE),
        (["dual-slot"], "PCIe dual-slot (board of 4)", ADMISSIBLE),
        (["PCIe dual-slot", "PCIe single-slot"], "PCIe single-slot", ADMISSIBLE),
        (["PCIe dual-slot", "PCIe single-slot"], "PCIe triple-slot", EXCLUDE),
        (["PCIe single-slot"], "PCIe dual-slot", EXCLUDE),
        (["PCIe dual-slot"], "SXM5", EXCLUDE),
        (["SXM"], "SXM5", ADMISSIBLE),
        (["SXM5"], "SXM4", EXCLUDE),
        (["OAM"], "half of an OAM module", ADMISSIBLE),
        (["PCIe dual-slot"], "PCIe", TO_CONFIRM),
        (["SXM5"], "SXM", TO_CONFIRM),
        (["PCIe dual-slot low-profile"], "PCIe dual-slot", TO_CONFIRM),
        (["PCIe single-slot", "PCIe dual-slot low-profile"], "PCIe dual-slot", TO_CONFIRM),
    ],
)
def test_a_form_is_met_missed_or_told_in_too_few_words(forms, told, expected):
    found = finding(asks(*forms), [], on(told))
    assert found.verdict is expected
    assert found.have_words == told
    assert found.pieces == ()


def test_what_is_told_so_far_is_said():
    found = finding(asks("PCIe dual-slot"), [], on("PCIe"))
    assert topics(found) == {"form_factor"}
    assert says(found, "told so far: PCIe")
    assert verdict(asks("PCIe"), [], on()) is TO_CONFIRM


def test_every_card_of_the_catalog_meets_its_own_form():
    for card in catalog_cards():
        if "form_factor" in card.facts:
            found = finding(asks(card.facts["form_factor"].value), [], of_catalog(card.id))
            assert found.verdict is ADMISSIBLE, card.id


def test_a_document_speaks_of_the_card_that_it_names():
    def sheet(gpu):
        return document("sheet", attest("form_factor", id="sheet", value="PCIe dual-slot"), gpu=gpu)

    assert verdict(asks("PCIe dual-slot"), [sheet(GPU)], on()) is ADMISSIBLE
    assert verdict(asks("PCIe dual-slot"), [sheet("nvidia-l4-24g")], on()) is TO_CONFIRM
    found = finding(asks("PCIe dual-slot"), [sheet(GPU)], on("SXM5"))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")


@pytest.mark.parametrize("form", ["двухслотовая", "PCIe двойная", "—", "双槽"])
def test_words_of_another_script_are_words(form):
    """D1: what is not told is not there; a form that nobody can read admits nothing."""
    assert verdict(asks(form), [], on("PCIe triple-slot")) is TO_CONFIRM
