"""What differs between two fiches, and which change moved which verdict: tried, never guessed."""

import hashlib
from fractions import Fraction

import pytest
from evaluate.build import (
    DOORS,
    MACHINE,
    STRICT,
    budget,
    candidate,
    capacity,
    case,
    fiche,
    memory,
    offer,
    piece,
    quality,
    result,
    run,
    total,
    typed,
    used,
    workload,
)
from evaluate.generated import fiches
from hypothesis import HealthCheck, given, settings

from fiche.cli.diff_json import counts
from fiche.evaluate import difference_moves
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.difference import applied, difference
from fiche.evaluate.difference import given as verdicts
from fiche.evaluate.difference_changes import Spoken, edits
from fiche.evaluate.difference_moves import Trial
from fiche.evaluate.difference_parts import parts, rebuilt
from fiche.kernel.difference import Detail
from fiche.kernel.record import replace

PEAK = 21 * 10**9
FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def again(asked):
    return judged_fiche(asked, DOORS, "0")


def compared(before, after):
    return difference(("a", again(before)), ("b", again(after)), again)


def evidence(peak=PEAK, load=None):
    seen = run(used(peak), load=load)
    return piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[seen])


def with_digests(asked):
    """Bytes decide what is read in them; drawn pieces of one id have equal digests and other readings."""
    told = tuple(
        replace(p, sha256=hashlib.sha256(repr(p.reading).encode()).hexdigest())
        for p in asked.pieces
    )
    return replace(asked, pieces=told)


def story(**changes):
    """One retained candidate: its run, its result, a budget."""
    load = changes.pop("load", workload())
    pieces = changes.pop("pieces", (evidence(), result()))
    asked = changes.pop("requirements", (memory(), quality(), budget()))
    people = changes.pop("candidates", (candidate(load=load, offer=offer()),))
    return fiche(people, pieces, asked, load=load, **changes)


# --- One change ---------------------------------------------------------------------------------


def test_a_fiche_differs_in_nothing_from_itself():
    found = compared(story(), story())
    assert found.empty
    assert found.asked == 3


def test_a_lower_threshold_moves_the_verdict_that_has_it():
    found = compared(story(), story(requirements=(memory(), quality("0.70"), budget())))
    (change,), (move,) = found.changes, found.moves
    assert change.id == "requirement:quality"
    assert change.details == (Detail(name="at_least", before="0.62", after="0.7"),)
    assert (move.requirement, move.before, move.after) == ("quality", "admissible", "exclude")
    assert (move.how, move.by) == ("alone", ("requirement:quality",))
    (standing,) = found.standings
    assert (standing.before, standing.after) == ("to_confirm", "excluded")


def test_a_larger_case_leaves_its_run_behind():
    more = case(prompt_tokens=8900, new_tokens=292, resident_sequences=4)
    found = compared(story(), story(load=workload([more]), pieces=(evidence(), result())))
    names = [change.id for change in found.changes]
    assert names == ["workload:cases.limit.prompt_tokens"]
    assert found.changes[0].details[0].before == "7900 tokens"
    (move,) = [m for m in found.moves if m.requirement == "memory"]
    assert (move.after, move.how, move.by) == ("to_confirm", "alone", tuple(names))


def test_a_piece_that_went_takes_its_verdict_along():
    found = compared(story(), story(pieces=(result(),)))
    assert [(c.id, c.what) for c in found.changes] == [("piece:run", "removed")]
    (move,) = found.moves
    assert (move.requirement, move.before, move.after) == ("memory", "admissible", "to_confirm")
    assert move.by == ("piece:run",)


def test_other_bytes_under_the_same_id_are_a_change():
    tight = with_digests(story(pieces=(evidence(26 * 10**9), result())))
    found = compared(with_digests(story()), tight)
    assert "sha256" in {d.name for c in found.changes if c.id == "piece:run" for d in c.details}
    assert [m.by for m in found.moves if m.requirement == "memory"] == [("piece:run",)]


def test_each_entry_of_a_policy_is_a_change_of_its_own():
    found = compared(story(), story(policy=STRICT))
    kinds = {change.kind for change in found.changes}
    assert kinds == {"policy"}
    assert "policy:typed_scope" in {change.id for change in found.changes}


def test_what_nothing_hangs_on_is_told_and_moves_nothing():
    found = compared(story(), replace(story(), title="Another title"))
    assert [c.id for c in found.changes] == ["fiche:title"]
    assert not found.moves
    assert not found.empty


# --- Several ------------------------------------------------------------------------------------


def test_two_changes_that_only_together_move_a_verdict_are_named_together():
    """A threshold is raised and a better result comes: neither alone keeps the verdict there."""
    poor = story(requirements=(memory(), quality("0.62")), pieces=(evidence(),))
    good = story(
        requirements=(memory(), replace(quality("0.5"), id="quality")),
        pieces=(evidence(), result("0.55")),
    )
    found = compared(poor, good)
    (move,) = [m for m in found.moves if m.requirement == "quality"]
    assert (move.before, move.after) == ("to_confirm", "admissible")
    assert move.how == "together"
    assert set(move.by) == {"piece:result", "requirement:quality"}


def test_two_changes_of_which_each_suffices_are_told_apart():
    after = story(requirements=(memory(), quality("0.9")), pieces=(evidence(), result("0.3")))
    found = compared(story(requirements=(memory(), quality())), with_digests(after))
    (move,) = [m for m in found.moves if m.requirement == "quality"]
    assert (move.after, move.how) == ("exclude", "any")
    assert set(move.by) == {"piece:result", "requirement:quality"}


def test_a_new_name_is_no_removal_and_no_addition():
    renamed = story(pieces=(replace(evidence(), id="long"), result()))
    found = compared(story(), renamed)
    (change,) = found.changes
    assert (change.id, change.what) == ("piece:long", "renamed")
    assert change.details == (Detail(name="id", before="run", after="long"),)
    assert not found.moves


def test_verdicts_of_a_renamed_candidate_are_compared_with_its_own():
    other = (candidate("lease", offer=offer()),)
    found = compared(story(), story(candidates=other))
    assert [(c.id, c.what) for c in found.changes] == [("candidate:lease", "renamed")]
    assert not found.moves
    assert not found.standings


def test_two_alike_cannot_be_told_apart_and_are_no_new_names():
    asked = memory(), quality(), budget()
    twice = story(requirements=(*asked, replace(capacity("1 GiB"), id="c1")))
    both = story(requirements=(*asked, *(replace(capacity("1 GiB"), id=n) for n in ("c2", "c3"))))
    assert {c.what for c in compared(twice, both).changes} == {"added", "removed"}


def test_the_order_of_lists_says_nothing():
    asked = story()
    turned = replace(asked, pieces=asked.pieces[::-1], requirements=asked.requirements[::-1])
    assert compared(asked, turned).empty


def test_an_offer_and_a_date_are_tried_alone():
    dearer = story(candidates=(candidate(offer=offer("70 USD")),), date="2026-12-01")
    found = compared(story(), dearer)
    assert {c.id for c in found.changes} == {"fiche:date", "offer:offer-01"}
    details = {d.name: (d.before, d.after) for c in found.changes for d in c.details}
    assert details["price"] == ("47.14 USD", "70 USD")


def test_a_candidate_carries_its_own_change_to_another_workload():
    """D10: what an alternative changes stays its own where the fiche's workload changes."""

    def asked(version):
        load = workload(engine__version=version)
        own = replace(load, facts={**load.facts, "formats.cache": typed("fp8_e4m3", "")})
        who = candidate("fp8", load=own, baseline="rent", change=("formats.cache", "bf16", "fp8"))
        return story(load=load, candidates=(candidate(load=load), who))

    before, after = asked("0.28.0"), asked("0.29.0")
    found = compared(before, after)
    assert [c.id for c in found.changes] == ["workload:engine.version"]
    old, new = parts(before, frozenset({"limit"})), parts(after, frozenset({"limit"}))
    mixed = applied(old, new, edits(_spoken(old), _spoken(new)))
    _, fp8 = rebuilt(mixed, before, new).candidates
    assert fp8.workload.facts["formats.cache"].value == "fp8_e4m3"
    assert fp8.workload.facts["engine.version"].value == "0.29.0"


def _spoken(found):
    return {key: Spoken(part.told) for key, part in found.items()}


def test_more_changes_than_are_tried_alone_are_tried_by_kind():
    many = [replace(capacity("1 GiB"), id=f"c{n}") for n in range(50)]
    found = compared(story(), story(requirements=(memory(), quality("0.7"), budget(), *many)))
    assert found.grouped
    (move,) = [m for m in found.moves if m.requirement == "quality"]
    assert move.how == "alone"
    assert "requirement:quality" in move.by


def test_after_too_many_trials_a_cause_is_not_made_up(monkeypatch):
    """Both thresholds have to fall: neither alone, and no trial is left to find that out."""
    poor = story(requirements=(memory(), quality("0.9"), capacity("1 GiB")), pieces=(evidence(),))
    good = story(requirements=(memory(), quality("0.5")), pieces=(evidence(), result("0.55")))
    (move,) = [m for m in compared(poor, good).moves if m.requirement == "quality"]
    assert move.how == "together"
    every = [(name,) for name in ("a", "b", "c")]

    def judge(chosen):
        done = {("a",), ("b",)} <= chosen or {("b",), ("c",)} <= chosen
        return {ASKED: "exclude" if done else "admissible"}

    assert Trial(dict.fromkeys(every), judge).cause(ASKED, "exclude").how == "together"
    monkeypatch.setattr(difference_moves, "MOST_TRIALS", 0)
    assert Trial(dict.fromkeys(every), judge).cause(ASKED, "exclude") == ("unattributed", ())


ASKED = ("rent", "memory", "limit", "")


# --- Laws ---------------------------------------------------------------------------------------

ONE = fiches(most_candidates=1).map(with_digests)


@pytest.mark.slow
@FEW
@given(ONE)
def test_a_fiche_taken_apart_and_together_again_is_judged_alike(asked):
    shared = frozenset(c.id for c in asked.workload.cases)
    for taken_apart in (frozenset(), shared):
        made = rebuilt(found := parts(asked, taken_apart), asked, found)
        assert _codes(made) == _codes(asked)
        assert compared(asked, made).empty


def _codes(asked):
    return {key: told.code for key, told in verdicts(again(asked)).items()}


@pytest.mark.slow
@FEW
@given(ONE, ONE)
def test_every_verdict_that_differs_is_attributed_and_the_mirror_shows_the_same(before, after):
    found, back = compared(before, after), compared(after, before)
    names = {change.id for change in found.changes}
    assert all(m.how != "unattributed" and set(m.by) <= names for m in found.moves)
    told = counts(found)
    assert told["moved"] == sum(v for k, v in told.items() if k.startswith("moved_"))
    assert told["verdicts"] == told["moved"] + told["stayed"]
    assert _mirrored(found) == _sides(back)


def _sides(found):
    turn = {"added": "added", "removed": "removed", "changed": "changed"}
    changes = {(c.id, turn.get(c.what, c.what)) for c in found.changes if c.what != "renamed"}
    moves = {(m.requirement, m.case, m.device, m.before, m.after) for m in found.moves}
    return changes, moves if not _renames(found) else set()


def _renames(found):
    return any(c.what == "renamed" for c in found.changes)


def _mirrored(found):
    turn = {"added": "removed", "removed": "added", "changed": "changed"}
    changes = {(c.id, turn[c.what]) for c in found.changes if c.what != "renamed"}
    moves = {(m.requirement, m.case, m.device, m.after, m.before) for m in found.moves}
    return changes, moves if not _renames(found) else set()


@pytest.mark.slow
@FEW
@given(ONE, ONE)
def test_all_changes_applied_to_one_side_give_the_other(before, after):
    shared = frozenset(c.id for c in before.workload.cases) & frozenset(
        c.id for c in after.workload.cases
    )
    old, new = parts(before, shared), parts(after, shared)
    mixed = applied(old, new, edits(_spoken(old), _spoken(new)))
    assert {key: part.told for key, part in mixed.items()} == {
        key: part.told for key, part in new.items()
    }
    assert _codes(rebuilt(mixed, before, new)) == _codes(after)


def test_a_number_is_the_same_where_its_unit_and_its_bounds_are():
    assert compared(
        story(), story(requirements=(memory(), quality(str(Fraction(62, 100))), budget()))
    ).empty
