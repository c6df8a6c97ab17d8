"""Requirements as written: thresholds with their unit, everything else as words (F8)."""

from fractions import Fraction

from loading import fiche_of, refusals

from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE, WATT, money

LINES = """workload: {cases: [{id: usual, role: usual}, {id: limit, role: limit}]}
requirements:
  - {id: memory, kind: memory, level: must, cases: [usual, limit]}
  - {id: quality, kind: quality, level: must, metric: exact_match, dataset: qa-200, at_least: 62 %}
  - {id: budget, kind: cost, level: must, at_most: 60 USD, tax: excluded}
  - {id: quiet, kind: power, level: want, at_most: 0.3 kW, term: TGP}
  - {id: room, kind: capacity, level: want, at_least: 20 GiB}
  - {id: new, kind: software, level: must, component: torch, at_least: 2.10}
  - {id: soon, kind: delivery, level: must, by: 2026-12-24}
"""


def asked(text):
    return fiche_of(text).requirements


def by_id():
    return {one.id: one for one in fiche_of(LINES).requirements}


def test_thresholds_are_stated_figures_in_their_unit():
    found = by_id()
    values = {
        name: [(key, figure.low, figure.unit) for key, figure in one.figures.items()]
        for name, one in found.items()
    }
    assert values["quality"] == [("at_least", Fraction(31, 50), values["quality"][0][2])]
    assert values["budget"] == [("at_most", 60, money("USD"))]
    assert values["quiet"] == [("at_most", 300, WATT)]
    assert values["room"] == [("at_least", 20 * 2**30, BYTE)]
    limit = found["budget"].figures["at_most"]
    assert (limit.id, limit.exact) == ("requirement.budget.at_most", True)
    assert isinstance(limit.origin, Stated)


def test_figures_below_a_key_and_lists_of_choices():
    """D7: a threshold that follows from a baseline; a load of the requirement's own."""
    lines = """workload: {}
requirements:
  - id: q
    kind: quality
    level: must
    metric: m
    dataset: d
    baseline: {value: 62 %}
    tolerance: {points: 0.01}
    direction: at_least
  - {id: t, kind: throughput, level: must, at_least: 2.5 requests/s, concurrency: 8}
  - {id: w, kind: warranty, level: want, at_least: 3 years, returns: seller}
  - {id: p, kind: location, level: must, one_of: [France, Norway]}
"""
    found = {one.id: one for one in fiche_of(lines).requirements}
    values = {
        name: {key: figure.low for key, figure in one.figures.items()}
        for name, one in found.items()
    }
    assert values["q"] == {"baseline.value": Fraction(31, 50), "tolerance.points": Fraction(1, 100)}
    assert values["t"] == {"at_least": Fraction(5, 2), "concurrency": 8}
    assert values["w"] == {"at_least": 36}
    assert found["w"].facts["returns"].value == "seller"
    assert [one.value for one in found["p"].choices["one_of"]] == ["France", "Norway"]
    assert found["q"].figures["tolerance.points"].id == "requirement.q.tolerance.points"


def test_words_stay_words():
    found = by_id()
    assert {k: f.value for k, f in found["quality"].facts.items()} == {
        "metric": "exact_match",
        "dataset": "qa-200",
    }
    assert found["new"].facts["at_least"].value == "2.10"
    assert found["new"].figures == {}
    assert found["soon"].facts["by"].value == "2026-12-24"
    assert found["quiet"].facts["term"].value == "TGP"


def test_levels_and_cases_are_as_written():
    found = by_id()
    assert (found["memory"].level, found["memory"].cases) == ("must", ("usual", "limit"))
    assert found["quiet"].level == "want"
    assert found["quiet"].cases == ()
    assert not any(one.implied for one in found.values())


def test_nothing_is_required_that_the_fiche_does_not_write():
    """Memory and quality are added by the judge, who says so; never here."""
    assert fiche_of().requirements == ()


def test_a_must_names_its_threshold_and_a_want_may_lack_it():
    """Kepner-Tregoe: what is not mandatory, measurable and realistic at once is a want (catalog.md 5)."""
    assert refusals("requirements:\n  - {id: a, kind: power, level: must}\n") == [("F314", 6, 5)]
    (want,) = asked("requirements:\n  - {id: a, kind: power, level: want}\n")
    assert (want.figures, want.facts, want.choices) == ({}, {}, {})


def test_a_list_is_of_what_one_is_enough():
    text = "requirements:\n  - {id: a, kind: form_factor, level: must, one_of: [OAM, SXM5]}\n"
    (form,) = asked(text)
    assert [fact.value for fact in form.choices["one_of"]] == ["OAM", "SXM5"]
    assert form.choices["one_of"][1].address.line == 6


def test_the_author_s_kind_of_piece_is_kept():
    (quiet,) = asked(
        "requirements:\n  - {id: a, kind: power, level: must, at_most: 300 W, piece: the sheet}\n"
    )
    assert quiet.facts["piece"].value == "the sheet"
