"""Latency: a percentile of a named time at a stated load; a mean is no percentile (D8, B1)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    TO_CONFIRM,
    attest,
    bench,
    candidate,
    case,
    declared,
    document,
    finding,
    latency,
    says,
    stated,
    taken,
    topics,
    verdict,
    workload,
)
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel import trace
from fiche.kernel.record import replace
from fiche.kernel.unit import SECOND, count_of


def ttft(value, stat="p95", metric="ttft", **changes):
    return taken(metric, value, "s", stat, **changes)


@pytest.mark.parametrize(
    ("value", "expected"), [("0.8", ADMISSIBLE), ("0.7719", ADMISSIBLE), ("0.801", EXCLUDE)]
)
def test_the_percentile_that_is_asked_settles_it(value, expected):
    found = finding(latency("0.8"), [bench(ttft(value))])
    assert (found.verdict, found.pieces) == (expected, ("bench",))


def test_without_a_result_it_says_which_percentile_of_what_under_which_load():
    found = finding(latency("0.8"), [])
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"latency"})
    assert found.conditions[0].threshold == "p95 TTFT <= 800 ms"
    assert says(found, "concurrent_requests 4")


@pytest.mark.parametrize("stat", ["mean", "std", "", "total"])
@pytest.mark.parametrize("value", ["0.1", "9"])
def test_a_mean_is_no_percentile(stat, value):
    assert verdict(latency(), [bench(ttft(value, stat))]) is TO_CONFIRM


@pytest.mark.parametrize("stat", ["p50", "p95", "p99", "median", "max"])
def test_a_percentile_is_no_mean(stat):
    assert verdict(latency(percentile="mean"), [bench(ttft("0.1", stat))]) is TO_CONFIRM
    assert verdict(latency(percentile="mean"), [bench(ttft("0.1", "mean"))]) is ADMISSIBLE


@pytest.mark.parametrize(
    ("asked", "stat", "value", "expected"),
    [
        ("p95", "p99", "0.7", ADMISSIBLE),  # the p95 is at most the p99
        ("p95", "p99", "0.9", TO_CONFIRM),
        ("p95", "max", "0.7", ADMISSIBLE),
        ("p99", "median", "0.9", EXCLUDE),  # the p99 is at least the p50
        ("p99", "p50", "0.7", TO_CONFIRM),
        ("p99", "p95", "0.9", EXCLUDE),
        ("p50", "median", "0.7", ADMISSIBLE),
        ("p99.9", "p99", "0.9", EXCLUDE),
    ],
)
def test_the_order_of_percentiles_is_used_and_told(asked, stat, value, expected):
    found = finding(latency(percentile=asked), [bench(ttft(value, stat))])
    assert found.verdict is expected
    if expected is not TO_CONFIRM and {asked, stat} != {"p50", "median"}:
        assert trace.firm(found.need)
        assert found.need.label.endswith(("is at most that", "is at least that"))
        formula = trace.formula(found.need)
        assert f"{asked}_to" in formula or f"to_{asked}" in formula


def test_two_percentiles_that_cannot_both_be_are_a_conflict():
    pieces = [bench(ttft("0.9", "p50"), id="a"), bench(ttft("0.7", "p99"), id="b")]
    found = finding(latency(), pieces)
    assert found.reason == "conflict"
    assert says(found, "p50 0.9 s, so p95 is at least that.*p99 0.7 s, so p95 is at most that")


@given(st.integers(1, 2000), st.integers(1, 2000), st.sampled_from(["p50", "p95", "p99", "mean"]))
def test_less_latency_never_worsens(slow, less, stat):
    first = verdict(latency(), [bench(ttft(Fraction(slow, 1000), stat))])
    faster = Fraction(max(slow - less, 0), 1000)
    assert verdict(latency(), [bench(ttft(faster, stat))]) <= first


@pytest.mark.parametrize(
    ("metric", "term"),
    [
        ("time_to_first_token", "ttft"),
        ("itl", "itl"),
        ("inter_token_latency", "tpot"),  # GuideLLM, GenAI-Perf: without the first token
        ("e2el", "e2e"),
        ("request_latency", "e2e"),
        ("time_per_output_token", ""),  # GuideLLM: the first token is in it
        ("batch_latency", ""),
    ],
)
def test_a_time_goes_by_what_it_measures_and_not_by_its_name_alone(metric, term):
    piece = bench(ttft("0.1", metric=metric))
    for asked in ("ttft", "itl", "tpot", "e2e"):
        expected = ADMISSIBLE if asked == term else TO_CONFIRM
        assert verdict(latency(metric=asked), [piece]) is expected, asked


@pytest.mark.parametrize(
    ("concurrency", "value", "expected"),
    [(8, "0.7", ADMISSIBLE), (8, "0.9", TO_CONFIRM), (2, "0.9", EXCLUDE), (2, "0.7", TO_CONFIRM)],
)
def test_a_heavier_load_may_admit_and_a_lighter_one_may_exclude(concurrency, value, expected):
    label = f"request rate inf, concurrency {concurrency}"
    assert verdict(latency(), [bench(ttft(value, label=label))]) is expected


def test_a_request_rate_is_answered_at_that_rate():
    asked = latency(request_rate=stated(4, count_of("requests/s")))
    five = bench(ttft("0.7", label="request rate 5"))
    assert verdict(asked, [five]) is ADMISSIBLE
    assert verdict(asked, [bench(ttft("0.7", label="request rate 3"))]) is TO_CONFIRM
    assert verdict(asked, [bench(ttft("0.7"))]) is TO_CONFIRM


def test_without_a_load_no_latency_means_anything():
    load = workload([case(prompt_tokens=100, new_tokens=10)])
    found = finding(latency(), [bench(ttft("0.1"), load=load)], candidate(load=load))
    assert (found.verdict, "concurrency" in topics(found)) == (TO_CONFIRM, True)


def test_what_a_document_reports_counts_in_the_scope_that_is_typed():
    value = declared(Fraction("0.7"), SECOND)
    told = attest("latency", id="paper", metric="ttft", percentile="p99", value=value)
    made = document("paper", told, kind="result", case="limit", gpu=candidate().gpu)
    found = finding(latency(), [made])
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("A. Martin",))
    assert verdict(latency(), [replace(made, typed={})]) is TO_CONFIRM
