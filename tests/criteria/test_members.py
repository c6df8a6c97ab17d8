"""What every kind of requirement says of itself: threshold, expected piece, decision (F8, Kepner-Tregoe)."""

import json

import pytest
from evaluate.build import CRITERIA, NEUTRAL, TO_CONFIRM, candidate, finding, requirement

from fiche.assets import schema_text

FICHE = json.loads(schema_text("fiche.schema.json"))["$defs"]
POLICY = json.loads(schema_text("policy.schema.json"))
KINDS = FICHE["requirement"]["properties"]["kind"]["enum"]
OF_KIND = {
    rule["if"]["properties"]["kind"]["const"]: rule["then"]
    for rule in FICHE["requirement"]["allOf"]
    if "kind" in rule["if"]["properties"]
}
IMPLIED_OR_STATED_ELSEWHERE = {"memory", "software", "placement", "quotes", "budget_line"}


def test_the_schema_and_the_room_have_the_same_kinds():
    assert set(KINDS) == set(CRITERIA) == set(OF_KIND)


@pytest.mark.parametrize("kind", KINDS)
def test_each_names_the_piece_that_it_expects_and_what_settles_it(kind):
    """F8: criterion, expected piece, decision."""
    criterion = CRITERIA[kind]
    assert 10 < len(criterion.expects) <= 120
    assert not criterion.expects.endswith(".")
    assert "admit" in criterion.settles
    assert "exclude" in criterion.settles


@pytest.mark.parametrize("kind", KINDS)
def test_an_author_may_name_the_piece_in_other_words(kind):
    assert OF_KIND[kind]["properties"]["piece"] is True


def musts(kind):
    """The groups of keys of which the schema asks one each, where the requirement is a must."""
    then = OF_KIND[kind]
    rules = [then, *then.get("allOf", ())]
    asked = [rule["then"] for rule in rules if _must(rule.get("if", {}))]
    asked += [{key: then[key] for key in ("required", "anyOf") if key in then}]
    groups = [(key,) for rule in asked for key in rule.get("required", ())]
    groups += [
        tuple(key for one in rule["anyOf"] for key in one["required"])
        for rule in asked
        if "anyOf" in rule
    ]
    return {frozenset(group) for group in groups}


def _must(condition):
    level = condition.get("properties", {}).get("level", {})
    return level.get("const") == "must" and condition.get("required") == ["level"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_must_has_the_threshold_that_its_criterion_needs(kind):
    """A must is mandatory, measurable and realistic; the two lists cannot drift apart."""
    needs = {frozenset(group) for group in CRITERIA[kind].needs}
    assert musts(kind) == needs
    assert needs or kind in IMPLIED_OR_STATED_ELSEWHERE


@pytest.mark.parametrize("kind", sorted(set(KINDS) - IMPLIED_OR_STATED_ELSEWHERE))
def test_a_want_without_a_threshold_says_that_nothing_is_stated(kind):
    found = finding(requirement(kind, "want"))
    assert (found.verdict, found.reason) == (TO_CONFIRM, "nothing_required")
    assert found.conditions[0].supplier == "author of the fiche"
    assert found.expects == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_may_list_facts_for_each(kind):
    for lists in ("strict", "noted", "changed"):
        pattern = POLICY["properties"][lists]["propertyNames"]["pattern"]
        assert f"|{kind}|" in f"|{pattern[2 : pattern.index(')')]}|"


def test_what_is_open_names_the_piece_expected():
    asked = requirement("ecc", state="on")
    assert finding(asked).expects == CRITERIA["ecc"].expects
    named = requirement("ecc", state="on", piece="the acceptance record")
    assert finding(named).expects == "the acceptance record"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("service", {"service": "managed PostgreSQL"}),
        ("interconnect", {"link": "NVLink"}),
        ("ecc", {"state": "on"}),
        ("location", {"one_of": ["EU"]}),
    ],
)
def test_a_card_s_name_and_memory_never_admit_the_rest_of_the_server(kind, words):
    """D3: a managed application, RAM, an attested interconnect are criteria of their own."""
    assert finding(requirement(kind, **words), [], candidate()).verdict is TO_CONFIRM


def test_the_strict_lists_are_of_known_kinds():
    assert {kind.partition(".")[0] for kind in NEUTRAL.strict} <= set(KINDS)
