"""A threshold that follows from a baseline: a changed format must recover the minimum quality (D7, D10)."""

from fractions import Fraction

import pytest
from criteria.test_scores import evaluated, score
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    candidate,
    decision,
    ground,
    outcome,
    requirement,
    stated,
    workload,
)

from fiche.criteria.quality import MEMBER
from fiche.evaluate.rule import judge
from fiche.kernel import trace
from fiche.kernel.record import replace

INT8 = workload(formats__storage="int8")


def asked(direction="at_least", relative="0.01", points=None, base=("baseline.piece", "base")):
    figures = (
        {"tolerance.relative": stated(Fraction(relative))}
        if points is None
        else {"tolerance.points": stated(Fraction(points))}
    )
    key, value = base
    words = {} if key == "baseline.value" else {key: value}
    figures |= {} if words else {key: stated(Fraction(value))}
    made = requirement("quality", metric="acc", dataset="arc", direction=direction, **words)
    return replace(made, figures=figures)


def compared(wanted, pieces, on=None):
    on = on or candidate("int8", load=INT8)
    seen = ground(pieces, on=on, base=workload())
    seen = replace(seen, candidates=(candidate("bf16"), on))
    (found,) = MEMBER.compare(wanted, on, seen)
    return found


def base(value="0.60", **changes):
    return evaluated(score(value, **changes), id="base")


def new(value, **changes):
    return evaluated(score(value, **changes), id="new", load=INT8)


@pytest.mark.parametrize(
    ("value", "expected"), [("0.594", ADMISSIBLE), ("0.61", ADMISSIBLE), ("0.593", EXCLUDE)]
)
def test_the_threshold_is_the_baseline_less_a_share_of_it(value, expected):
    found = compared(asked(), [base(), new(value)])
    assert judge(found).verdict is expected
    assert found.need_shown.low == Fraction("0.594")
    assert trace.rests_on(found.need_shown) == ("observed", "stated")
    assert set(found.pieces) == {"base", "new"}


@pytest.mark.parametrize(("value", "expected"), [("0.58", ADMISSIBLE), ("0.579", EXCLUDE)])
def test_points_are_points_of_the_score_itself(value, expected):
    wanted = asked(points="0.02")
    assert judge(compared(wanted, [base(), new(value)])).verdict is expected


@pytest.mark.parametrize(("value", "expected"), [("6.06", ADMISSIBLE), ("6.07", EXCLUDE)])
def test_where_less_is_better_the_tolerance_goes_the_other_way(value, expected):
    wanted = asked("at_most")
    assert judge(compared(wanted, [base("6"), new(value)])).verdict is expected


def test_without_the_baseline_nothing_is_shown_and_it_is_asked_for():
    for pieces in ([new("0.9")], [], [base(), replace(base("0.2"), id="other")]):
        found = compared(asked(), pieces)
        assert judge(found).verdict is TO_CONFIRM
    found = compared(asked(), [new("0.9")])
    assert "measure the baseline: acc on arc of piece base" in found.conditions[0].text


def test_a_baseline_of_another_model_or_of_a_part_of_the_set_is_none():
    other = evaluated(score("0.60"), id="base", load=workload(model__name="another"))
    part = base(samples=200, of_samples=1000)
    for wrong, why in ((other, "model.name"), (part, "200 of the 1000")):
        found = compared(asked(), [wrong, new("0.9")])
        assert judge(found).verdict is TO_CONFIRM
        assert why in found.conditions[0].text


def test_the_errors_of_both_scores_count():
    near = compared(asked(), [base(stderr="0.005"), new("0.60", stderr="0.005")])
    assert judge(near).verdict is TO_CONFIRM
    clear = compared(asked(), [base(stderr="0.005"), new("0.61", stderr="0.005")])
    assert judge(clear).verdict is ADMISSIBLE
    bare = compared(asked(), [base(stderr="0.02"), new("0.60")])
    assert judge(bare).verdict is TO_CONFIRM


def test_a_baseline_is_compared_with_itself_without_an_error():
    found = compared(asked(), [base(stderr="0.02")], candidate("bf16"))
    assert judge(found).verdict is ADMISSIBLE


def test_a_candidate_named_as_baseline_answers_with_its_own_formats():
    wanted = asked(base=("baseline.candidate", "bf16"))
    assert judge(compared(wanted, [base(), new("0.594")])).verdict is ADMISSIBLE
    assert judge(compared(wanted, [base(), new("0.593")])).verdict is EXCLUDE
    assert judge(compared(wanted, [new("0.593")])).verdict is TO_CONFIRM


def test_baselines_that_disagree_about_the_verdict_are_a_conflict():
    wanted = asked(base=("baseline.candidate", "bf16"))
    again = replace(base("0.62"), id="again")
    assert judge(compared(wanted, [base(), again, new("0.60")])).reason == "conflict"
    assert judge(compared(wanted, [base(), again, new("0.7")])).verdict is ADMISSIBLE


def test_a_number_may_be_the_baseline():
    wanted = asked(base=("baseline.value", "0.60"))
    assert judge(compared(wanted, [new("0.594")])).verdict is ADMISSIBLE


def test_the_whole_decision_knows_its_candidates():
    wanted = asked(base=("baseline.candidate", "bf16"))
    on = [candidate("bf16"), candidate("int8", load=INT8)]
    made = decision(on, [base(), new("0.593")], [wanted])
    verdicts = {
        one.id: next(f for f in outcome(made, one.id).findings if f.kind == "quality").verdict
        for one in on
    }
    assert verdicts == {"bf16": ADMISSIBLE, "int8": EXCLUDE}


@pytest.mark.parametrize("terms", [{"points": "0.9"}, {"points": "100"}, {"relative": "1"}])
def test_a_tolerance_that_takes_the_whole_baseline_asks_for_nothing(terms):
    """D7: every score would meet what is left, so none admits."""
    found = compared(asked(**terms), [base("0.9"), new("0.01")])
    assert judge(found).reason == "nothing_required"
    assert "leaves something of the baseline" in found.conditions[0].text
