"""The words of EARL: two unknowns told apart, and a candidate in short (D1)."""

import pytest
from render.pages import NAMES, decision

from fiche.kernel.condition import Condition
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.standing import settles_if, short, standing


def found(verdict=Verdict.TO_CONFIRM, reason="open", **more):
    told = {"requirement": "r", "kind": "memory", "level": "must", "candidate": "c", "text": ""}
    return Finding(verdict=verdict, reason=reason, need=None, have=None, **{**told, **more})


@pytest.mark.parametrize(
    ("one", "word"),
    [
        (found(Verdict.ADMISSIBLE, "confirmed"), "passed"),
        (found(Verdict.EXCLUDE, "refused"), "failed"),
        (found(reason="conflict"), "cantTell"),
        (found(reason="stale"), "cantTell"),
        (found(reason="near_limit"), "cantTell"),
        (found(pieces=("run",)), "cantTell"),
        (found(sources=("a data sheet",)), "cantTell"),
        (found(), "untested"),
        (found(reason="nothing_required"), "untested"),
        (found(reason="nothing_required", level="want"), "inapplicable"),
    ],
)
def test_a_finding_stands_as_its_evidence_does(one, word):
    assert standing(one) == word


@pytest.mark.parametrize("name", NAMES)
def test_every_finding_has_one_that_agrees_with_its_verdict(name):
    for one in decision(name).findings:
        word = standing(one)
        assert word in ("passed", "failed", "cantTell", "untested", "inapplicable")
        assert (word == "passed") == (one.verdict is Verdict.ADMISSIBLE)
        assert (word == "failed") == (one.verdict is Verdict.EXCLUDE)


def test_thresholds_are_told_once():
    conditions = tuple(
        Condition(topic=t, text="", threshold=at)
        for t, at in (("a", ">= 1 B"), ("b", ""), ("c", ">= 1 B"), ("d", "<= 2 h"))
    )
    assert settles_if(found(conditions=conditions)) == (">= 1 B", "<= 2 h")


def test_a_candidate_in_short_names_what_fails_and_what_is_open():
    made = decision("rich")
    for outcome in made.outcomes:
        told = short(outcome, made)
        assert told.code == outcome.verdict.code
        assert bool(told.failed) == (outcome.status == "excluded")
        assert not told.failed or outcome.status != "retained"
        assert all(one.level == "must" for one in (*told.failed, *told.unsettled))
        assert bool(told.unsettled or told.failed) == (outcome.status != "retained")
