"""All languages of one fiche say the same: codes, figures with their numbers, pieces, ids, in one order."""

import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.kernel.ledger import ledger
from fiche.languages import spoken
from fiche.render.json import decision_bytes
from fiche.report import parts
from fiche.report.view import view

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/fiche.yaml") if p.parent.name != "mistakes")
OTHERS = ("fr", "pt", "tr")
SPACES = "[\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]"


@cache
def decision_of(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


@cache
def report_of(name, tag):
    return view(decision_of(name), spoken(tag))


def numbers_in(text, how):
    """Every number of a text, read by the signs of its language, without an order: word order differs."""
    tail = rf"(?:{re.escape(how.decimal)}\d+)?"
    grouped = rf"\d{{1,3}}(?:{re.escape(how.group)}\d{{3}})+(?!\d){tail}"
    found = re.findall(rf"{grouped}|\d+{tail}", text)
    bare = (re.sub(SPACES, "", one) for one in found)
    plain = (one.replace(how.group, "").replace(how.decimal, ".") for one in bare)
    return sorted(Fraction(one) for one in plain)


def facts(thing, how, days):
    """What a part states, whatever the language: nothing of words."""
    match thing:
        case parts.Amount():
            said = () if thing.figure in days else tuple(numbers_in(thing.text, how))
            return [("amount", thing.figure, thing.mark, said)]
        case parts.State():
            return [("state", thing.code, thing.glyph)]
        case parts.Reference():
            return [("piece", thing.piece)]
        case parts.Missing():
            return [("missing",)]
        case str() | int() | None:
            return []
        case tuple() if thing and all(isinstance(each, parts.Part) for each in thing):
            # A sentence: its words, and so its parts, may stand in another order.
            return sorted((fact for each in thing for fact in facts(each, how, days)), key=str)
        case tuple():
            return [fact for each in thing for fact in facts(each, how, days)]
    named = [(name, getattr(thing, name)) for name in type(thing).__fields__]
    own = [("id", value) for name, value in named if name in ("id", "anchor", "place") and value]
    return [*own, *(fact for _, value in named for fact in facts(value, how, days))]


def stated(name, tag):
    report, how = report_of(name, tag), spoken(tag).style
    listed = ledger(decision_of(name)).figures
    days = {figure for figure, node in listed.items() if str(node.unit) == "date"}
    return facts(report.opening, how, days) + facts(report.sections, how, days)


@pytest.mark.parametrize("tag", OTHERS)
@pytest.mark.parametrize("name", NAMES)
def test_every_language_states_the_same(name, tag):
    assert len(stated(name, "en")) > 100
    assert stated(name, tag) == stated(name, "en")


@pytest.mark.parametrize("name", NAMES)
def test_sections_stand_in_one_order(name):
    orders = {tag: [s.id for s in report_of(name, tag).sections] for tag in ("en", *OTHERS)}
    assert all(order == orders["en"] for order in orders.values())


def test_a_decision_has_no_language_but_its_name():
    """The machine's document is of the decision: told texts in it are English, whatever the report is in."""
    before = decision_bytes(decision_of("serving"))
    for tag in OTHERS:
        view(decision_of("serving"), spoken(tag))
        assert decision_bytes(decision_of("serving")) == before
