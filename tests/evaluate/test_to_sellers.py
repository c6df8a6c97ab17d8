"""A condition and what its seller is asked stand in one place, and are filled alike."""

import ast
import pickle
import string
from pathlib import Path

import pytest

import fiche
from fiche.evaluate._to_sellers import renamed, to_the_seller
from fiche.kernel.said import tell, tell_again, tell_asking
from fiche.languages import spoken

CRITERIA = Path(fiche.__file__).parent / "criteria"


def calls(name):
    """The literal texts of every such call in the criteria."""
    for path in sorted(CRITERIA.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name:
                texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
                yield path.name, texts


def places(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_of_a_pair_are_filled_with_the_same():
    pairs = [texts for _, texts in calls("tell_asking")]
    assert len(pairs) > 20
    assert [texts for texts in pairs if len(texts) != 2] == []
    assert [texts for texts in pairs if places(texts[0]) != places(texts[1])] == []


def test_what_a_seller_is_to_do_is_told_with_how_he_is_asked():
    alone = [text for _, texts in calls("tell") for text in texts if "have the seller" in text]
    assert alone == []


@pytest.mark.parametrize("tag", ["en", "fr", "pt", "tr"])
def test_a_pair_is_asked_in_each_language(tag):
    told = tell_asking(
        "have the seller state the tax rate of {offer}",
        "State the tax rate of {offer}",
        offer="north-1",
    )
    reason = tell("{text}: {why}", text=told, why="it is not stated")
    for text in (told, tell_again(told), pickle.loads(pickle.dumps(told))):
        asked = to_the_seller(text)
        assert asked == "State the tax rate of north-1."
        said = spoken(tag).told(asked)
        assert said == spoken(tag).told(tell("{sentence}.", sentence=asked.fillings["sentence"]))
        assert "north-1" in said
        assert tag == "en" or "State" not in said
    assert to_the_seller(reason) == "State the tax rate of north-1: it is not stated."
    assert to_the_seller(renamed(told, "north-1", "south-2")) == "State the tax rate of south-2."
    assert to_the_seller("have the seller state it") == "State it."
