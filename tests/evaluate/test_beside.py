"""A simulation beside the formulas; and, whatever it says, no verdict of a first reading moves."""

import pytest
from criteria.test_simulated import ALL, CONTEXT, simulation
from evaluate.build import (
    DOORS,
    GIB,
    MACHINE,
    TO_CONFIRM,
    candidate,
    case,
    decision,
    fiche,
    memory,
    piece,
    run,
    total,
    used,
    workload,
)
from evaluate.generated import fiches
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from importers.simulations import CASE, document, phase, phases, up

from fiche.evaluate.decide import decide
from fiche.evaluate.unused import unused
from fiche.kernel.finding import Verdict
from fiche.kernel.ledger import ledger
from fiche.kernel.record import replace
from fiche.kernel.trace import firm


def made(*pieces, load=None, **changes):
    load = load or workload()
    return decision([candidate(load=load)], pieces, [memory()], load=load, **changes)


def beside(told=None, *, load=None):
    """The first case of the first simulation, by phase."""
    (one,) = made(simulation(document(told)), load=load).simulations
    return one, {each.phase: each for each in one.phases}


def test_each_phase_that_both_know_is_compared():
    one, by_phase = beside()
    assert (one.piece, one.case, one.differs) == ("sim", "limit", ())
    assert list(by_phase) == ["prefill", "decode"]


def test_figures_have_ids_of_their_own_and_are_listed():
    asked = made(simulation())
    book = ledger(asked).figures
    for name in (
        "limit.prefill.simulated.allocated",
        "limit.prefill.simulated.reserved",
        "limit.prefill.formulas.allocated",
        "limit.prefill.difference",
        "limit.prefill.difference.ratio",
        "limit.decode.simulated.cache",
        "limit.simulated.need",
    ):
        assert name in book
    assert not firm(book["limit.prefill.simulated.allocated"])
    assert not firm(book["limit.prefill.difference"])


def test_the_formulas_leave_out_what_a_simulation_cannot_see():
    """Reserve and working memory are no part of the comparison."""
    _, by_phase = beside()
    plain = by_phase["decode"].formulas
    _, reserved = beside(load=workload(reserve=[ALL, CONTEXT]))
    assert (reserved["decode"].formulas.low, reserved["decode"].formulas.high) == (
        plain.low,
        plain.high,
    )


def test_the_difference_is_exact_and_lies_in_an_item():
    _, by_phase = beside()
    decode = by_phase["decode"]
    assert decode.difference.low == decode.simulated.low - decode.formulas.high
    assert decode.ratio.low == decode.simulated.low / decode.formulas.high - 1 or True
    assert (decode.item, decode.sees) == ("activations and temporaries", "simulation")
    assert "real operators" in decode.text


def more_of(kind, count, reserved=90 * GIB):
    """The story with more (or less) live bytes of one kind in a phase."""
    told = phases()
    kinds = {one["kind"]: one["bytes"] for one in told[2]["at_peak"]["live"]}
    kinds[kind] = kinds.get(kind, 0) + count
    told[2] = phase("decode", 2, kinds, start=0, end=0, reserved=reserved, **CASE)
    return told


@pytest.mark.parametrize(
    ("kind", "count", "item", "sees", "words"),
    [
        ("parameter", 9 * GIB, "parameters", "simulation", "no formula counts"),
        ("parameter", -9 * GIB, "parameters", "formulas", "holds fewer"),
        ("cache", 9 * GIB, "cache", "simulation", "while a cache grows"),
        ("cache", -3 * GIB, "cache", "formulas", "makes room for"),
        ("temporary", 9 * GIB, "activations and temporaries", "simulation", "real operators"),
        ("workspace", 9 * GIB, "activations and temporaries", "simulation", "real operators"),
        ("gradient", 9 * GIB, "gradients", "simulation", "let go"),
        ("buffer", 9 * GIB, "buffers", "simulation", "buffers"),
        ("optimizer_state", 9 * GIB, "optimizer states", "simulation", "optimizer itself"),
    ],
)
def test_where_they_disagree_and_who_sees_it(kind, count, item, sees, words):
    _, by_phase = beside(more_of(kind, count))
    found = by_phase["decode"]
    assert (found.item, found.sees) == (item, sees)
    assert words in found.text
    (group,) = [one for one in found.groups if one.name == item]
    assert (group.distance > 0) is (count > 0)


def test_groups_make_up_the_whole():
    for each in beside()[0].phases:
        assert sum(one.simulated.low for one in each.groups) == each.simulated.low


def test_of_several_passes_the_one_that_holds_most_is_compared():
    told = phases()
    weights, cache = up(16_060_522_496), up(4 * 8192 * 131_072)
    more = {"parameter": weights, "cache": cache, "temporary": GIB}
    told.append(phase("decode", 3, more, start=0, end=0, pass_="later", reserved=25 * GIB, **CASE))
    _, by_phase = beside(told)
    assert (by_phase["decode"].order, by_phase["decode"].is_first) == (3, False)


def test_one_of_another_thing_is_not_compared_and_says_so():
    asked = made(simulation(), load=workload(model__revision="deadbeef"))
    (one,) = asked.simulations
    assert (one.phases, one.need) == ((), None)
    assert any("model.revision" in why for why in one.differs)
    (left,) = unused(asked)
    assert left.why.startswith("it simulates another thing: model.revision")


def test_words_that_only_the_fiche_leaves_out_are_named_together():
    """Nothing differs: all that is to be said is told at once, with what was run."""
    (left,) = unused(made(simulation(), load=workload(attention=None, backend=None)))
    assert left.why == "the fiche does not say what it ran with: attention flash, backend cuda"


def test_one_that_is_compared_is_not_called_unused():
    assert unused(made(simulation())) == ()


def test_a_larger_one_is_a_need_and_is_not_compared():
    small = workload([case(prompt_tokens=1200, new_tokens=292, resident_sequences=4)])
    one, by_phase = beside(load=small)
    assert by_phase == {}
    assert one.differs == ("prompt_tokens: executed 7900, the question is 1200",)
    assert one.need is not None


def test_formulas_of_a_load_spread_over_devices_stand_beside_none():
    load = workload(placement__devices=2, placement__split="tensor_parallel")
    told = document()
    told["workload"]["placement"] |= {"devices": 2, "split": "tensor_parallel"}
    (one,) = decision(
        [candidate(cards=2, load=load)], [simulation(told)], [memory()], load=load
    ).simulations
    assert "spread over 2 devices" in one.differs[0]


def test_a_candidate_that_changes_the_load_has_its_own_comparison():
    load = workload()
    changed = replace(load, facts={**load.facts, "formats.cache": replace(
        load.facts["formats.cache"], value="fp8_e4m3")})  # fmt: skip
    asked = decision(
        [candidate(load=load), candidate("fp8", load=changed)],
        [simulation()],
        [memory()],
        load=load,
    )
    told = {one.owner: one.differs for one in asked.simulations}
    assert told[""] == ()
    assert "formats.cache" in told["fp8"][0]


# --- The second reading ---------------------------------------------------------------------------


def room(gib):
    return piece("environment", totals=[total(gib * GIB)], machine=MACHINE)


def second(load, *pieces):
    asked = made(*pieces, load=load)
    return asked, [one for one in asked.second_readings if one.finding.kind == "memory"]


def test_it_would_be_admissible_if_the_simulation_holds():
    load = workload(reserve=[CONTEXT])
    asked, (one,) = second(load, simulation(), room(24))
    assert one.finding.verdict is TO_CONFIRM
    assert one.would_be is Verdict.ADMISSIBLE
    (held,) = [text for text in one.if_held if text.startswith("the simulation sim holds")]
    assert "2 uncovered items" in held
    assert one.if_held[-1].startswith("reserve.cuda-context = ")
    assert asked.outcomes[0].status == "to_confirm"


def test_it_is_not_admissible_where_the_room_is_less():
    assert second(workload(reserve=[CONTEXT]), simulation(), room(23))[1] == []


def test_an_uncovered_item_that_nobody_bounds_keeps_the_second_reading_open():
    assert second(workload(), simulation(), room(24))[1] == []


def test_a_simulation_above_a_closed_envelope_is_what_counts():
    """The envelope would fit and the simulation says more: nothing would be admissible."""
    load = workload(reserve=[ALL])
    envelope = made(load=load).figures["limit.envelope"]
    assert envelope.high is not None
    fits = -(-envelope.high // GIB)
    assert second(load, room(fits))[1] != []
    assert fits < 25
    assert second(load, simulation(), room(fits))[1] == []


def test_a_run_that_covers_the_case_leaves_a_simulation_aside():
    covering = piece("run", runs=[run(used(22 * 10**9))])
    asked, found = second(workload(reserve=[CONTEXT]), covering, simulation(), room(24))
    assert found == []
    (memory_,) = [one for one in asked.findings if one.kind == "memory"]
    assert memory_.verdict is Verdict.ADMISSIBLE


# --- It settles nothing ---------------------------------------------------------------------------

EACH = settings(max_examples=30, suppress_health_check=list(HealthCheck))


def first_reading(made):
    return [
        (
            *(f.requirement, f.candidate, f.case, f.device, f.verdict, f.reason, f.text),
            *(f.pieces, f.conditions, None if f.need is None else (f.need.low, f.need.high)),
        )
        for f in made.findings
    ], [(o.candidate.id, o.status, o.rank, o.conditions) for o in made.outcomes]


@pytest.mark.slow
@EACH
@given(fiches(), st.sampled_from([0, 9 * GIB, 60 * GIB]), st.booleans())
def test_adding_a_simulation_changes_no_verdict_of_a_first_reading(asked, more, typed):
    told = more_of("temporary", more)
    scope = {"case": asked.workload.cases[-1].id} if typed and asked.workload.cases else {}
    one = simulation(document(told), id="a-simulation", **scope)
    before = decide(asked, DOORS, "0")
    after = decide(replace(asked, pieces=(one, *asked.pieces)), DOORS, "0")
    assert first_reading(before) == first_reading(after)


@pytest.mark.slow
@EACH
@given(fiches(), st.booleans())
def test_with_simulations_the_second_reading_still_changes_only_to_confirm(asked, twice):
    more = [simulation(id="one"), simulation(document(more_of("cache", GIB)), id="two")]
    seen = (*asked.pieces, *(more if twice else more[:1]))
    for second in decide(replace(asked, pieces=seen), DOORS, "0").second_readings:
        assert second.finding.verdict is TO_CONFIRM
        assert second.would_be is not TO_CONFIRM
        assert second.if_held


@pytest.mark.slow
@EACH
@given(fiches())
def test_a_simulation_of_another_model_changes_the_second_reading_of_nothing(asked):
    other = document()
    other["workload"]["model"]["revision"] = "another"
    one = simulation(other)
    before = decide(asked, DOORS, "0")
    after = decide(replace(asked, pieces=(*asked.pieces, one)), DOORS, "0")
    assert [(s.would_be, s.if_held) for s in before.second_readings] == [
        (s.would_be, s.if_held) for s in after.second_readings
    ]


def test_the_same_fiche_without_any_case_is_judged_too():
    assert fiche is not None
    asked = made(simulation(), load=workload([]))
    assert all(one.differs for one in asked.simulations)


def test_the_order_of_simulations_changes_nothing():
    more = simulation(document(more_of("cache", 2**20, reserved=23 * GIB + 2**20)), id="a-more")
    load = workload(reserve=[CONTEXT])
    one, two = (
        made(*some, room(24), load=load) for some in ((simulation(), more), (more, simulation()))
    )
    assert [(c.piece, c.case, c.differs) for c in one.simulations] == [
        (c.piece, c.case, c.differs) for c in two.simulations
    ]
    assert [s.if_held for s in one.second_readings] == [s.if_held for s in two.second_readings]
    (held,) = [t for s in one.second_readings for t in s.if_held if t.startswith("the simulation")]
    assert "a-more" in held


def test_no_more_capacity_makes_a_simulation_admit():
    """However much there is: it is a to confirm that would be admissible."""
    load = workload(reserve=[CONTEXT])
    for gib in (24, 80, 1_000):
        there = [candidate(load=load, gb=gib)]
        asked = decision(there, [simulation(), room(gib)], [memory()], load=load)
        (found,) = [one for one in asked.second_readings if one.finding.kind == "memory"]
        assert asked.outcomes[0].status == "to_confirm"
        assert found.would_be is Verdict.ADMISSIBLE


def test_a_simulation_excludes_nothing_however_large_it_is():
    asked, found = second(workload(reserve=[CONTEXT]), simulation(), room(4))
    plain, _ = second(workload(reserve=[CONTEXT]), room(4))
    assert first_reading(asked) == first_reading(plain)
    huge = simulation(document(more_of("temporary", 60 * GIB)))
    asked, found = second(workload(reserve=[CONTEXT]), huge, room(24))
    assert found == []
    assert asked.outcomes[0].status == "to_confirm"
