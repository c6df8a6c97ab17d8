"""Throughput: measured with the very card, formats, engine and load; never from a name or a price (D8, A2)."""

from fractions import Fraction

import pytest
from evaluate.build import (
    ADMISSIBLE,
    EXCLUDE,
    NEUTRAL,
    STRICT,
    TO_CONFIRM,
    attest,
    bench,
    candidate,
    case,
    declared,
    document,
    facts_of,
    finding,
    findings,
    ratio,
    says,
    stated,
    taken,
    throughput,
    topics,
    verdict,
    workload,
)

from fiche.kernel.record import replace
from fiche.kernel.unit import count_of

OUTPUT = "output_throughput"


def rate(value, metric=OUTPUT, unit="tokens/s", **changes):
    return taken(metric, value, unit, **changes)


@pytest.mark.parametrize(
    ("value", "expected"), [("300", ADMISSIBLE), ("328.93", ADMISSIBLE), ("299.99", EXCLUDE)]
)
def test_a_rate_measured_in_scope_settles_it(value, expected):
    found = finding(throughput("300"), [bench(rate(value))])
    assert (found.verdict, found.pieces) == (expected, ("bench",))
    assert found.have.low == Fraction(value)
    assert str(found.have.unit) == "tokens/s"


def test_without_a_rate_it_says_what_to_measure_under_which_load():
    """D1: the exact condition."""
    found = finding(throughput("300"), [])
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"throughput"})
    (only,) = found.conditions
    assert only.threshold == "output throughput >= 300 tokens/s"
    assert only.supplier == "whoever can run it"
    for word in ("1 x nvidia-rtx-4090-24g", "case 'limit'", "concurrent_requests 4", "7900"):
        assert word in only.text


@pytest.mark.parametrize(
    ("metric", "of"),
    [
        ("total_token_throughput", "total"),
        ("input_throughput", "prompt"),
        ("output_tokens_per_second", "output"),
        ("generation_throughput", "decode"),
        ("prefill_throughput", "prefill"),
    ],
)
def test_one_rate_is_never_taken_for_another(metric, of):
    """B1: only quantities of one definition are compared."""
    piece = bench(rate("900", metric))
    for asked in ("output", "prompt", "total", "prefill", "decode"):
        expected = ADMISSIBLE if asked == of else TO_CONFIRM
        assert verdict(throughput("300", of=asked), [piece]) is expected, asked


@pytest.mark.parametrize("stat", ["max", "p99", "std", "median"])
def test_a_peak_a_percentile_or_a_spread_is_no_rate(stat):
    assert verdict(throughput("300"), [bench(rate("900", stat=stat))]) is TO_CONFIRM


def test_requests_samples_and_steps_are_rates_of_their_own():
    piece = bench(rate("2.5", "request_throughput", "requests/s"))
    assert verdict(throughput("2", "requests/s"), [piece]) is ADMISSIBLE
    assert verdict(throughput("2", "samples/s"), [piece]) is TO_CONFIRM
    assert verdict(throughput("2", "steps/s"), [piece]) is TO_CONFIRM


def test_a_metric_by_its_own_name_is_another_way_to_say_which():
    piece = bench(rate("40", "output_token_throughput_per_user"))
    asked = throughput("30", metric="output_token_throughput_per_user")
    assert verdict(asked, [piece]) is ADMISSIBLE


@pytest.mark.parametrize(
    "path",
    [
        "model.name",
        "model.revision",
        "operation",
        "formats.storage",
        "formats.compute",
        "formats.cache",
        "engine.name",
        "engine.version",
        "gpu",
        "placement.devices",
    ],
)
def test_a_rate_of_another_configuration_or_card_says_nothing(path):
    """D8: no speed from a name."""
    found = finding(throughput(), [bench(rate("900"), facts={path: "another"})])
    assert found.verdict is TO_CONFIRM
    assert says(found, path)


def test_a_noted_difference_is_shown():
    load = workload(driver="580")
    found = finding(
        throughput(), [bench(rate("900"), load=load, facts={"driver": "570"})], candidate(load=load)
    )
    assert found.verdict is ADMISSIBLE
    assert says(found, "driver: the question says 580, bench 570")


@pytest.mark.parametrize(
    ("sizes", "value", "expected"),
    [
        ({"prompt_tokens": 8000}, "900", ADMISSIBLE),  # a longer prompt is harder
        ({"prompt_tokens": 8000}, "100", TO_CONFIRM),
        ({"prompt_tokens": 7000}, "900", TO_CONFIRM),
        ({"prompt_tokens": 7000}, "100", EXCLUDE),
        ({"new_tokens": 293}, "900", TO_CONFIRM),  # what the rate counts must be the same
        ({"new_tokens": 291}, "100", TO_CONFIRM),
        ({"prompt_tokens": None}, "900", TO_CONFIRM),
    ],
)
def test_the_executed_load_must_cover_the_case(sizes, value, expected):
    """D6: the executed dimensions are what counts; a truncated task validates nothing."""
    assert verdict(throughput(), [bench(rate(value), sizes=sizes)]) is expected


@pytest.mark.parametrize(
    "label", ["request rate inf, concurrency 8", "request rate 4, concurrency 4", ""]
)
def test_the_concurrency_must_be_the_one_that_is_asked_about(label):
    """More at once is another rate; a limit above a request rate is no concurrency that was reached."""
    found = finding(throughput(), [bench(rate("900", label=label))])
    assert (found.verdict, says(found, "concurrent_requests")) == (TO_CONFIRM, True)


def test_the_requirement_may_state_its_own_concurrency_or_rate():
    at8 = bench(rate("900", label="request rate inf, concurrency 8"))
    asked = throughput(concurrency=stated(8, count_of("requests")))
    assert verdict(asked, [at8]) is ADMISSIBLE
    at4 = bench(rate("900", label="request rate 4"))
    asked = throughput(request_rate=stated(4, count_of("requests/s")))
    assert verdict(asked, [at4]) is ADMISSIBLE
    assert verdict(asked, [at8]) is TO_CONFIRM


def test_of_one_file_with_several_loads_the_one_that_is_asked_about_counts():
    eight = rate("900", label="request rate inf, concurrency 8")
    four = rate("290")
    piece = bench(four, eight)
    assert verdict(throughput(), [piece]) is EXCLUDE


def test_a_load_without_a_concurrency_is_asked_for_it():
    load = workload([case(prompt_tokens=100, new_tokens=10)])
    found = finding(throughput(), [], candidate(load=load))
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"concurrency", "throughput"})


def test_each_case_is_answered_for_itself():
    load = workload(
        [case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4), case()]
    )
    usual = bench(rate("900"), load=load, of=load.cases[0])
    found = findings(throughput(), [usual], candidate(load=load))
    assert {f.case: f.verdict for f in found} == {"usual": ADMISSIBLE, "limit": TO_CONFIRM}
    (only,) = findings(throughput(cases=["usual"]), [usual], candidate(load=load))
    assert only.verdict is ADMISSIBLE


def test_several_measurements_stand_as_one_interval_and_the_worst_admits():
    """Repeats in scope: from the least to the most of them."""
    found = finding(throughput("300"), [bench(rate("340"), id="a"), bench(rate("310"), id="b")])
    assert (found.verdict, found.pieces) == (ADMISSIBLE, ("a", "b"))
    assert (found.have.low, found.have.high) == (310, 340)
    found = finding(throughput("300"), [bench(rate("340"), id="a"), bench(rate("290"), id="b")])
    assert found.reason == "conflict"


def test_requests_that_failed_leave_a_rate_of_the_others_only():
    lost = bench(rate("900"), warnings=["requests_failed: 3 of 10 requests failed"])
    found = finding(throughput(), [lost])
    assert (found.verdict, says(found, "3 of 10 requests failed")) == (TO_CONFIRM, True)


def test_a_sheet_a_quote_and_a_card_measure_nothing():
    """D3, D8: a commercial sheet attests what is offered; the protocol establishes what works."""
    for kind, expected in (
        ("datasheet", TO_CONFIRM),
        ("quote", TO_CONFIRM),
        ("result", ADMISSIBLE),
    ):
        value = declared(Fraction(900), count_of("tokens/s"))
        told = document(
            "paper",
            attest("throughput", id="paper", value=value, of="output"),
            kind=kind,
            case="limit",
        )
        scoped = replace(
            told,
            reading=replace(told.reading, facts=facts_of(workload(), "p", candidate().gpu, {})),
        )
        assert verdict(throughput(), [scoped]) is expected, kind


def test_a_typed_load_is_on_somebody_s_word_and_the_file_s_own_load_contradicts_it():
    bare = replace(bench(rate("900", label="")), typed_dimensions={})
    results = tuple(r for r in bare.reading.results if r.metric == OUTPUT)
    silent = replace(bare, reading=replace(bare.reading, results=results))
    sizes = {"prompt_tokens": 7900, "new_tokens": 292, "concurrent_requests": 4}
    dimensions = {name: stated(value) for name, value in sizes.items()}
    typed = replace(silent, typed_dimensions=dimensions, typed_by="C. Ito")
    found = finding(throughput(), [typed])
    assert (found.verdict, found.attested_by) == (ADMISSIBLE, ("C. Ito",))
    assert verdict(throughput(), [typed], policy=STRICT) is TO_CONFIRM
    liar = replace(bench(rate("900"), sizes={"prompt_tokens": 100}), typed_dimensions=dimensions)
    found = finding(throughput(), [liar])
    assert (found.verdict, says(found, "the file prints 100, the scope typed 7900")) == (
        TO_CONFIRM,
        True,
    )


def test_a_benchmark_that_is_out_of_date_is_left_aside():
    old = replace(bench(rate("900")), valid_until="2026-10-31")
    found = finding(throughput(), [old])
    assert (found.verdict, found.reason) == (TO_CONFIRM, "stale")
    assert says(found, "renew bench")


def test_only_a_load_that_is_stated_can_be_answered():
    """A2: without lengths there is no question yet."""
    bare = candidate(load=workload([]))
    found = finding(throughput(), [bench(rate("900"))], bare)
    assert (found.verdict, topics(found)) == (TO_CONFIRM, {"context", "concurrency", "throughput"})


def test_within_the_policy_s_guard_band_a_rate_settles_nothing():
    """ILAC-G8: near the limit, on either side."""
    near = replace(NEUTRAL, guard_bands={"throughput": ratio("2 %")})
    for value, expected in (
        ("307", ADMISSIBLE), ("305", TO_CONFIRM), ("295", TO_CONFIRM), ("293", EXCLUDE),
    ):  # fmt: skip
        found = finding(throughput("300"), [bench(rate(value))], policy=near)
        assert found.verdict is expected, value
        if expected is TO_CONFIRM:
            assert found.reason == "near_limit"
