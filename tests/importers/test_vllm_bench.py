"""vLLM's benchmarks: rates and latencies in one unit, what failed is told (C13, D8)."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers._detect import read as detect
from fiche.importers.vllm_bench import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
SERVE = {
    "date": "20261103-101500",
    "endpoint_type": "vllm",
    "backend": "vllm",
    "label": None,
    "model_id": "meta-llama/Llama-3.1-8B-Instruct",
    "tokenizer_id": "meta-llama/Llama-3.1-8B-Instruct",
    "num_prompts": 200,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 16,
    "duration": 61.25,
    "completed": 198,
    "failed": 2,
    "total_input_tokens": 204800,
    "total_output_tokens": 25344,
    "request_throughput": 3.23265306122449,
    "request_goodput": None,
    "output_throughput": 413.78,
    "total_token_throughput": 3757.45,
    "max_output_tokens_per_s": 610.0,
    "mean_ttft_ms": 85.5,
    "median_ttft_ms": 80.25,
    "std_ttft_ms": 12.0,
    "p99_ttft_ms": 140.125,
    "p99.9_itl_ms": 31.5,
}
THROUGHPUT = {
    "elapsed_time": 10.5,
    "num_requests": 100,
    "total_num_tokens": 25600,
    "requests_per_second": 9.523809523809524,
    "tokens_per_second": 2438.095238095238,
}
LATENCY = {
    "avg_latency": 1.25,
    "latencies": [1.2, 1.3],
    "percentiles": {"10": 1.21, "50": 1.25, "99": 1.299},
}
BLOCK = """============ Serving Benchmark Result ============
Successful requests:                     198
Failed requests:                         2
Benchmark duration (s):                  61.25
Request throughput (req/s):              3.23
Output token throughput (tok/s):         413.78
Total Token throughput (tok/s):          3757.45
---------------Time to First Token----------------
Mean TTFT (ms):                          85.50
P99 TTFT (ms):                           140.13
==================================================
"""


def read(told):
    return MEMBER.read(json.dumps(told).encode(), DIGEST)


def named(reading, metric, stat=""):
    (found,) = [r for r in reading.results if (r.metric, r.stat) == (metric, stat)]
    return found


def warned(reading, key):
    return any(text.startswith(f"{key}: ") for text in reading.warnings)


def test_milliseconds_become_seconds_and_the_printed_words_stay():
    told = read(SERVE)
    found = named(told, "ttft", "p99")
    assert (found.low, found.high, found.unit) == (Fraction("0.140125"),) * 2 + ("s",)
    assert (found.text, found.pointer.path) == ("140.125 ms", "/p99_ttft_ms")
    assert named(told, "itl", "p99.9").low == Fraction("0.0315")
    assert named(told, "output_throughput").unit == "tokens/s"
    assert named(told, "request_throughput").low == Fraction("3.23265306122449")
    assert named(told, "duration", "total").text == "61.25 s"


def test_null_is_missing():
    """C2: no goodput was asked for."""
    assert not [r for r in read(SERVE).results if r.metric == "request_goodput"]


def test_failed_requests_and_terms_are_told():
    told = read(SERVE)
    assert any(
        text.startswith("requests_failed: 2 of 200 requests failed") for text in told.warnings
    )
    assert not warned(read({**SERVE, "failed": 0}), "requests_failed")
    older = {key: value for key, value in SERVE.items() if key != "failed"}
    assert warned(read({**older, "errors": ["", "timeout"]}), "requests_failed")
    assert warned(read(older), "requests_failed")


def test_the_file_states_model_and_traffic():
    facts = {path: fact.value for path, fact in read(SERVE).facts.items()}
    assert facts["model.name"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert (facts["measured_on"], facts["request_rate"]) == ("2026-11-03", "inf")
    assert "engine.version" not in facts


def test_appended_runs_are_told_apart_by_their_traffic():
    text = json.dumps(SERVE) + "\n" + json.dumps({**SERVE, "request_rate": 4.0})
    told = MEMBER.read(text.encode(), DIGEST)
    found = [r for r in told.results if r.metric == "output_throughput"]
    assert [(r.label, r.pointer.line) for r in found] == [
        ("request rate inf, concurrency 16", 1),
        ("request rate 4.0, concurrency 16", 2),
    ]


@pytest.mark.parametrize(
    ("told", "metric", "stat", "unit"),
    [
        (THROUGHPUT, "total_token_throughput", "", "tokens/s"),
        (LATENCY, "batch_latency", "p99", "s"),
        (LATENCY, "batch_latency", "median", "s"),
    ],
)
def test_files_that_name_no_unit_say_that_it_is_a_convention(told, metric, stat, unit):
    reading = detect(json.dumps(told).encode(), DIGEST)
    assert reading.kind == "vllm_bench"
    assert named(reading, metric, stat).unit == unit
    assert warned(reading, "unit_by_convention")


@pytest.mark.parametrize("prefix", ["", "bench-1  | "])
def test_the_printed_block_is_rounded_to_two_decimals(prefix):
    told = detect("".join(prefix + line + "\n" for line in BLOCK.splitlines()).encode(), DIGEST)
    assert told.kind == "vllm_bench"
    found = named(told, "ttft", "mean")
    assert (found.low, found.high) == (Fraction("0.085495"), Fraction("0.085505"))
    assert (found.pointer.line, named(told, "completed", "total").low) == (9, 198)
    assert warned(told, "requests_failed")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (json.dumps(SERVE)[:300], "F428"),
        (json.dumps(SERVE) + "\n" + json.dumps(SERVE)[:200], "F428"),
        ('{"request_throughput": "x"}', "F424"),
        ("[]", "F424"),
        ("nothing", "F424"),
    ],
)
def test_what_is_broken_is_refused_whole(content, code):
    with pytest.raises(Refused) as refused:
        MEMBER.read(content.encode(), DIGEST)
    assert refused.value.diagnostics[0].code == code


@given(st.data())
def test_no_damage_ends_in_anything_but_a_reading_or_a_refusal(data):
    text = data.draw(st.sampled_from([json.dumps(SERVE), json.dumps(LATENCY), BLOCK])).encode()
    place = data.draw(st.integers(0, len(text)))
    cut = text[:place] + data.draw(st.binary(max_size=6)) + text[place + 3 :]
    MEMBER.accepts(cut, "")
    try:
        MEMBER.read(cut, DIGEST)
    except Refused:
        return
