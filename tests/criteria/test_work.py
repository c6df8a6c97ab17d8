"""Hours that follow from the work and a throughput seen on the candidate's own card (C14, D2, D8)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    AUTHOR,
    EXCLUDE,
    GPU,
    STRICT,
    TO_CONFIRM,
    assumed,
    bench,
    budget,
    candidate,
    finding,
    ground,
    offer,
    quote,
    says,
    second,
    stated,
    taken,
    typed,
    verdict,
    workload,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.criteria._hours import hours_of
from fiche.criteria._work import needed_of
from fiche.kernel import trace
from fiche.kernel.record import replace
from fiche.kernel.unit import HOUR, count_of
from fiche.kernel.work import Throughput, Work


def working(amount=3_600_000, *, of="tokens", seen=("bench",), guess=None, duration=None, **terms):
    """A candidate whose work is so much, by the throughput of some pieces."""
    measured = tuple(
        Throughput(piece=typed(name, ""), metric=typed("output_throughput", "")) for name in seen
    )
    rate = (
        None if guess is None else assumed(Fraction(guess), count_of(f"{of}/s"), "work.throughput")
    )
    work = Work(amount=stated(amount, count_of(of), "work"), of=of, measured=measured, assumed=rate)
    load = replace(workload(duration=duration), work=work)
    told = {"per": "1 h", "extension": "hours", **terms}
    return candidate(load=load, offer=offer("1 USD", **told))


def measured(rate="10", *, id="bench", gpu=GPU, metric="output_throughput", **changes):
    return bench(taken(metric, rate, "tokens/s", **changes), id=id, gpu=gpu)


def needed(on, *pieces, **changes):
    return needed_of(on, ground(pieces, on=on, **changes))


def test_hours_are_the_amount_over_the_throughput():
    """3 600 000 tokens at 10 a second are 100 h."""
    found = needed(working(), measured())
    assert (found.hours.low, found.hours.high, found.hours.unit) == (100, 100, HOUR)
    assert found.pieces == ("bench",)
    assert trace.firm(found.hours)
    kinds = {trace.basis(leaf) for leaf in trace.leaves(found.hours)}
    assert kinds == {"stated", "observed"}


def test_no_work_needs_no_hours():
    on = candidate(load=workload(duration=None), offer=offer())
    assert needed(on) is None


def test_a_rounded_throughput_is_as_wide_as_its_rounding():
    found = needed(working(), measured("10", half=Fraction(1, 2)))
    assert (found.hours.low, found.hours.high) == (
        Fraction(1000) / Fraction("10.5"),
        Fraction(1000) / Fraction("9.5"),
    )


def test_the_cost_follows():
    on = working()
    found = finding(budget("100 USD"), [quote("1 USD"), measured()], on)
    assert (found.verdict, found.need.high) == (ADMISSIBLE, 100)
    assert set(found.pieces) == {"quote", "bench"}
    assert verdict(budget("99 USD"), [quote("1 USD"), measured()], on) is not ADMISSIBLE


@pytest.mark.parametrize(
    "changes",
    [
        {"gpu": "nvidia-l4-24g"},
        {"facts": {"engine__version": "0.27.0"}},
        {"facts": {"model__revision": "another"}},
        {"facts": {"formats__compute": "fp16"}},
        {"facts": {"placement__devices": "2"}},
        {"facts": {"engine__version": None}},
    ],
)
def test_a_throughput_of_something_else_says_nothing(changes):
    """D8: no speed from labels; another card, engine, format or placement is another throughput."""
    rate = taken("output_throughput", "10", "tokens/s")
    found = needed(working(), bench(rate, **changes))
    assert found.hours is None
    assert "bench does not cover" in found.condition.text
    assert "measure how many tokens a second" in found.condition.text


def test_a_rate_of_the_requests_that_ended_costs_no_hours():
    """D2: the hours of a package rest on no rate that a duration refuses."""
    rate = taken("output_throughput", "10", "tokens/s")
    lost = bench(rate, warnings=["requests_failed: 3 of 200 requests failed"])
    found = needed(working(), lost)
    assert found.hours is None
    assert "3 of 200" in found.condition.text


def test_typed_scope_counts_on_a_person_s_word_and_never_alone_under_the_strict_policy():
    on, printed = working(), measured()
    told = {path: typed(fact.value) for path, fact in printed.reading.facts.items()}
    bare = replace(printed, typed=told, reading=replace(printed.reading, facts={}))
    assert needed(on, bare).by == (AUTHOR,)
    assert needed(on, bare, policy=STRICT).hours is None


def test_two_measurements_in_scope_are_never_averaged():
    on = working(seen=("bench", "other"))
    found = needed(on, measured(), measured("20", id="other"))
    assert (found.hours.low, found.hours.high) == (50, 100)


def test_each_card_takes_its_own_piece():
    on = working(seen=("bench", "other"))
    found = needed(on, measured("10", gpu="nvidia-l4-24g"), measured("20", id="other"))
    assert (found.hours.low, found.pieces) == (50, ("other",))


def test_several_results_of_one_name_are_told_apart_by_label_or_not_at_all():
    rates = [
        taken("output_throughput", r, "tokens/s", label=f"concurrency {r}") for r in ("10", "20")
    ]
    found = needed(working(), bench(*rates))
    assert found.hours is None
    assert "say 'label' or 'stat'" in found.condition.text
    on = working()
    one = replace(on.workload.work.measured[0], label="concurrency 20")
    on = replace(on, workload=replace(on.workload, work=replace(on.workload.work, measured=(one,))))
    assert needed(on, bench(*rates)).hours.low == 50


def test_a_throughput_of_requests_is_none_of_tokens():
    found = needed(working(of="requests"), measured())
    assert found.hours is None


def test_a_throughput_of_nothing_takes_forever():
    assert needed(working(), measured("0")).hours is None


# --- Guesses ---------------------------------------------------------------------------------------


def test_a_typed_throughput_is_assumed_and_settles_nothing():
    on, told = working(seen=(), guess="10"), [quote("1 USD")]
    found = finding(budget("100 USD"), told, on)
    assert (found.verdict, found.need.high) == (TO_CONFIRM, 100)
    assert says(found, f"assumed by {AUTHOR}")
    (reading,) = second(budget("100 USD"), told, on)
    assert reading.would_be is ADMISSIBLE
    assert "work.throughput" in reading.if_held[0]


def test_a_measurement_in_scope_goes_before_a_guess():
    on = working(guess="1000")
    assert needed(on, measured()).hours.low == 100
    assert needed(on, measured(gpu="nvidia-l4-24g")).guess


# --- Stated term beside the work -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "expected"), [("100 h", ADMISSIBLE), ("120 h", ADMISSIBLE), ("99 h", TO_CONFIRM)]
)
def test_the_stated_term_is_bought_and_one_too_short_is_to_confirm(term, expected):
    on, told = working(duration=term), [quote("1 USD"), measured()]
    found = finding(budget("1000 USD"), told, on)
    assert found.verdict is expected
    assert found.need.high == Fraction(term.split()[0])
    if expected is TO_CONFIRM:
        assert found.reason == "conflict"
        assert says(found, "takes 100 h .* by bench, and 99 h are to be rented")


def test_a_term_too_short_is_above_the_budget_all_the_same():
    on, told = working(duration="99 h"), [quote("1 USD"), measured()]
    assert verdict(budget("98 USD"), told, on) is EXCLUDE


@pytest.mark.parametrize(
    ("at_most", "expected", "reason"),
    [
        ("100 USD", ADMISSIBLE, "within_capacity"),
        ("75 USD", TO_CONFIRM, "conflict"),
        ("49 USD", EXCLUDE, "above_capacity"),
    ],
)
def test_measurements_that_differ_contradict_each_other_where_the_verdict_turns_on_them(
    at_most, expected, reason
):
    """Side by side, never averaged; without either piece there would be no conflict."""
    on = working(seen=("bench", "other"))
    both = [quote("1 USD"), measured(), measured("20", id="other")]
    found = finding(budget(at_most), both, on)
    assert (found.verdict, found.reason) == (expected, reason)
    assert reason != "conflict" or says(found, "bench shows 10 tokens/s, other shows 20 tokens/s")


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.integers(1, 400),
    st.sampled_from([None, "50 h", "100 h", "300 h"]),
    st.booleans(),
    st.sampled_from(["1 h", "72 h"]),
)
def test_dropping_a_measurement_moves_a_verdict_only_to_to_confirm(rates, most, term, quoted, per):
    """DESIGN 4: or out of a conflict."""
    names = [f"bench-{n}" for n, _ in enumerate(rates)]
    on = working(seen=names, duration=term, per=per, extension="lots")
    pieces = [measured(str(rate), id=name) for rate, name in zip(rates, names, strict=True)]
    pieces += [quote("1 USD")] if quoted else []
    found = finding(budget(f"{most} USD"), pieces, on)
    for gone in pieces:
        kept = [piece for piece in pieces if piece is not gone]
        left = finding(budget(f"{most} USD"), kept, on)
        assert left.verdict in (found.verdict, TO_CONFIRM) or found.reason == "conflict"


def test_a_guess_of_the_work_does_not_shorten_or_lengthen_a_stated_term():
    """A guess never moves a first reading."""
    on = working(duration="99 h", seen=(), guess="10")
    assert verdict(budget("1000 USD"), [quote("1 USD")], on) is ADMISSIBLE


def test_hours_say_whether_they_are_firm():
    on = working()
    assert hours_of(on, ground([measured()], on=on)).firm
    assert not hours_of(on, ground([], on=on)).firm
    guess = working(seen=(), guess="10")
    assert not hours_of(guess, ground([], on=guess)).firm
