"""The one rule, cell by cell (DESIGN 4): the first row that holds wins."""

from itertools import product

import pytest
from evaluate.build import ADMISSIBLE, EXCLUDE, TO_CONFIRM, assumed, observed, stated
from hypothesis import given
from hypothesis import strategies as st

from fiche.evaluate.rule import ROWS, bounds_of, judge
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

ENDS = ("need_low", "need_high", "have_low", "have_high")


def at(value):
    return None if value is None else stated(value, BYTE)


def compared(need=(None, None), have=(None, None), *, claims=(), **changes):
    return Comparison(
        need_low=at(need[0]),
        need_high=at(need[1]),
        have_low=at(have[0]),
        have_high=at(have[1]),
        claims=tuple(Claim(piece="p", answer=answer) for answer in claims),
        **changes,
    )


# need interval, have interval, reason, verdict
NUMBERS = [
    ((9, 9), (5, 8), "above_capacity", EXCLUDE),
    ((9, None), (None, 8), "above_capacity", EXCLUDE),
    ((9, 9), (8, 9), "overlap", TO_CONFIRM),
    ((8, 8), (5, 8), "overlap", TO_CONFIRM),
    ((8, 8), (None, 8), "open", TO_CONFIRM),
    ((3, 5), (5, 8), "within_capacity", ADMISSIBLE),
    ((3, 5), (5, None), "within_capacity", ADMISSIBLE),
    ((None, 5), (5, None), "within_capacity", ADMISSIBLE),
    ((3, 6), (5, 8), "overlap", TO_CONFIRM),
    ((3, None), (5, 8), "open", TO_CONFIRM),
    ((3, 5), (None, 8), "open", TO_CONFIRM),
    ((None, None), (5, 8), "open", TO_CONFIRM),
    ((3, 5), (None, None), "open", TO_CONFIRM),
    ((None, None), (None, None), "open", TO_CONFIRM),
]
# claims, reason, verdict, before any number
WORDS = [
    (("failure",), "proven_failure", EXCLUDE),
    (("no",), "refused", EXCLUDE),
    (("failure", "no", "yes"), "proven_failure", EXCLUDE),
    (("no", "yes"), "refused", EXCLUDE),
]


@pytest.mark.parametrize(("need", "have", "reason", "verdict"), NUMBERS)
def test_each_relation_of_two_intervals(need, have, reason, verdict):
    row = judge(compared(need, have))
    assert (row.reason, row.verdict) == (reason, verdict)


@pytest.mark.parametrize(("need", "have", "reason", "verdict"), NUMBERS)
@pytest.mark.parametrize(("claims", "said", "settled"), WORDS)
def test_a_proven_failure_or_refusal_goes_before_every_number(
    need, have, reason, verdict, claims, said, settled
):
    row = judge(compared(need, have, claims=claims))
    assert (row.reason, row.verdict) == (said, settled)


@pytest.mark.parametrize(("need", "have", "reason", "verdict"), NUMBERS)
def test_an_approval_goes_before_all_but_an_exclusion(need, have, reason, verdict):
    row = judge(compared(need, have, claims=["yes"]))
    expected = (reason, verdict) if verdict is EXCLUDE else ("confirmed", ADMISSIBLE)
    assert (row.reason, row.verdict) == expected


@pytest.mark.parametrize(("need", "have", "reason", "verdict"), NUMBERS)
def test_nothing_required_admits_and_excludes_nothing_by_numbers(need, have, reason, verdict):
    row = judge(compared(need, have, required=False))
    assert (row.reason, row.verdict) == ("nothing_required", TO_CONFIRM)


@pytest.mark.parametrize(("need", "have", "reason", "verdict"), NUMBERS)
@pytest.mark.parametrize("claims", [(), ("yes",), ("no",), ("failure",), ("",)])
@pytest.mark.parametrize("required", [True, False])
def test_a_contradiction_goes_before_everything(need, have, reason, verdict, claims, required):
    row = judge(compared(need, have, claims=claims, required=required, conflicts=("a, b",)))
    assert (row.reason, row.verdict) == ("conflict", TO_CONFIRM)


def test_a_claim_without_an_answer_settles_nothing():
    assert judge(compared(claims=[""])).reason == "open"


# need interval, have interval, band, reason with the band, and without it what the numbers say
GUARDED = [
    ((3, 5), (8, 8), 3, "within_capacity", ADMISSIBLE),
    ((3, 6), (8, 8), 3, "near_limit", TO_CONFIRM),
    ((11, 12), (8, 8), 2, "above_capacity", EXCLUDE),
    ((10, 12), (8, 8), 2, "near_limit", TO_CONFIRM),
    ((8, 8), (8, 8), 0, "within_capacity", ADMISSIBLE),
    ((7, 9), (8, 8), 2, "overlap", TO_CONFIRM),
    ((3, None), (8, 8), 2, "open", TO_CONFIRM),
]


@pytest.mark.parametrize(("need", "have", "band", "reason", "verdict"), GUARDED)
def test_inside_the_guard_band_nothing_is_settled(need, have, band, reason, verdict):
    """ILAC-G8: a measured value within the band of its limit, on either side, is to confirm."""
    row = judge(compared(need, have, guard=at(band)))
    assert (row.reason, row.verdict) == (reason, verdict)


def test_no_band_keeps_arithmetic_from_excluding():
    floor = compared((9, 9), (8, 8), guard=at(2), guard_excludes=False)
    assert judge(floor).verdict is EXCLUDE
    assert judge(replace(floor, guard_excludes=True)).reason == "near_limit"


def test_a_band_keeps_no_claim_from_settling():
    assert judge(compared((7, 7), (8, 8), claims=("yes",), guard=at(5))).verdict is ADMISSIBLE
    assert judge(compared((7, 7), (8, 8), claims=("no",), guard=at(5))).verdict is EXCLUDE


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 10), st.integers(0, 10))
def test_more_room_and_a_narrower_band_never_worsen_a_verdict(need, have, band, more):
    before = judge(compared((need, need), (have, have), guard=at(band))).verdict
    roomier = judge(compared((need, need), (have + more, have + more), guard=at(band))).verdict
    assert roomier <= before
    settled = judge(compared((need, need), (have, have))).verdict
    assert before in (settled, TO_CONFIRM)


def test_there_are_ten_rows_of_one_reason_each_and_each_can_hold():
    assert len({row.reason for row in ROWS}) == len(ROWS) == 10
    cells = product(
        [need_have[:2] for need_have in NUMBERS],
        [(), ("yes",), ("no",), ("failure",)],
        [True, False],
        [(), ("a, b",)],
        [0, 1],
    )
    found = {
        judge(
            compared(*ends, claims=claims, required=required, conflicts=conflicts, guard=at(band))
        ).reason
        for ends, claims, required, conflicts, band in cells
    }
    assert found == {row.reason for row in ROWS}


def unknown():
    return Unknown(condition=Condition(topic="need", text="measure it"), unit=BYTE, id="x")


@pytest.mark.parametrize("end", ENDS)
def test_a_guess_is_no_end_and_is_one_in_the_second_reading(end):
    """DESIGN 3: Assumed is never firm."""
    guess = Comparison(**{end: assumed(7)})
    assert getattr(bounds_of(guess, assume=False), end) is None
    assert getattr(bounds_of(guess, assume=True), end) == 7


@pytest.mark.parametrize("end", ENDS)
def test_a_sum_with_a_guess_or_an_unknown_in_it_is_no_firm_end(end):
    for weak in (assumed(1), unknown()):
        mixed = Comparison(**{end: observed(7) + weak})
        assert getattr(bounds_of(mixed, assume=False), end) is None


@pytest.mark.parametrize("end", ENDS)
def test_the_right_end_of_each_interval_is_compared(end):
    wide = Figure(low=3, high=9, unit=BYTE, origin=observed(0).origin)
    found = getattr(bounds_of(Comparison(**{end: wide}), assume=False), end)
    assert found == (3 if end.endswith("low") else 9)


SIZES = st.one_of(st.none(), st.integers(0, 4))
CLAIMS = st.lists(st.sampled_from(["yes", "no", "failure", ""]), max_size=2)


@given(
    st.tuples(SIZES, SIZES),
    st.tuples(SIZES, SIZES),
    CLAIMS,
    st.booleans(),
    st.booleans(),
    st.sets(st.sampled_from(ENDS)),
)
def test_an_assumed_end_is_as_good_as_none(need, have, claims, required, conflict, guessed):
    """Law: an assumed figure never admits or excludes."""
    changes = {"required": required, "conflicts": ("a, b",) if conflict else ()}
    made = compared(need, have, claims=claims, **changes)
    ends = {end: getattr(made, end) for end in ENDS}
    guesses = {e: assumed(f.low) for e, f in ends.items() if e in guessed and f is not None}
    opened = dict.fromkeys(guessed)
    with_guesses = Comparison(**{**ends, **guesses}, claims=made.claims, **changes)
    without = Comparison(**{**ends, **opened}, claims=made.claims, **changes)
    assert judge(with_guesses).verdict is judge(without).verdict


@given(
    st.tuples(SIZES, SIZES),
    st.tuples(SIZES, SIZES),
    CLAIMS,
    st.booleans(),
    st.integers(0, 4),
)
def test_more_capacity_never_worsens_a_verdict(need, have, claims, required, more):
    """Law, at the rule itself."""
    roomier = tuple(None if end is None else end + more for end in have)
    less = judge(compared(need, have, claims=claims, required=required))
    assert judge(compared(need, roomier, claims=claims, required=required)).verdict <= less.verdict
