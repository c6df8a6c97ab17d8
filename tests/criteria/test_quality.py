"""Quality: the same for every candidate, in the scope of its own formats and engine (A7, D7)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    attest,
    candidate,
    document,
    finding,
    quality,
    requirement,
    result,
    says,
    stated,
    topics,
    verdict,
    workload,
)

from fiche.kernel.record import replace


@pytest.mark.parametrize(
    ("value", "expected"), [("0.62", ADMISSIBLE), ("0.655", ADMISSIBLE), ("0.619", EXCLUDE)]
)
def test_a_result_in_scope_settles_it(value, expected):
    found = finding(quality("0.62"), [result(value)])
    assert found.verdict is expected
    assert found.pieces == ("result",)


def test_without_a_result_it_is_to_confirm_with_the_metric_and_the_threshold():
    found = finding(quality("0.62"), [])
    assert topics(found) == {"quality"}
    assert found.conditions[0].threshold == "exact_match >= 0.62"
    assert says(found, "exact_match on internal-qa-200")


def test_a_threshold_of_sixty_prints_as_sixty():
    assert finding(quality("60"), []).conditions[0].threshold == "exact_match >= 60"


def test_for_a_metric_where_less_is_better_the_value_must_not_be_above():
    """Perplexity: at most 5.9."""
    asked = requirement(
        "quality", metric="exact_match", dataset="internal-qa-200", at_most=stated(Fraction("5.9"))
    )
    for value, expected in (("5.9", ADMISSIBLE), ("5.8", ADMISSIBLE), ("6", EXCLUDE)):
        assert verdict(asked, [result(value)]) is expected


def test_an_implied_requirement_asks_what_quality_must_hold():
    """DESIGN 4: quality is a must even when the fiche omits it."""
    found = finding(requirement("quality"), [result()])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "nothing_required")
    assert topics(found) == {"quality"}


@pytest.mark.parametrize("changed", ["metric", "dataset"])
def test_another_metric_or_dataset_says_nothing(changed):
    other = {"metric": "exact_match", "dataset": "internal-qa-200", changed: "another"}
    asked = requirement("quality", at_least=stated(Fraction("0.62")), **other)
    assert verdict(asked, [result()]) is TO_CONFIRM


@pytest.mark.parametrize(
    "path",
    [
        "model__name",
        "model__revision",
        "operation",
        "formats__storage",
        "formats__compute",
        "formats__cache",
        "engine__name",
    ],
)
def test_a_result_of_another_configuration_says_nothing(path):
    """D7: a changed format must recover the minimum quality."""
    found = finding(quality(), [result(**{path: "another"})])
    assert found.verdict is TO_CONFIRM
    assert says(found, path.replace("__", "."))


def test_a_changed_candidate_needs_a_result_of_its_own():
    changed = workload(formats__cache="fp8_e4m3")
    on = candidate(load=changed)
    assert verdict(quality(), [result()], on, base=workload()) is TO_CONFIRM
    assert verdict(quality(), [result(load=changed)], on, base=workload()) is ADMISSIBLE
    typed_case = document("r", *result().attested, kind="result", case="limit")
    assert verdict(quality(), [typed_case], on, base=workload()) is TO_CONFIRM
    assert verdict(quality(), [typed_case], candidate()) is ADMISSIBLE


def test_results_that_disagree_are_a_conflict():
    """Shown side by side, never averaged."""
    found = finding(quality("0.62"), [result("0.655"), result("0.6", id="again")])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "result says 0.655; again says 0.6")


def test_of_results_that_agree_the_worst_counts():
    found = finding(quality("0.62"), [result("0.7"), result("0.65", id="again")])
    assert found.verdict is ADMISSIBLE
    assert found.have.low == Fraction("0.65")


def test_a_result_within_its_rounding_does_not_unsettle_one_that_settles():
    """Dropping it must not turn to confirm into admissible."""
    wide = result("0.62", id="wide")
    near = replace(wide.attested[0].terms["value"], low=Fraction("0.61"), high=Fraction("0.63"))
    vague = replace(wide, attested=(replace(wide.attested[0], terms={"value": near}),))
    assert verdict(quality("0.62"), [vague]) is TO_CONFIRM
    assert verdict(quality("0.62"), [vague, result("0.655")]) is ADMISSIBLE
    assert verdict(quality("0.62"), [vague, result("0.6")]) is EXCLUDE


def test_a_typed_scope_is_on_somebody_s_word():
    found = finding(quality(), [result(by="C. Ito")])
    assert found.attested_by == ("C. Ito",)
    assert says(found, "on the word of C. Ito")
    assert verdict(quality(), [result()], policy=STRICT) is TO_CONFIRM
    assert verdict(quality(), [result(by="")]) is TO_CONFIRM


def test_a_value_that_nobody_vouches_for_says_nothing():
    told = result()
    silent = replace(told.attested[0], pointer=None, by="")
    assert verdict(quality(), [replace(told, attested=(silent,))]) is TO_CONFIRM


def test_an_attested_fact_of_another_kind_is_no_result():
    other = document("d", attest("document", title="quality report"), gpu="nvidia-rtx-4090-24g")
    assert verdict(quality(), [other]) is TO_CONFIRM


def test_a_noted_difference_is_shown_with_the_result():
    load = workload(seed="0")
    found = finding(quality(), [result(load=load, seed="1")], candidate(load=load))
    assert found.verdict is ADMISSIBLE
    assert found.text.endswith("(noted: seed: the question says 0, result 1)")


# --- Corners that only a changed line showed ---------------------------------------------------


def at_most(limit):
    return requirement(
        "quality", metric="exact_match", dataset="internal-qa-200", at_most=stated(Fraction(limit))
    )


def vague():
    wide = result("0.62", id="vague")
    near = replace(wide.attested[0].terms["value"], low=0, high=1)
    return replace(wide, attested=(replace(wide.attested[0], terms={"value": near}),))


@pytest.mark.parametrize("asked", [quality("0.62"), at_most("0.62")])
def test_the_very_threshold_settles_it_beside_a_vague_result(asked):
    found = finding(asked, [vague(), result("0.62")])
    assert (found.verdict, found.margin.low) == (ADMISSIBLE, 0)


@pytest.mark.parametrize(("asked", "worse"), [(quality("0.62"), "0.61"), (at_most("0.62"), "0.63")])
def test_the_very_threshold_and_a_worse_result_are_a_conflict(asked, worse):
    assert finding(asked, [result("0.62"), result(worse, id="worse")]).reason == "conflict"
    found = finding(asked, [result(worse), vague()])
    shown = found.have if "at_least" in asked.figures else found.need
    assert (found.verdict, shown.low) == (EXCLUDE, Fraction(worse))


def test_of_results_above_a_most_the_largest_is_shown():
    found = finding(at_most("0.62"), [result("0.7"), result("0.65", id="b")])
    assert (found.verdict, found.need.low, found.margin.low) == (
        EXCLUDE,
        Fraction("0.7"),
        Fraction("-0.08"),
    )


@pytest.mark.parametrize("kind", ["quote", "datasheet"])
def test_what_a_sheet_says_of_quality_measures_none(kind):
    """D3: a commercial sheet attests what is offered; the protocol establishes what works."""
    found = finding(quality(), [replace(result(), kind=kind)])
    assert (found.verdict, says(found, f"a {kind} says what is offered")) == (TO_CONFIRM, True)
