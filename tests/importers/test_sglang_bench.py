"""SGLang's benchmarks: JSON Lines appended run by run, -1 for what was not measured (C2, C13)."""

import json
from fractions import Fraction

import pytest

from fiche.importers._detect import read as detect
from fiche.importers.sglang_bench import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
SERVING = {
    "backend": "sglang",
    "dataset_name": "random",
    "request_rate": 8.0,
    "max_concurrency": None,
    "random_input_len": 1024,
    "random_output_len": 256,
    "server_info": {"version": "0.5.23", "model_path": "org/model", "dtype": "bfloat16"},
    "duration": 30.5,
    "completed": 100,
    "total_input_tokens": 102400,
    "total_output_tokens": 25600,
    "total_output_tokens_retokenized": 25590,
    "request_throughput": 3.28,
    "input_throughput": 3357.4,
    "output_throughput": 839.3,
    "mean_e2e_latency_ms": 2100.5,
    "p99_ttft_ms": 150.0,
    "concurrency": 7.1,
    "accept_length": None,
}
ONE_BATCH = {
    "run_name": "default",
    "batch_size": 8,
    "input_len": 1024,
    "output_len": 128,
    "prefill_latency": 0.1234567,
    "prefill_throughput": 66355.2,
    "median_decode_latency": 0.0112,
    "median_decode_throughput": 714.28,
    "total_latency": 1.55,
    "overall_throughput": 5945.8,
}
SERVER = {
    "run_name": "default",
    "batch_size": 8,
    "input_len": 1024,
    "output_len": 128,
    "latency": 1.55,
    "output_throughput": 660.6,
    "overall_throughput": 5945.8,
    "last_gen_throughput": -1,
}
OFFLINE = {
    "backend": "engine",
    "successful_requests": 100,
    "total_latency": 12.5,
    "total_output_tokens": 25600,
    "request_throughput": 8.0,
    "total_throughput": 10240.0,
}
BLOCK = """============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    8.0
Successful requests:                     100
Mean E2E Latency (ms):                   2100.50
Max ITL (ms):                            31.40
==================================================
"""


def read(*told):
    return detect("".join(json.dumps(each) + "\n" for each in told).encode(), DIGEST)


def named(reading, metric, stat=""):
    (found,) = [r for r in reading.results if (r.metric, r.stat) == (metric, stat)]
    return found


def test_a_serving_run_with_the_server_s_own_facts():
    told = read(SERVING)
    assert (told.kind, told.shape) == ("sglang_bench", "serving")
    assert named(told, "e2el", "mean").low == Fraction("2.1005")
    facts = {path: fact.value for path, fact in told.facts.items()}
    assert facts["engine.name"] == "sglang"
    assert facts["engine.version"] == "0.5.23"
    assert facts["model.name"] == "org/model"
    assert facts["formats.compute"] == "bf16"


def test_another_backend_names_an_endpoint_and_no_engine():
    assert "engine.name" not in read({**SERVING, "backend": "vllm"}).facts


def test_runs_are_told_apart_by_what_was_asked():
    told = read(SERVING, {**SERVING, "request_rate": 16.0})
    labels = [r.label for r in told.results if r.metric == "output_throughput"]
    assert labels == ["request rate 8.0", "request rate 16.0"]


def test_one_batch_is_written_in_full_and_its_server_form_is_rounded():
    told = read(ONE_BATCH)
    assert named(told, "prefill_latency").low == named(told, "prefill_latency").high
    assert told.results[0].label == "default: batch 8, 1024 in, 128 out"
    served = read(SERVER)
    assert (served.shape, named(served, "batch_latency", "total").low) == (
        "one batch, server",
        Fraction("1.54995"),
    )
    rate = named(served, "output_throughput")
    assert (rate.low, rate.high) == (Fraction("660.595"), Fraction("660.605"))


def test_minus_one_is_no_rate():
    """C2."""
    told = read(SERVER)
    assert not [r for r in told.results if r.metric == "last_gen_throughput"]
    assert any(text.startswith("not_measured: ") for text in told.warnings)


def test_offline_throughput():
    told = read(OFFLINE)
    assert (told.shape, named(told, "duration", "total").unit) == ("offline throughput", "s")


def test_the_printed_block_says_its_backend():
    told = detect(BLOCK.encode(), DIGEST)
    assert told.kind == "sglang_bench"
    assert named(told, "itl", "max").low == Fraction("0.031395")
    assert named(told, "e2el", "mean").label == "request rate 8.0"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (json.dumps(SERVING)[:-20], "F428"),
        (json.dumps({"total_output_tokens_retokenized": None}), "F424"),
        ("{}", "F424"),
        ("text", "F424"),
    ],
)
def test_what_is_broken_is_refused(content, code):
    with pytest.raises(Refused) as refused:
        MEMBER.read(content.encode(), DIGEST)
    assert refused.value.diagnostics[0].code == code
