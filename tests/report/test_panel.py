"""A page in another language says in it what decision.json says in English."""

import json

import pytest
from report.sized import decision

from fiche.kernel.said import Told
from fiche.languages import spoken
from fiche.render.scripts import keyed, words
from fiche.report.view import view


def told(tag, name="qlora"):
    return dict(view(decision(name), spoken(tag)).chrome.texts)


def asked_of(made):
    reasons = [f.text for f in made.findings]
    conditions = [c.text for f in made.findings for c in f.conditions]
    return [text for text in (*reasons, *conditions) if isinstance(text, Told)]


def test_an_english_page_brings_along_only_what_it_writes_otherwise():
    """Bytes in GiB, signs of comparison, one of what is counted: no text that reads the same."""
    found = told("en")
    assert found["1 devices"] == "device"
    assert (
        "peak of the process's device use + 0.50\u00a0GiB margin ≤ what the machine offers"
        in found.values()
    )
    assert all(text != said for text, said in found.items())


@pytest.mark.parametrize("tag", ["fr", "pt", "tr"])
def test_reasons_and_conditions_are_told_in_the_language_of_the_page(tag):
    made = decision("qlora")
    found = told(tag)
    language = spoken(tag)
    said = {str(text): language.told(text) for text in asked_of(made)}
    assert any(each != text for text, each in said.items())
    assert {text for text, each in said.items() if each != text} <= set(found)
    assert found["device"] == language.terms["device"]


def test_what_people_wrote_is_not_among_them():
    made = decision("qlora")
    people = {f.origin.because for f in made.fiche.workload.margin} - {""}
    assert people
    assert not people & set(told("fr"))


def test_each_text_has_a_key_of_its_own():
    found = told("fr")
    assert len({keyed(text) for text in found}) == len(found)
    island = json.loads(str(words(view(decision("qlora"), spoken("fr")))))
    assert set(island["texts"]) == {keyed(text) for text in found}


def test_a_key_is_the_one_that_the_script_makes():
    """FNV-1a, as published for these texts in ASCII where a unit is a byte."""
    assert keyed("") == "811c9dc5"
    assert keyed("peak") == keyed("pe" + "ak") != keyed("Peak")
    assert keyed("\U0001f600") != keyed("\ud83d")
