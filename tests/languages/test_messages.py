"""Catalogs hold every message of the source, keep to its places, and have the same bytes every time."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import _catalog as catalogs  # noqa: E402
from _collect import Entry, entries  # noqa: E402

SPEC = importlib.util.spec_from_file_location("messages", ROOT / "tools" / "messages.py")
messages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(messages)

FOUND = entries()
TAGS = ("fr", "pt", "tr")
NARROW, HARD = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"


def catalog_of(*pairs, tag="fr"):
    """A catalog of entries with their translations."""
    made = catalogs.updated(tag, catalogs.Plain(locale=tag), [entry for entry, _ in pairs])
    told = {entry.key: text for entry, text in pairs}
    for message in made:
        if message.id:
            message.string = told[(message.context, catalogs._one(message))]
    return made


def test_every_message_is_found_once():
    keys = [entry.key for entry in FOUND]
    assert len(keys) == len(set(keys))
    assert ("phrases.skip", "Skip to the answer") in keys
    assert ("style.interval", "{low} to {high}") in keys
    assert (None, "; ") in keys


def test_the_files_are_up_to_date():
    """What the tool would write is what is there: `make messages` after a change of a text."""
    stale = [p.name for p, content in messages._outputs(FOUND).items() if p.read_bytes() != content]
    assert stale == []


def test_catalogs_carry_no_clock_and_no_line_numbers():
    for path in sorted((ROOT / "src/fiche/languages").glob("*.po*")):
        text = path.read_text(encoding="utf-8")
        assert "Date" not in text.split("\n\n", 1)[0]
        assert ".py:" not in text


@pytest.mark.parametrize("tag", TAGS)
def test_what_is_translated_keeps_its_places_and_ends(tag):
    path = ROOT / f"src/fiche/languages/{tag}.po"
    wrong = [
        (message.context, message.id, why)
        for message, why in catalogs.faults(catalogs.read(path))
        if why not in ("not translated", "the English has changed")
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("tag", "text", "put"),
    [
        ("fr", "pourquoi ?", f"pourquoi{NARROW}?"),
        ("fr", "un; deux : trois", f"un{NARROW}; deux{HARD}: trois"),
        ("fr", "« oui »", f"«{HARD}oui{HARD}»"),
        ("fr", "https://a.b; 12:30", f"https://a.b{NARROW}; 12:30"),
        ("fr", ": {x}", f"{HARD}: {{x}}"),
        ("fr", "l'appareil de {n} %", f"l’appareil de {{n}}{HARD}%"),
        ("tr", "{n} % ve 20 %", "%{n} ve %20"),
        ("pt", "a 'b' de 20%", "a 'b' de 20%"),
    ],
)
def test_spaces_are_put_right(tag, text, put):
    assert catalogs.spaced(text, tag) == put
    assert catalogs.spaced(put, tag) == put


def test_faults_are_named():
    entry = Entry("phrases.x", "{a} of {b}")
    for told, why in (
        ("", "not translated"),
        ("{a}", "places differ: ['a'] for ['a', 'b']"),
        (" {a} {b}", "a blank at its start or end differs"),
        ("{a}|{b}", "a bar, which parts forms"),
    ):
        assert [said for _, said in catalogs.faults(catalog_of((entry, told)))] == [why]


def test_a_changed_text_keeps_its_translation_for_a_second_look():
    old = catalog_of((Entry("phrases.x", "one thing"), "une chose"))
    now = catalogs.updated("fr", old, [Entry("phrases.x", "one other thing")])
    (message,) = [each for each in now if each.id]
    assert (message.string, message.fuzzy) == ("une chose", True)
    again = catalogs.updated("fr", old, [Entry("phrases.x", "one thing")])
    assert [each.fuzzy for each in again if each.id] == [False]
    assert catalogs.po_bytes(again) == catalogs.po_bytes(
        catalogs.updated("fr", old, [Entry("phrases.x", "one thing")])
    )


@pytest.mark.parametrize(("tag", "forms"), [("fr", 3), ("pt", 3), ("tr", 2)])
def test_forms_are_those_of_cldr(tag, forms):
    assert catalogs.Plain(locale=tag).plural_count == forms
    assert f"nplurals={forms};" in catalogs.plural_forms(catalogs.Plain(locale=tag).locale)
