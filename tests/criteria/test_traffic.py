"""The load of a benchmark's figure, off the files that programs write (A3: what was executed counts)."""

import json

import pytest
from evaluate.build import piece as cited
from importers.test_guidellm_report import NEWER, OLDER
from importers.test_llama_bench import JSON
from importers.test_sglang_bench import ONE_BATCH, SERVING
from importers.test_vllm_bench import SERVE

from fiche.criteria._traffic import _named, traffic
from fiche.importers._detect import read as detect
from fiche.kernel.record import replace


def loads(text, metric, stat=""):
    """The load of each figure of a metric, as numbers by dimension."""
    reading = detect(text.encode(), "ab" * 32)
    piece = replace(cited("bench"), reading=reading)
    found = [one for one in reading.results if (one.metric, one.stat) == (metric, stat)]
    return [{name: ran.low for name, ran in traffic(piece, one).items()} for one in found]


@pytest.mark.parametrize(
    ("told", "metric", "stat", "load"),
    [
        (
            SERVE,
            "output_throughput",
            "",
            {
                "concurrent_requests": 16,
                "prompt_tokens": pytest.approx(204800 / 198),
                "new_tokens": 128,
            },
        ),
        (
            SERVING,
            "output_throughput",
            "",
            {"request_rate": 8, "prompt_tokens": 1024, "new_tokens": 256},
        ),
        (
            ONE_BATCH,
            "prefill_throughput",
            "",
            {"concurrent_requests": 8, "prompt_tokens": 1024, "new_tokens": 128},
        ),
        (NEWER, "output_tokens_per_second", "mean", {"request_rate": 4}),
        (OLDER, "output_tokens_per_second", "mean", {"concurrent_requests": 1}),
    ],
)
def test_a_file_says_under_which_load_its_figure_was_taken(told, metric, stat, load):
    (found,) = loads(json.dumps(told), metric, stat)
    assert found == load


def test_llama_bench_runs_one_sequence_whose_context_is_its_prompt():
    (prefill,) = loads(JSON, "prompt_throughput", "mean")
    assert prefill == {"concurrent_requests": 1, "prompt_tokens": 512}
    (decode,) = loads(JSON, "generation_throughput", "mean")
    assert decode == {"concurrent_requests": 1, "prompt_tokens": 4096, "new_tokens": 128}


def test_a_prompt_that_follows_others_is_neither_of_their_lengths():
    """Its rate is that of a longer context: it excludes nothing that asks for the prompt alone."""
    assert "prompt_tokens" not in dict(_named("pp512 @ d4096"))
    assert dict(_named("pp512"))["prompt_tokens"].low == 512


def test_runs_appended_to_one_file_keep_their_own_lengths():
    again = {**SERVE, "total_output_tokens": 198 * 300}
    one, two = loads(f"{json.dumps(SERVE)}\n{json.dumps(again)}\n", "output_throughput")
    assert (one["new_tokens"], two["new_tokens"]) == (128, 300)


def test_a_concurrency_that_there_were_too_few_requests_for_was_not_reached():
    """C2: what was asked of the benchmark is not what ran; 12 requests are never 16 at once."""
    few = {**SERVE, "num_prompts": 12, "completed": 12}
    (found,) = loads(json.dumps(few), "output_throughput")
    assert "concurrent_requests" not in found
    (found,) = loads(json.dumps({**few, "max_concurrency": 12}), "output_throughput")
    assert found["concurrent_requests"] == 12


def test_a_limit_of_concurrency_above_a_rate_is_no_concurrency():
    limited = {**SERVE, "request_rate": 2.0}
    (found,) = loads(json.dumps(limited), "output_throughput")
    assert found["request_rate"] == 2
    assert "concurrent_requests" not in found
