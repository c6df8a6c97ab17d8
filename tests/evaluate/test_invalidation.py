"""What would void a conclusion, from scope, bounds and dates, each with where it turns (E3)."""

from pathlib import Path

import pytest
from evaluate.build import (
    GIB,
    MACHINE,
    candidate,
    case,
    choice,
    decision,
    memory,
    offer,
    piece,
    policy,
    quality,
    quote,
    result,
    run,
    stated,
    total,
    used,
    workload,
)

from fiche.cli.compile import compile_fiche
from fiche.evaluate.invalidation import KINDS
from fiche.kernel.ledger import ledger
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE

SAMPLES = Path(__file__).parents[2] / "samples"
PEAK = 21 * 10**9
TOKEN = 2 * 32 * 8 * 128 * 2 * 4  # bytes of KV cache for one token in each of four sequences


def story(load=None, people=None, pieces=(), policy=None, **changes):
    load = load or workload()
    seen = piece(
        machine=MACHINE, totals=[total("24081 MiB", others=0)], runs=[run(used(PEAK), load=load)]
    )
    told = {} if policy is None else {"policy": policy}
    return decision(
        people or [candidate(load=load)],
        [seen, result(load=load), *pieces],
        (memory(), quality()),
        load=load,
        **told,
        **changes,
    )


def of(made, kind):
    return [event for event in made.invalidations if event.kind == kind]


# --- Scope --------------------------------------------------------------------------------------


def test_strict_facts_of_what_pieces_settle_are_told_with_their_values():
    made = story()
    (engine,) = of(made, "engine")
    assert engine.values == (("engine.name", "vllm"), ("engine.version", "0.28.0"))
    assert engine.because == ("run", "result")
    (model,) = of(made, "model")
    assert dict(model.values)["model.revision"] == "0e9e39f2"
    assert {event.kind for event in made.invalidations} <= set(KINDS)


def test_a_fact_that_the_policy_only_notes_voids_nothing():
    made = story(workload(driver="610.62"))
    assert of(made, "driver") == []
    strict = policy()
    strict = replace(
        strict, strict={**strict.strict, "memory": (*strict.strict["memory"], "driver")}
    )
    load = workload(driver="610.62")
    (event,) = of(story(load, policy=strict), "driver")
    assert event.values == (("driver", "610.62"),)


def test_the_machine_whose_print_is_the_capacity_and_its_card_alone():
    made = compile_fiche(SAMPLES / "serving" / "fiche.yaml").decision
    (machine,) = of(made, "machine")
    assert (machine.subject, machine.because) == ("northlab-g07", ("run-limit",))
    assert [event.subject for event in of(made, "shared")] == ["northlab-g07"]


# --- Bounds -------------------------------------------------------------------------------------


def test_a_larger_load_is_one_above_a_case_that_no_other_covers():
    small = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)
    load = workload([small, case(prompt_tokens=7900, new_tokens=300, resident_sequences=4)])
    (event,) = of(story(load), "larger")
    assert event.case == "limit"
    assert {name: node.low for name, node in event.figures} == {
        "prompt_tokens": 7900,
        "new_tokens": 300,
        "resident_sequences": 4,
    }


def test_two_cases_of_which_neither_covers_the_other_are_both_told():
    """A3: two sequences of 2000 and one of 4000 tokens are two loads; neither answers 2 x 4000."""
    wide = case("wide", prompt_tokens=2000, new_tokens=10, resident_sequences=2)
    long = case("long", prompt_tokens=4000, new_tokens=10, resident_sequences=1)
    events = of(
        decision([candidate(load=workload([wide, long]))], load=workload([wide, long])), "larger"
    )
    assert [event.case for event in events] == ["wide", "long"]


def test_requests_that_merely_wait_bound_nothing():
    """A4."""
    one = case(prompt_tokens=100, new_tokens=10, resident_sequences=1, concurrent_requests=9)
    (event,) = of(decision([candidate(load=workload([one]))], load=workload([one])), "larger")
    assert "concurrent_requests" not in dict(event.figures)


def test_growth_is_the_useful_margin_less_the_stated_one_by_the_bytes_of_a_token():
    """By hand: (25 250 758 656 - 21 000 000 000 - 1 GiB) B by 524 288 B a token."""
    load = workload(margin=[stated(GIB, BYTE, "margin.window", "prompts grow")])
    made = story(load)
    (event,) = of(made, "growth")
    assert event.figure.low == (24081 * 2**20 - PEAK - GIB) // TOKEN
    assert event.case == "limit"
    assert event.figure.id in ledger(made).figures


def test_nothing_grows_by_a_number_where_nothing_is_admitted():
    assert of(decision([candidate()], [], (memory(),)), "growth") == []


# --- Days ---------------------------------------------------------------------------------------


def test_an_offer_and_its_document_end_on_their_last_day():
    sold = offer(quote="quote")
    made = story(
        people=[candidate(offer=sold)], pieces=[replace(quote(), valid_until="2026-12-05")]
    )
    (ends,) = of(made, "offer_ends")
    assert (ends.subject, ends.day) == ("offer-01", "2026-12-31")
    (piece_ends,) = of(made, "piece_ends")
    assert (piece_ends.subject, piece_ends.day) == ("quote", "2026-12-05")


def test_an_offer_that_ends_with_its_document_is_told_once():
    sold = offer(quote="quote")
    made = story(
        people=[candidate(offer=sold)], pieces=[replace(quote(), valid_until="2026-12-31")]
    )
    assert of(made, "offer_ends") == []
    (ends,) = of(made, "piece_ends")
    assert ends.day == "2026-12-31"
    assert "offer-01" in ends.because


def test_an_offer_that_ended_already_is_no_event_to_come():
    made = story(people=[candidate(offer=offer(valid_until="2026-11-01"))])
    assert of(made, "offer_ends") == []


def test_a_piece_is_too_old_on_the_day_after_its_last():
    """A record of 2026-11-29 that counts for 30 days counts on 2026-12-29 for the last time."""
    made = story(policy=replace(policy(), max_age={"record": 30}))
    (event,) = of(made, "piece_ages")
    assert (event.subject, event.day) == ("run", "2026-12-30")
    assert event.figure.id in ledger(made).figures


def test_a_converted_cost_hangs_on_the_rate_of_its_day():
    (event,) = of(compile_fiche(SAMPLES / "package-cost" / "fiche.yaml").decision, "rate")
    assert (event.subject, event.day, event.because) == ("EUR -> USD", "2026-11-27", ("rates",))
    assert event.figure.low > 1


# --- Whom it leans on ---------------------------------------------------------------------------


def test_only_what_the_conclusion_leans_on_is_told():
    """A candidate to confirm beside a retained one carries nothing."""
    made = story(people=[candidate("rent"), candidate("other", machine="elsewhere")])
    names = {name for event in made.invalidations for name in event.candidates}
    assert names == {"rent"}


def test_a_shortlist_carries_it_with_the_assumptions_of_its_second_reading():
    made = compile_fiche(SAMPLES / "second-opinion" / "fiche.yaml").decision
    assert all(outcome.status != "retained" for outcome in made.outcomes)
    events = of(made, "assumption")
    assert any("reserve.workspace" in event.text for event in events)
    assert all(event.because == ("memory",) for event in events)


def test_what_is_chosen_carries_it_though_it_is_not_retained():
    made = decision(
        [candidate("rent"), candidate("other", machine="elsewhere")],
        [piece(machine=MACHINE, totals=[total("24081 MiB")], runs=[run(used(PEAK))])],
        (memory(),),
        choice=choice("other"),
    )
    names = {name for event in made.invalidations for name in event.candidates}
    assert names == {"other"}


def test_the_author_s_words_come_last_and_once():
    made = compile_fiche(SAMPLES / "one-change" / "fiche.yaml").decision
    told = [event for event in made.invalidations if event.kind == "author"]
    assert [event.text for event in told] == [fact.value for fact in made.fiche.invalidated_by]
    assert made.invalidations[-len(told) :] == tuple(told)


@pytest.mark.parametrize("name", ["serving", "one-change", "qlora", "two-cards", "second-opinion"])
def test_no_event_is_told_twice(name):
    made = compile_fiche(SAMPLES / name / "fiche.yaml").decision
    keys = [
        (e.kind, e.subject, e.values, e.day, e.case, e.text, e.candidates)
        for e in made.invalidations
    ]
    assert len(keys) == len(set(keys))
    places = [KINDS.index(e.kind) for e in made.invalidations]
    assert places == sorted(places)
