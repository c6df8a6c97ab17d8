"""The sizer: which numbers may be changed, in whose words, and nothing that sounds like a verdict."""

import json

import pytest
from report.sized import NAMES, asked, content, decision

from fiche.kernel.unit import BYTE
from fiche.languages import spoken
from fiche.report import numbers
from fiche.report.desk import GLYPHS, Desk
from fiche.report.sizer import section, with_sizer
from fiche.report.view import view
from fiche.report.words._en_sizer import SIZER
from fiche.report.words.en import MEMBER as ENGLISH


def inputs(name):
    return {entry["id"]: entry for entry in content(name)["inputs"]}


def test_every_stated_number_that_a_load_rests_on_may_be_changed():
    """In the order of the fiche: the model, each case, what is kept free."""
    assert list(inputs("serving")) == [
        "model.parameters",
        "model.layers",
        "model.kv_heads",
        "model.head_dim",
        *(
            f"{case}.{name}"
            for case in ("short", "usual", "limit")
            for name in ("prompt_tokens", "new_tokens", "resident_sequences")
        ),
        "reserve.workspace",
        "margin.longer-prompts",
    ]


def test_numbers_stand_as_a_reader_would_type_them():
    found = inputs("serving")
    assert found["model.parameters"]["value"] == "8030261248"
    assert found["margin.longer-prompts"]["value"] == "1 GiB"
    assert found["reserve.workspace"]["unit"] == "B"
    assert found["limit.new_tokens"]["least"] == 0
    assert found["limit.resident_sequences"]["least"] == 1


def test_what_is_unknown_may_be_told():
    """Its field is empty, and its value in the fiche is none."""
    found = inputs("guide")
    for name in ("workspace", "context_tokens", "model.kv_heads"):
        assert (found[name]["value"], found[name]["now"]) == ("", "")
    assert found["formats.storage_bits"]["value"] == "16"


def test_what_a_formula_may_branch_on_is_no_input():
    """Devices and their split, bits that follow from a name, and a case's missing end of a prefill."""
    for name in NAMES:
        for entry in content(name)["inputs"]:
            assert not entry["id"].startswith("placement.")
            assert not entry["id"].endswith(".bits")
            assert not (entry["id"].endswith("new_tokens") and entry["value"] == "0")


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_the_fiche_is_printed_as_the_report_prints_it(name):
    """The column of the fiche is the report's own text, and every place is in the graph."""
    found = content(name)
    length = len(found["nodes"])
    figures = {
        (load.owner, load.case): [numbers.amount(item.node, numbers.PAGE) for item in load.items]
        for load in decision(name).loads
    }
    for case in found["cases"]:
        told = figures[case["owner"], case["case"]]
        assert [row["now"] for row in case["rows"]][: len(told)] == told
        assert all(0 <= row["place"] < length for row in case["rows"])
    for entry in found["inputs"]:
        assert entry["places"], entry["id"]


@pytest.mark.parametrize("name", NAMES)
def test_a_room_says_what_there_is(name):
    """Every candidate, case and device of the memory musts, and a capacity in words."""
    found = content(name)["rooms"]
    assert len(found) == len(asked(name).rooms)
    assert all(room["have"] for room in found)


def test_it_begins_with_the_case_that_asks_for_most():
    assert content("serving")["start"] == {"owner": "", "case": "limit"}
    assert content("guide")["start"] == {"owner": "", "case": ""}


def test_another_load_is_named_by_what_it_changes():
    labels = {each["owner"]: each["label"] for each in content("throughput")["owners"]}
    assert labels[""] == "as the fiche states it"
    assert labels["fp8-weights"] == "fp8-weights, with formats.storage: fp8_e4m3"


def test_no_sentence_sounds_like_a_verdict():
    """Neither a verdict's word nor its glyph: a what-if judges nothing."""
    words = {*ENGLISH.verdicts.values(), *ENGLISH.statuses.values(), *ENGLISH.answers.values()}
    said = [text for key, text in SIZER.items() if key not in ("sizer_lead", "sizer_rooms_note")]
    for text in said:
        assert not any(glyph in text for glyph in GLYPHS.values())
        assert not any(word.casefold() in text.casefold() for word in words), text


def test_it_is_plain_json_of_texts_and_whole_numbers():
    """No float: a number is a text to the last digit."""

    def no_float(text):
        raise AssertionError(text)

    json.loads(json.dumps(content("latent-cache")), parse_float=no_float)


def test_it_stands_behind_the_load_and_is_no_page_that_is_signed():
    made = decision("serving")
    told = with_sizer(view(made), made, ENGLISH, asked("serving"))
    ids = [section.id for section in told.sections]
    assert ids.index("sizer") == ids.index("load") + 1
    assert next(s for s in told.sections if s.id == "sizer").place == "annex"
    assert [s for s in told.sections if s.id != "sizer"] == list(view(made).sections)


def test_bytes_are_told_with_their_unit():
    for entry in content("qlora")["inputs"]:
        if entry["unit"] == str(BYTE) and entry["value"]:
            assert entry["value"].rpartition(" ")[2] in ("GiB", "MiB", "KiB", "B")


@pytest.mark.parametrize("tag", ["en", "fr", "pt", "tr"])
def test_a_label_that_says_what_is_counted_has_no_unit_behind_it(tag):
    """No "séquences résidentes (sequences)", in whatever language."""
    desk = Desk.of(decision("serving"), spoken(tag))
    found = section(desk, asked("serving")).blocks[0].content["inputs"]
    told = {entry["id"]: (entry["label"], entry["unit"]) for entry in found}
    assert told["limit.resident_sequences"][1] == told["model.head_dim"][1] == ""
    for label, unit in told.values():
        assert not unit or unit.casefold()[:5] not in label.casefold()
