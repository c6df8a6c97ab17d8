"""Every language has every message in its own words."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import _catalog as catalogs  # noqa: E402
from _collect import entries  # noqa: E402

from fiche.cli.measured_setting import _FRESH  # noqa: E402
from fiche.kernel.said import tell  # noqa: E402
from fiche.languages import spoken  # noqa: E402
from fiche.measure.protocol.heading import FRESH, RUNNING  # noqa: E402

TAGS = ("fr", "pt", "tr")


@pytest.mark.parametrize("tag", TAGS)
def test_no_message_is_left_in_english(tag):
    had = catalogs.read(ROOT / f"src/fiche/languages/{tag}.po")
    now = catalogs.updated(tag, had, entries())
    left = [(message.context, message.id, why) for message, why in catalogs.faults(now)]
    assert left == []


def test_there_is_a_catalog_for_each_language_that_is_promised():
    found = {path.stem for path in (ROOT / "src/fiche/languages").glob("*.mo")}
    assert found == set(TAGS)


@pytest.mark.parametrize("tag", TAGS)
def test_what_is_cut_from_a_label_is_what_was_put_there(tag):
    """A table of one device leaves out that it is of the most loaded one: the phrase ends the label."""
    language = spoken(tag)
    told = language.told(tell("{label}, on the most loaded device", label="x"))
    assert told == f"x, {language.phrases['load_most_loaded']}"


@pytest.mark.parametrize("tag", TAGS)
def test_what_records_say_of_their_processes_has_words(tag):
    """They are written where no told text is at hand."""
    assert str(_FRESH) == FRESH
    assert spoken("en").terms[FRESH] == FRESH
    assert spoken(tag).told(_FRESH) == spoken(tag).terms[FRESH] != FRESH
    assert spoken(tag).terms[RUNNING] != RUNNING == spoken("en").terms[RUNNING]
