"""The smallest sets of steps that turn a candidate: sufficient, and not one step too many (D1, D2)."""

import os

import pytest
from evaluate.build import (
    ADMISSIBLE,
    DOORS,
    EXCLUDE,
    MACHINE,
    TO_CONFIRM,
    candidate,
    case,
    decision,
    failure,
    piece,
    pinned,
    quality,
    requirement,
    result,
    run,
    total,
    used,
    workload,
)
from evaluate.generated import fiches
from hypothesis import HealthCheck, given, settings

from fiche.evaluate import flips
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.flips import flips_of
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.settlement import judged_again
from fiche.evaluate.steps import Open, plan_of
from fiche.kernel.condition import Condition

MOST = int(os.environ.get("FICHE_EXAMPLES", "60"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))


def planned(asked):
    made = judged_fiche(asked, DOORS, "0")
    return made, plan_of(Judged(decision=made, again=None))


def status(made, plan, outcome, steps, *, well):
    """The worst must once these steps have come out; identity is a must of the workload."""
    who = outcome.candidate.id
    mine = [one for one in plan.opens if set(one.ways) & set(steps)]
    told = {}
    for one in mine:
        if one.candidate == who and one.finding is not None:
            told.setdefault(id(one.finding), []).append(one.condition)
    worst = ADMISSIBLE
    for found in outcome.findings:
        if found.level == "must":
            worst = max(worst, judged_again(found, told.get(id(found), ()), well=well))
    named = {one.condition for one in mine if one.candidate == ""}
    unnamed = set(made.workload_conditions) - named
    return max(worst, TO_CONFIRM) if unnamed else worst


@pytest.mark.slow
@EACH
@given(fiches())
def test_each_set_retains_and_without_any_one_of_its_steps_does_not(asked):
    made, plan = planned(asked)
    for outcome, found in zip(made.outcomes, flips_of(plan), strict=True):
        assert found.candidate == outcome.candidate.id
        if outcome.verdict is TO_CONFIRM:
            assert found.retain, found
        for names in found.retain:
            assert status(made, plan, outcome, names, well=True) is ADMISSIBLE, names
            for left in names:
                fewer = [name for name in names if name != left]
                assert status(made, plan, outcome, fewer, well=True) is TO_CONFIRM, (names, left)


@pytest.mark.slow
@EACH
@given(fiches())
def test_each_step_that_may_exclude_does_and_no_other(asked):
    made, plan = planned(asked)
    for outcome, found in zip(made.outcomes, flips_of(plan), strict=True):
        if outcome.verdict is EXCLUDE:
            assert not found.exclude
            assert found.excluded_by
            continue
        for names in found.exclude:
            assert status(made, plan, outcome, names, well=False) is EXCLUDE, names
            # What names the model excludes nobody: it lets a piece be in scope (its own test is below).
            bad = [name for name in names if not name.startswith("state:identity")]
            for left in bad if len(bad) > 1 else ():
                fewer = [name for name in bad if name != left]
                assert status(made, plan, outcome, fewer, well=False) is not EXCLUDE, names
        alone = {
            tuple(name for name in names if not name.startswith("state:identity"))
            for names in found.exclude
        }
        for name in plan.steps:
            turned = status(made, plan, outcome, [name], well=False) is EXCLUDE
            assert turned == ((name,) in alone), name


@pytest.mark.slow
@EACH
@given(fiches())
def test_every_open_condition_is_part_of_a_step_and_the_order_of_inputs_says_nothing(asked):
    made, plan = planned(asked)
    for outcome in made.outcomes:
        if outcome.verdict is EXCLUDE:
            continue
        noted = {
            (id(one.finding), one.condition)
            for one in plan.opens
            if one.candidate == outcome.candidate.id
        }
        for found in outcome.findings:
            for condition in found.conditions:
                assert (id(found), condition) in noted
    assert all(one.ways and set(one.ways) <= set(plan.steps) for one in plan.opens)
    assert all(step.settles for step in plan.steps.values())
    _, again = planned(asked)
    assert flips_of(again) == flips_of(plan)


def test_a_retained_candidate_has_no_set_and_an_excluded_one_says_what_proves_it():
    ran = piece(runs=[run(used(21 * 10**9))], totals=[total("24081 MiB")], machine=MACHINE)
    on = [candidate(machine=MACHINE)]
    retained = decision(on, [ran, result()], [quality()])
    (one,) = flips_of(planned_of(retained))
    assert (one.status, one.retain, one.exclude) == ("retained", (), ())
    low = decision(on, [ran, result("0.5")], [quality()])
    (one,) = flips_of(planned_of(low))
    assert (one.status, one.retain, one.exclude) == ("excluded", (), ())
    assert one.excluded_by == (("quality", ("result",)),)


def planned_of(made):
    return plan_of(Judged(decision=made, again=None))


def condition(name):
    return Condition(topic=name, text=name)


def opens(*ways):
    return [
        Open(
            candidate="a",
            finding=None,
            condition=condition(str(place)),
            level="must",
            ways=way,
            decides=True,
        )
        for place, way in enumerate(ways)
    ]


def test_alternatives_that_overlap_give_every_smallest_set():
    """{r} or {d} settles one point, {d} or {e} another: d alone, or r with e."""
    sets, is_cut = flips._covers(opens(("r", "d"), ("d", "e")))
    assert sets == [("d",), ("r", "e")]
    assert not is_cut


def test_a_search_that_is_cut_says_so(monkeypatch):
    monkeypatch.setattr(flips, "MOST", 3)
    sets, is_cut = flips._covers(opens(("a", "b"), ("c", "d"), ("e", "f")))
    assert is_cut
    assert 0 < len(sets) <= 3


def kinds(names):
    """The kinds of steps and their topics, without what tells two of one topic apart."""
    return frozenset(name.rpartition("-")[0] if name[:3] != "run" else "run" for name in names)


def against(load, *more):
    asked = [quality(), *more]
    (one,) = flips_of(planned_of(decision([candidate(load=load)], (), asked, load=load)))
    return {kinds(names) for names in one.exclude}


SIZES = frozenset(("state:context", "state:concurrency"))
HUGE = {"prompt_tokens": 10**6, "new_tokens": 10**5, "resident_sequences": 10**4}


def test_sizes_exclude_together_where_a_configuration_makes_a_floor_and_else_only_with_a_run():
    """DESIGN 4: a parameter count that somebody states makes no floor, however long the context."""
    assert SIZES in against(pinned(workload([])))
    by_count = against(workload([]))
    assert SIZES | {"run"} in by_count
    assert not any(one <= SIZES for one in by_count)


@pytest.mark.parametrize(
    ("make", "sizes", "expected"),
    [
        (pinned, HUGE, EXCLUDE),
        (pinned, {"prompt_tokens": 10**9, "new_tokens": 10**8}, TO_CONFIRM),
        (pinned, {"resident_sequences": 10**9}, TO_CONFIRM),
        (lambda load: load, HUGE, TO_CONFIRM),
    ],
)
def test_what_is_told_of_sizes_is_what_stating_them_does(make, sizes, expected):
    """Context alone, or concurrency alone, is no floor of a cache: both are needed."""
    load = make(workload([case(**sizes)]))
    made = decision([candidate(load=load)], (), [quality()], load=load)
    assert made.outcomes[0].verdict is expected


def test_a_run_of_a_model_without_a_name_excludes_nobody_until_it_has_one():
    """A1: what is not named is in nobody's scope."""
    load = workload(model__name=None, model__revision=None)
    ran = piece(runs=[run(failure=failure())], machine=MACHINE)
    failed = decision([candidate(load=load, machine=MACHINE)], [ran], [quality()], load=load)
    assert failed.outcomes[0].verdict is TO_CONFIRM
    measured = [names for names in against(load) if names & {"run", "measure:quality"}]
    assert measured
    assert all("state:identity" in names for names in measured)


def test_software_is_of_no_model():
    """An engine that refuses a card refuses it whatever the model is called."""
    load = workload(model__name=None, model__revision=None)
    assert frozenset({"run"}) in against(load, requirement("software"))
    assert frozenset({"run"}) not in against(load)


def test_while_pieces_contradict_each_other_nothing_else_excludes():
    """DESIGN 4: the row of a contradiction comes first, whatever else fails."""
    pieces = [
        piece(runs=[run(used(21 * 10**9))], totals=[total("24081 MiB")], machine=MACHINE),
        result("0.7"),
        result("0.5", id="other"),
    ]
    made = decision([candidate(machine=MACHINE)], pieces, [quality()])
    (one,) = flips_of(planned_of(made))
    assert one.status == "to_confirm"
    assert all("conflict" in " ".join(names) for names in one.exclude)
