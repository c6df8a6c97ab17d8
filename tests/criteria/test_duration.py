"""Duration: from a rate or a pass seen in scope; a stated rental time is evidence of nothing (C14)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    assumed,
    attest,
    bench,
    candidate,
    case,
    declared,
    document,
    facts_of,
    finding,
    findings,
    hours,
    piece,
    pointer,
    requirement,
    run,
    says,
    second,
    stated,
    taken,
    topics,
    typed,
    verdict,
    workload,
)

from fiche.kernel import trace
from fiche.kernel.record import replace
from fiche.kernel.unit import HOUR, count_of
from fiche.kernel.work import Throughput, Work

TEN = requirement("duration", at_most=hours("10 h"))
RATE = "output_throughput"


def working(*pieces, guess=None):
    """3.6 million tokens: 10 hours at 100 a second."""
    work = Work(
        amount=stated(3_600_000, count_of("tokens"), "work"),
        of="tokens",
        measured=tuple(Throughput(piece=typed(p, ""), metric=typed(RATE, "")) for p in pieces),
        assumed=None if guess is None else assumed(guess, count_of("tokens/s"), "work.throughput"),
    )
    return candidate(load=replace(workload(), work=work))


def seen(value, id="bench", **changes):
    return bench(taken(RATE, value, "tokens/s"), id=id, **changes)


@pytest.mark.parametrize(
    ("value", "expected"), [("100", ADMISSIBLE), ("200", ADMISSIBLE), ("99", EXCLUDE)]
)
def test_the_counted_work_over_a_rate_seen_in_scope(value, expected):
    found = finding(TEN, [seen(value)], working("bench"))
    assert (found.verdict, found.pieces) == (expected, ("bench",))
    assert found.need.low == Fraction(1000) / Fraction(value)
    assert trace.rests_on(found.need) == ("observed", "stated")


def test_a_rental_time_that_is_stated_says_nothing_of_the_work():
    found = finding(TEN, [], candidate())
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"duration"})
    assert found.conditions[0].threshold == "<= 10 h"


def test_a_rate_of_another_card_says_nothing():
    """D8."""
    other = seen("900", gpu="nvidia-l4-24g")
    assert verdict(TEN, [other], working("bench")) is TO_CONFIRM


def test_two_rates_that_put_it_on_two_sides_are_a_conflict():
    pieces = [seen("90", "a"), seen("110", "b")]
    assert finding(TEN, pieces, working("a", "b")).reason == "conflict"
    found = finding(TEN, [seen("110", "a"), seen("200", "b")], working("a", "b"))
    assert (found.verdict, found.need.low, found.need.high) == (ADMISSIBLE, 5, Fraction(1000, 110))


def test_a_guess_is_only_what_would_be():
    found = finding(TEN, [], working(guess=200))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"duration"})
    (would,) = second(TEN, [], working(guess=200))
    assert would.would_be is ADMISSIBLE
    (would,) = second(TEN, [], working(guess=50))
    assert would.would_be is EXCLUDE


def passing(seconds, **changes):
    told = run(duration_ns=seconds * 10**9, pointer=pointer("run"), **changes)
    return piece("run", runs=[told])


@pytest.mark.parametrize(("seconds", "expected"), [(12, ADMISSIBLE), (13, EXCLUDE)])
def test_a_recorded_pass_times_the_passes(seconds, expected):
    asked = requirement("duration", at_most=hours("10 h"), passes=stated(3000, count_of("passes")))
    found = finding(asked, [passing(seconds)])
    assert (found.verdict, found.need.low) == (expected, Fraction(3000 * seconds, 3600))
    assert verdict(TEN, [passing(seconds)]) is TO_CONFIRM


def test_a_pass_counts_in_the_direction_that_its_load_covers():
    """D6: a smaller input that is fast enough validates no larger one."""
    asked = requirement("duration", at_most=hours("10 h"), passes=stated(3000, count_of("passes")))
    small = {"executed": {"prompt_tokens": 100}}
    assert verdict(asked, [passing(1, **small)]) is TO_CONFIRM
    assert verdict(asked, [passing(60, **small)]) is EXCLUDE
    assert verdict(asked, [passing(1, whole_loop=False)]) is TO_CONFIRM
    assert verdict(asked, [passing(1, outcome="failure")]) is TO_CONFIRM


def test_a_document_that_reports_the_whole_work_counts_in_its_scope():
    value = declared(9, HOUR)
    made = document("log", attest("duration", id="log", value=value), kind="result")
    facts = facts_of(workload(), "log", candidate().gpu, {})
    scoped = replace(made, reading=replace(made.reading, facts=facts))
    assert verdict(TEN, [scoped]) is ADMISSIBLE
    assert verdict(TEN, [made]) is TO_CONFIRM
    assert verdict(TEN, [replace(scoped, kind="quote")]) is TO_CONFIRM
    assert not says(finding(TEN, [scoped]), "overlap")


def two_cases():
    beside = {"new_tokens": 292, "resident_sequences": 4}
    usual = case("usual", role="usual", prompt_tokens=1000, **beside)
    return (usual, case("limit", prompt_tokens=7900, **beside))


def test_a_pass_of_one_input_says_nothing_of_a_longer_one():
    """A3, D6: each case is answered for itself; a requirement may name the one that its passes are of."""
    load = workload(cases=two_cases())
    on = candidate(load=load)
    small = passing(12, load=load, of=load.cases[0])
    terms = {"at_most": hours("10 h"), "passes": stated(3000, count_of("passes"))}
    told = findings(requirement("duration", **terms), [small], on)
    assert {one.case: one.verdict for one in told} == {"usual": ADMISSIBLE, "limit": TO_CONFIRM}
    for name, expected in (("usual", ADMISSIBLE), ("limit", TO_CONFIRM)):
        asked = requirement("duration", cases=(name,), **terms)
        found = finding(asked, [small], on)
        assert (found.case, found.verdict) == (name, expected)
    assert says(found, "case 'limit'.*prompt_tokens: executed 1000, the question is 7900")


@pytest.mark.parametrize(
    "load", [{"concurrent_requests": 1}, {"prompt_tokens": 9000}, {"new_tokens": 5000}]
)
def test_a_rate_under_another_load_tells_no_hours_of_this_one(load):
    """D6, D8: many short requests beside each other are another work than long ones one by one."""
    on = working("bench")
    (usual,) = on.workload.cases
    sizes = {name: figure.low for name, figure in usual.dimensions.items()} | load
    sized = replace(on, workload=replace(on.workload, cases=(case(**sizes),)))
    found = finding(TEN, [seen("200", of=on.workload.cases[-1])], sized)
    assert (found.verdict, says(found, next(iter(load)))) == (TO_CONFIRM, True)


def test_a_rate_of_the_requests_that_ended_is_none_of_all():
    lost = seen("200", warnings=["requests_failed: 3 of 200 requests failed"])
    found = finding(TEN, [lost], working("bench"))
    assert (found.verdict, says(found, "3 of 200")) == (TO_CONFIRM, True)


def test_of_a_sweep_the_rate_under_the_case_s_load_tells_the_hours():
    """One file of two loads: each of its rates is a reading of its own."""
    labels = ("request rate inf, concurrency 4", "request rate inf, concurrency 64")
    slow, fast = (
        bench(taken(RATE, value, "tokens/s", label=label), id="bench")
        for value, label in zip(("100", "900"), labels, strict=True)
    )
    results = (*slow.reading.results, *fast.reading.results)
    sweep = replace(slow, reading=replace(slow.reading, results=results))
    on = working("bench")
    told = [
        Throughput(piece=typed("bench", ""), metric=typed(RATE, ""), label=label)
        for label in labels
    ]
    work = replace(on.workload.work, measured=tuple(told))
    found = finding(TEN, [sweep], replace(on, workload=replace(on.workload, work=work)))
    assert (found.verdict, found.need.low) == (ADMISSIBLE, 10)
