"""From a comparison to a finding: the words, the conditions, the people (D1, DESIGN 4)."""

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    assumed,
    candidate,
    ground,
    requirement,
    stated,
)

from fiche.evaluate.findings import judged, second_readings, supposing
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.doors import Criterion
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

ASKED = Condition(topic="need", text="run it", supplier="whoever can run it")


def criterion(*firmly, guessing=None):
    """A criterion that finds what a test says, firmly and with assumptions let in."""
    compare = lambda r, c, ground: tuple((guessing or firmly) if ground.assume else firmly)  # noqa: E731
    return Criterion(name="document", title="", compare=compare)


def found(*comparisons):
    asked = requirement("document", document="x")
    return tuple(judged(criterion(*comparisons), asked, candidate(), ground()))


def claim(answer, piece, *by):
    return Claim(piece=piece, answer=answer, by=by)


def test_a_settled_finding_has_nothing_open_and_names_the_people():
    (one,) = found(
        Comparison(claims=(claim("yes", "a"),), conditions=(ASKED,), attested_by=("B. Lopez",))
    )
    assert (one.verdict, one.reason, one.conditions) == (ADMISSIBLE, "confirmed", ())
    assert one.text == "a piece in scope confirms it, on the word of B. Lopez"


def test_what_is_to_confirm_keeps_its_conditions_in_their_order():
    other = replace(ASKED, text="then this")
    (one,) = found(Comparison(conditions=(ASKED, other, ASKED)))
    assert (one.verdict, one.conditions) == (TO_CONFIRM, (ASKED, other))


def test_an_overlap_that_asks_nothing_asks_for_exact_readings():
    ends = {"need_low": 1, "need_high": 3, "have_low": 2, "have_high": 4}
    (one,) = found(Comparison(**{name: stated(value, BYTE) for name, value in ends.items()}))
    assert (one.reason, [c.topic for c in one.conditions]) == ("overlap", ["precision_of_reading"])


def test_a_conflict_is_shown_with_both_sides_and_asked_first():
    (one,) = found(
        Comparison(
            claims=(claim("yes", "a"),), conflicts=("a says 1, b says 2",), conditions=(ASKED,)
        )
    )
    assert (one.verdict, one.reason) == (TO_CONFIRM, "conflict")
    assert one.text == "pieces contradict each other: a says 1, b says 2"
    assert [c.topic for c in one.conditions] == ["conflict", "need"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_yes_and_a_no_contradict_each_other_whoever_gathered_them(order):
    claims = (claim("yes", "a"), claim("no", "b"))[::order]
    (one,) = found(Comparison(claims=claims))
    assert one.reason == "conflict"
    assert "a confirms and b refuses it" in one.text


def test_a_peak_below_the_floor_has_a_reason_of_its_own_unless_more_is_wrong():
    below = "run peaked at most at 1 B, below the computed floor of 2 B: something else ran"
    (one,) = found(Comparison(conflicts=(below,)))
    assert one.reason == "below_floor"
    (one,) = found(Comparison(conflicts=(below, "a says 1, b says 2")))
    assert one.reason == "conflict"


def test_a_finding_bears_its_place_and_both_numbers():
    (one,) = found(
        Comparison(
            case="limit", device="cuda:1", need_shown=stated(1, BYTE), have_shown=stated(2, BYTE)
        )
    )
    assert (one.case, one.device, one.need.low, one.have.low) == ("limit", "cuda:1", 1, 2)
    assert (one.requirement, one.candidate, one.level) == ("document", "rent", "must")


# --- Second reading ----------------------------------------------------------------------------


def second(firmly, guessing):
    made = criterion(firmly, guessing=(guessing,))
    asked, on, firm = requirement("document", document="x"), candidate(), ground()
    first = tuple(judged(made, asked, on, firm))
    guessing = replace(firm, assume=True)
    return tuple(second_readings(supposing(made, asked, on, first, guessing)))


OPEN = Comparison(have_low=stated(5, BYTE))
GUESS = replace(OPEN, need_high=assumed(3))


def test_a_guess_that_would_admit_is_told_with_what_it_hangs_on():
    (one,) = second(OPEN, GUESS)
    assert one.would_be is ADMISSIBLE
    assert one.if_held == ("reserve.guess = 3 B, assumed by A. Martin: seen on the workstation",)
    (one,) = second(OPEN, replace(GUESS, if_held=("the envelope holds",)))
    assert one.if_held == ("the envelope holds",)


def test_a_guess_that_would_exclude_is_told():
    (one,) = second(
        Comparison(have_high=stated(2, BYTE)),
        Comparison(have_high=stated(2, BYTE), need_low=assumed(3)),
    )
    assert one.would_be is EXCLUDE


def test_a_guess_that_changes_nothing_is_not_told():
    assert second(OPEN, OPEN) == ()
    assert second(OPEN, replace(GUESS, need_high=assumed(6))) == ()


def test_what_is_settled_stays_settled():
    yes = Comparison(claims=(claim("yes", "a"),))
    assert second(yes, replace(yes, need_low=assumed(3), have_high=stated(2, BYTE))) == ()


def test_a_conflict_stays_a_conflict():
    conflict = replace(OPEN, conflicts=("a says 1, b says 2",))
    assert second(conflict, replace(GUESS, conflicts=conflict.conflicts)) == ()
