"""A harness's score as evidence of quality: which one, on which scale, within which error (A7, D6, D7)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    STRICT,
    TO_CONFIRM,
    candidate,
    facts_of,
    finding,
    pointer,
    requirement,
    result,
    says,
    span,
    stated,
    verdict,
    workload,
)
from evaluate.build import piece as cited

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.piece import Result
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE


def score(value, *, metric="acc", label="arc", unit="score", half=0, **marks):
    number = Fraction(value)
    return Result(
        metric=metric,
        text=value,
        low=number - Fraction(half),
        high=number + Fraction(half),
        unit=unit,
        pointer=pointer("eval"),
        label=label,
        marks={"scale": "fraction", "filter": "none", **marks},
    )


def evaluated(*scores, id="eval", load=None, **changes):
    """A file of a harness that prints every strict fact of quality."""
    told = cited(id, kind="lm_eval_results", **changes)
    facts = facts_of(load or workload(), id, "nvidia-rtx-4090-24g", {})
    return replace(told, reading=replace(told.reading, results=scores, facts=facts))


def asked(at_least="0.62", *, metric="acc", dataset="arc", **more):
    text = at_least if "%" in at_least else ""
    number = Fraction(at_least.removesuffix("%").strip()) / (100 if text else 1)
    origin = Stated(span=span(text=at_least))
    limit = Figure(low=number, high=number, unit=ONE, origin=origin, id="limit")
    return requirement("quality", at_least=limit, metric=metric, dataset=dataset, **more)


@pytest.mark.parametrize(
    ("value", "expected"), [("0.62", ADMISSIBLE), ("0.655", ADMISSIBLE), ("0.619", EXCLUDE)]
)
def test_a_score_in_scope_settles_it_as_an_observation(value, expected):
    found = finding(asked(), [evaluated(score(value))])
    assert (found.verdict, found.pieces, found.attested_by) == (expected, ("eval",), ())
    assert found.have.id == "eval/result.1"


def test_the_printed_interval_counts():
    """0.6200 with four decimals may be 0.61996: the rounding of a table is part of the value (C13)."""
    assert verdict(asked("0.62"), [evaluated(score("0.6200", half="0.00005"))]) is TO_CONFIRM
    assert verdict(asked("0.62"), [evaluated(score("0.6201", half="0.00005"))]) is ADMISSIBLE


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [
        ("0.640", "0.01", ADMISSIBLE),
        ("0.630", "0.01", ADMISSIBLE),
        ("0.625", "0.01", TO_CONFIRM),
        ("0.615", "0.01", TO_CONFIRM),
        ("0.600", "0.01", EXCLUDE),
    ],
)
def test_within_one_standard_error_of_the_threshold_neither_side_is_shown(value, error, expected):
    found = finding(asked(), [evaluated(score(value, stderr=error))])
    assert found.verdict is expected
    if expected is TO_CONFIRM:
        assert says(found, f"{value} ± {error} .standard error. does not tell apart")
        assert found.reason == "overlap"


def test_a_score_without_a_standard_error_counts_and_the_verdict_notes_it():
    found = finding(asked(), [evaluated(score("0.7"))])
    assert found.verdict is ADMISSIBLE
    assert "states no standard error of acc" in found.text


# --- Which score --------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [{"metric": "acc_norm"}, {"dataset": "gsm8k"}])
def test_another_name_is_another_score(changed):
    assert verdict(asked(**changed), [evaluated(score("0.9"))]) is TO_CONFIRM


def test_throughputs_are_no_scores():
    told = evaluated(score("900", metric="acc", unit="tokens/s"))
    assert verdict(asked(), [told]) is TO_CONFIRM


def test_of_several_filters_the_fiche_says_which():
    both = evaluated(
        score("0.75", metric="exact_match", filter="strict-match"),
        score("0.60", metric="exact_match", filter="flexible-extract"),
    )
    found = finding(asked(metric="exact_match"), [both])
    assert found.verdict is TO_CONFIRM
    assert says(found, "several filters .strict-match, flexible-extract.")
    assert verdict(asked(metric="exact_match,strict-match"), [both]) is ADMISSIBLE
    assert verdict(asked(metric="exact_match,flexible-extract"), [both]) is EXCLUDE


def test_of_several_models_nobody_says_which():
    both = evaluated(score("0.7", model="a"), score("0.7", model="b"))
    assert says(finding(asked(), [both]), "several models .a, b.")


@pytest.mark.parametrize(
    ("marks", "expected", "said"),
    [
        ({"num_fewshot": 25}, ADMISSIBLE, ""),
        ({"num_fewshot": 0}, TO_CONFIRM, "it was taken with 0 shots, and 25 are asked"),
        ({}, TO_CONFIRM, "it does not say the shots"),
    ],
)
def test_shots_must_be_those_that_are_asked(marks, expected, said):
    found = finding(asked(few_shot="25"), [evaluated(score("0.7", **marks))])
    assert found.verdict is expected
    assert not said or says(found, said)
    assert verdict(asked(), [evaluated(score("0.7", **marks))]) is ADMISSIBLE


def test_an_attested_result_must_name_the_shots_too():
    told = result("0.7")
    limit = stated(Fraction("0.62"))
    wanted = requirement(
        "quality", at_least=limit, metric="exact_match", dataset="internal-qa-200", few_shot="5"
    )
    assert verdict(wanted, [told]) is TO_CONFIRM


@pytest.mark.parametrize("marks", [{"samples": 100, "of_samples": 2376}, {"limit": "100"}])
def test_a_part_of_a_data_set_validates_no_whole(marks):
    """D6."""
    found = finding(asked(), [evaluated(score("0.9", **marks))])
    assert found.verdict is TO_CONFIRM
    assert says(found, "a part validates no whole")
    assert verdict(asked(), [evaluated(score("0.9", samples=10, of_samples=10))]) is ADMISSIBLE


def test_a_direction_that_the_file_contradicts_answers_nothing():
    found = finding(asked(), [evaluated(score("0.9", higher_is_better=False))])
    assert found.verdict is TO_CONFIRM
    assert says(found, "the file says that less is better")
    assert verdict(asked(), [evaluated(score("0.9", higher_is_better=True))]) is ADMISSIBLE


def test_of_a_metric_where_less_is_better_the_value_must_not_be_above():
    wanted = requirement("quality", at_most=stated(8), metric="ppl", dataset="wiki")
    marks = {"metric": "ppl", "label": "wiki", "scale": "", "higher_is_better": False}
    assert verdict(wanted, [evaluated(score("7.5", **marks))]) is ADMISSIBLE
    assert verdict(wanted, [evaluated(score("8.5", **marks))]) is EXCLUDE


# --- Scale --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "scale", "limit", "expected"),
    [
        ("0.645", "fraction", "62 %", ADMISSIBLE),
        ("64.5", "percent", "62 %", ADMISSIBLE),
        ("61.5", "percent", "62 %", EXCLUDE),
        ("64.5", "percent", "62", ADMISSIBLE),
        ("64.5", "percent", "0.62", TO_CONFIRM),
        ("64.5", "", "0.62", TO_CONFIRM),
        ("0.645", "", "62", TO_CONFIRM),
        ("0.645", "fraction", "62", TO_CONFIRM),
        ("0.645", "", "62 %", TO_CONFIRM),
        ("64.5", "", "62", ADMISSIBLE),
        ("0.645", "", "0.62", ADMISSIBLE),
        ("1", "fraction", "0.62", ADMISSIBLE),
        ("0", "fraction", "0.62", EXCLUDE),
    ],
)
def test_sixty_two_is_not_sixty_two_percent_unless_the_format_says_so(
    value, scale, limit, expected
):
    assert verdict(asked(limit), [evaluated(score(value, scale=scale))]) is expected


def test_an_error_in_percent_is_brought_to_the_same_scale():
    told = evaluated(score("62.5", scale="percent", stderr="1.0"))
    found = finding(asked("62 %"), [told])
    assert found.verdict is TO_CONFIRM
    assert (found.have.low, found.have.high) == (Fraction("0.615"), Fraction("0.635"))


# --- Scope --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["model__revision", "formats__storage", "engine__name"])
def test_a_score_of_another_configuration_says_nothing(path):
    """D7: a changed format must recover the minimum quality."""
    told = evaluated(score("0.9"), load=workload(**{path: "another"}))
    found = finding(asked(), [told])
    assert found.verdict is TO_CONFIRM
    assert says(found, path.replace("__", "."))


def test_what_the_file_prints_counts_under_the_strict_policy():
    told = evaluated(score("0.9"))
    assert verdict(asked(), [told], policy=STRICT) is ADMISSIBLE


def test_scores_that_disagree_are_a_conflict_and_typed_results_take_part():
    """Shown side by side, never averaged."""
    found = finding(asked(), [evaluated(score("0.7")), evaluated(score("0.5"), id="again")])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "conflict")
    assert says(found, "eval says 0.7; again says 0.5")


def test_a_changed_candidate_needs_a_score_of_its_own():
    changed = workload(formats__storage="int8")
    on = candidate(load=changed)
    assert verdict(asked(), [evaluated(score("0.9"))], on, base=workload()) is TO_CONFIRM
    own = evaluated(score("0.9"), load=changed)
    assert verdict(asked(), [own], on, base=workload()) is ADMISSIBLE
