"""What a settled condition does to a comparison, read by the one rule again (D1, DESIGN 4)."""

from evaluate.build import ADMISSIBLE, EXCLUDE, TO_CONFIRM, assumed, bytes_of, decision, stated

from fiche.criteria import _conditions
from fiche.evaluate.rule import judge
from fiche.evaluate.settlement import can_exclude, judged_again, settled
from fiche.kernel.comparison import Claim, Comparison
from fiche.kernel.condition import Condition
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

NEED = Condition(topic="need", text="run it", supplier="whoever can run it", case="limit")
TOTAL = _conditions.memory_available("card", "node-7", "", "")
OTHERS = _conditions.other_users("card", "")
OPEN = Comparison(conditions=(NEED, TOTAL))


def verdict(comparison, told, *, well, open_=None):
    asked = comparison.conditions if open_ is None else open_
    return judge(settled(comparison, asked, told, well=well)).verdict


def test_all_that_is_open_settled_well_admits_and_less_does_not():
    assert verdict(OPEN, (NEED, TOTAL), well=True) is ADMISSIBLE
    assert verdict(OPEN, (NEED,), well=True) is TO_CONFIRM
    assert verdict(OPEN, (TOTAL,), well=True) is TO_CONFIRM
    assert verdict(OPEN, (), well=True) is TO_CONFIRM


def test_one_bad_answer_excludes():
    assert verdict(OPEN, (NEED,), well=False) is EXCLUDE
    assert verdict(OPEN, (NEED, TOTAL), well=False) is EXCLUDE


def test_a_small_total_excludes_only_what_has_a_firm_floor():
    """DESIGN 4: nothing but a floor above the capacity excludes on memory."""
    firm = replace(OPEN, need_low=stated(bytes_of("20 GiB").low, BYTE))
    guessed = replace(OPEN, need_low=assumed(bytes_of("20 GiB").low))
    assert verdict(firm, (TOTAL,), well=False) is EXCLUDE
    assert verdict(OPEN, (TOTAL,), well=False) is TO_CONFIRM
    assert verdict(guessed, (TOTAL,), well=False) is TO_CONFIRM
    assert not can_exclude(OTHERS, firm)


def test_what_is_of_the_question_never_excludes():
    for condition in (
        _conditions.conflict("a and b"),
        _conditions.stale("a", ("old",)),
        _conditions.placement("state it"),
        _conditions.near("they lie apart"),
    ):
        assert not can_exclude(condition, OPEN)
        only = Comparison(conditions=(condition,))
        assert verdict(only, (condition,), well=False) is TO_CONFIRM


def test_a_conflict_that_is_settled_leaves_what_stands_without_it():
    """The side that stood against the candidate is the one shown wrong, for it is settled well."""
    yes, no = Claim(piece="a", answer="yes"), Claim(piece="b", answer="no")
    told = Comparison(claims=(yes, no), conflicts=("a confirms and b refuses it",))
    conflict = _conditions.conflict(told.conflicts[0])
    assert verdict(told, (), well=True, open_=(conflict,)) is TO_CONFIRM
    assert verdict(told, (conflict,), well=True, open_=(conflict,)) is ADMISSIBLE


def test_an_earlier_failure_of_unknown_cause_keeps_nothing_open():
    failed = _conditions.failure("oom", ("cause unknown",))
    told = replace(OPEN, conditions=(*OPEN.conditions, failed))
    assert verdict(told, (NEED, TOTAL), well=True) is ADMISSIBLE
    assert verdict(told, (failed,), well=False) is EXCLUDE


def test_a_finding_that_is_not_open_keeps_its_verdict():
    made = decision()
    for found in made.findings:
        if found.verdict is not TO_CONFIRM:
            assert judged_again(found, found.conditions, well=False) is found.verdict
        else:
            assert judged_again(found, (), well=True) is TO_CONFIRM
            assert judged_again(found, found.conditions, well=True) is ADMISSIBLE
