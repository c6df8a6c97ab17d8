"""What fiche wrote into a file is told again in a report's language; what others wrote stays as it is."""

import json

import pytest

from fiche.kernel import simulation_notes as notes
from fiche.kernel.recalled import recalled
from fiche.kernel.said import Shown
from fiche.languages import spoken

OTHERS = ("fr", "pt", "tr")
MADE = {
    "retried once": notes.retried(0, 1),
    "retried": notes.retried(1, 12),
    "short": notes.short(
        0,
        most="23.52 GiB",
        asked="3 152 019 456 B",
        phase=notes.passed("decode", is_first=False),
        reserved="22.10 GiB",
        allocated="640.50 MiB",
    ),
    "short outside": notes.short(
        0,
        most="1.00 GiB",
        asked="512 B",
        phase=notes.outside(),
        reserved="0.99 GiB",
        allocated="0.98 GiB",
    ),
    "raised": notes.raised("prefill", "RuntimeError"),
    "left open": notes.left_open("loss"),
    "shortened": notes.shortened(256, 8, 240),
    "packed": notes.packed("0.48.0"),
    "ranked": notes.ranked("3"),
    "dealt": notes.dealt(2),
    "one of": notes.one_of(8),
    "cut": notes.cut(2, by_hand=False),
    "cut by hand": notes.cut(2, by_hand=True),
    "shared": notes.shared(4, "zero3"),
    "replicated": notes.replicated(4),
    "a value": notes.value_at("modeling_llama.py:174"),
    "no place": notes.value_at(""),
    "sighted": notes.sighted("torch_total_memory", "nvidia-l4-24g"),
    "labelled": notes.labelled("nvidia-l4-24g"),
    "listed": notes.listed_for("nvidia-l4-24g"),
    "assumed": notes.assumed(),
}


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("name", MADE)
def test_a_note_that_was_written_down_is_told_again(name, tag):
    told = MADE[name]
    again = recalled(json.loads(json.dumps(told)), (*notes.NOTES, *notes.ANSWERS))
    assert again == told
    assert again.template == told.template
    said = spoken(tag).told(again)
    assert said != str(told)
    if not any(isinstance(part, Shown) for part in again.fillings.values()):
        assert said == spoken(tag).told(told)


def test_numbers_in_it_are_written_as_the_language_writes_them():
    again = recalled(str(MADE["short"]), notes.NOTES)
    said = spoken("pt").told(again).replace("\u00a0", " ")
    assert "23,52 GiB" in said
    assert "3.152.019.456 B" in said
    assert "640,5 MiB" in said
    assert "decode (passagem posterior)" in said


@pytest.mark.parametrize("tag", OTHERS)
def test_words_of_others_stay_as_they_are(tag):
    for text in ("our own allocator was used", "{braces} and %s", "cuda:0: to find room", ""):
        assert spoken(tag).told(recalled(text, notes.NOTES)) == text


def test_a_place_that_stands_twice_holds_one_text():
    told = str(notes.shortened(256, 8, 240))
    other = told.replace("last 8", "last 9")
    assert recalled(told, notes.NOTES).fillings["ends"] == "8"
    assert recalled(other, notes.NOTES).template == other
