"""Where a figure turns the decision: what is found is what a whole new judgement says (D2, D5, DESIGN 3)."""

import os

import pytest
from evaluate.build import (
    DOORS,
    GIB,
    MACHINE,
    assumed,
    budget,
    bytes_of,
    candidate,
    fiche,
    offer,
    piece,
    policy,
    quality,
    result,
    run,
    total,
    used,
    workload,
)
from evaluate.generated import fiches
from hypothesis import HealthCheck, given, settings

from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.sensitivity import TIMES, sensitivities
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Verdict
from fiche.kernel.record import replace

MOST = int(os.environ.get("FICHE_EXAMPLES", "40"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))


def varied(asked, name, value):
    """The fiche with another value of the figure of this id, wherever it stands."""

    def other(node):
        same = isinstance(node, Figure) and node.id == name
        return replace(node, low=value, high=value) if same else node

    def load(one):
        return replace(
            one,
            figures={path: other(node) for path, node in one.figures.items()},
            margin=tuple(map(other, one.margin)),
            reserve=tuple(map(other, one.reserve)),
        )

    loads = {id(asked.workload): load(asked.workload)}
    for one in asked.candidates:
        loads.setdefault(id(one.workload), load(one.workload))
    spread = asked.policy.machine_spread
    return replace(
        asked,
        workload=loads[id(asked.workload)],
        candidates=tuple(
            replace(one, workload=loads[id(one.workload)]) for one in asked.candidates
        ),
        requirements=tuple(
            replace(one, figures={key: other(node) for key, node in one.figures.items()})
            for one in asked.requirements
        ),
        policy=replace(
            asked.policy,
            tie_tolerance=other(asked.policy.tie_tolerance),
            machine_spread=None if spread is None else other(spread),
        ),
    )


def said(made):
    """Statuses, second readings that admit or exclude, and who ranks first."""
    return {
        "status": {o.candidate.id: o.status for o in made.outcomes},
        "reading": {
            f"{s.finding.candidate}/{s.finding.requirement}/{s.finding.case}/{s.finding.device}": (
                s.would_be.code
            )
            for s in made.second_readings
            if s.finding.level == "must"
        },
        "first": next((o.candidate.id for o in made.outcomes if o.rank == 1), ""),
    }


def again(asked, name, value):
    return said(judged_fiche(varied(asked, name, value), DOORS, "0"))


def named(asked):
    """The same fiche with an id for its budget, as a loaded one has."""
    return replace(
        asked,
        requirements=tuple(
            replace(
                one,
                figures={
                    key: replace(node, id=f"requirement.{one.id}.{key}")
                    for key, node in one.figures.items()
                },
            )
            for one in asked.requirements
        ),
    )


@pytest.mark.slow
@EACH
@given(fiches())
def test_a_turn_is_where_a_new_judgement_turns_and_one_step_before_it_does_not(asked):
    asked = named(asked)
    made = judged_fiche(asked, DOORS, "0")
    now = said(made)
    for one in sensitivities(made):
        for turn, sign in ((one.below, 1), (one.above, -1)):
            if turn.at is None:
                far = again(asked, one.name, turn.bound.low)
                assert far["status"] == now["status"], (one.name, turn.bound.low)
                continue
            there = again(asked, one.name, turn.at.low)
            before = again(asked, one.name, turn.at.low + sign * one.step.low)
            for change in turn.changes:
                if change.what == "status":
                    assert there["status"][change.candidate] == change.after, one.name
                    assert before["status"][change.candidate] == change.before, one.name
                elif change.what == "first":
                    assert (there["first"], before["first"]) == (change.after, change.before)
            told = {c.candidate for c in turn.changes if c.what == "status"}
            others = [who for who in now["status"] if who not in told]
            assert all(there["status"][who] == now["status"][who] for who in others), one.name


def story(load=None, more=(), **changes):
    load = load or workload(duration="40 h")
    ran = piece(
        runs=[run(used(21 * 10**9), load=load)], totals=[total("24081 MiB")], machine=MACHINE
    )
    on = changes.pop("on", [candidate(machine=MACHINE, load=load, offer=offer("47.14 USD"))])
    return named(fiche(on, [ran, result(load=load)], [quality(), *more], load=load, **changes))


def turns(asked):
    found = sensitivities(judged_fiche(asked, DOORS, "0"))
    return {one.name: one for one in found}


def test_a_margin_turns_to_the_byte():
    """D5: 24081 MiB less a peak of 21 000 000 000 B leaves 4 250 758 656 B to keep free."""
    load = workload(duration="40 h", margin=(replace(bytes_of("1 GiB"), id="margin.window"),))
    found = turns(story(load))["margin.window"]
    assert found.kind == "stated"
    assert found.above.at.low == 24081 * 2**20 - 21_000_000_000 + 1
    assert found.below.at is None
    assert found.below.bound.low == 0
    (change,) = [c for c in found.above.changes if c.what == "status"]
    assert (change.before, change.after) == ("retained", "to_confirm")


def test_a_reserve_turns_second_readings_and_no_status():
    """E2: a guess admits nothing; what it would admit is what turns with it."""
    load = workload(duration="40 h", reserve=(assumed(2 * GIB, id="reserve.workspace"),))
    on = candidate(machine=MACHINE, load=load)
    told = piece(totals=[total("24081 MiB", others=0)], machine=MACHINE)
    asked = named(fiche([on], [told], load=load))
    found = turns(asked)["reserve.workspace"]
    assert found.kind == "assumed"
    for turn in (found.below, found.above):
        assert {c.what for c in turn.changes} <= {"reading"}
    at = found.above.at.low
    readings = again(asked, "reserve.workspace", at - 1)["reading"]
    assert Verdict.ADMISSIBLE.code in readings.values()
    assert Verdict.ADMISSIBLE.code not in again(asked, "reserve.workspace", at)["reading"].values()


def test_what_turns_nothing_says_how_far_was_looked():
    found = turns(story(more=[budget("60 USD")]))["requirement.cost.at_most"]
    assert found.above.at is None
    assert found.above.bound.low == 60 * TIMES
    assert (found.step.low * 100, str(found.step.unit)) == (1, "USD")


def test_a_tie_tolerance_counts_only_where_two_are_ranked():
    assert "policy.tie_tolerance" not in turns(story(policy=policy(tolerance="0 %")))


def test_a_turn_can_be_walked_back():
    load = workload(duration="40 h", margin=(replace(bytes_of("1 GiB"), id="margin.window"),))
    at = turns(story(load))["margin.window"].above.at
    assert at.origin.operation == "+"
    assert at.origin.inputs[0].id == "margin.window"


def test_a_guard_band_turns_to_the_byte():
    """A policy's own choice: what lies within the band of the limit is to confirm (ILAC-G8)."""
    band = replace(bytes_of("1 GiB"), id="policy.guard_band.memory")
    asked = story(policy=replace(policy(), guard_bands={"memory": band}))
    found = turns(asked)["policy.guard_band.memory"]
    assert found.above.at.low == 24081 * 2**20 - 21_000_000_000 + 1
    (change,) = [c for c in found.above.changes if c.what == "status"]
    assert (change.before, change.after) == ("retained", "to_confirm")
