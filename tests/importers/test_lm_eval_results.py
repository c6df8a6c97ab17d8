"""lm-evaluation-harness: scores with their standard errors, filters, shots and scale (A7, C13)."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers._detect import read as detect
from fiche.importers.lm_eval_results import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32

ENVIRONMENT = """PyTorch version: 2.9.0+cu128
CUDA used to build PyTorch: 12.8
OS: Ubuntu 24.04.3 LTS (x86_64)
Python version: 3.12.3 (main, Aug 14 2025, 17:47:21) [GCC 13.3.0] (64-bit runtime)
CUDA runtime version: 12.8.93
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090
Nvidia driver version: 580.65.06
"""


def results(**changes):
    """What version 0.4.13 writes, as far as fiche reads it."""
    told = {
        "results": {
            "arc_easy": {
                "alias": "arc_easy",
                "sample_len": 2376,
                "acc,none": 0.8173400673400674,
                "acc_stderr,none": 0.007928503387888855,
                "acc_norm,none": 0.797979797979798,
                "acc_norm_stderr,none": 0.008238855,
            },
            "gsm8k": {
                "alias": "gsm8k",
                "exact_match,strict-match": 0.755117513267627,
                "exact_match_stderr,strict-match": 0.01184,
                "exact_match,flexible-extract": 0.77,
                "exact_match_stderr,flexible-extract": 0.0116,
            },
            "wikitext": {"word_perplexity,none": 8.6421, "word_perplexity_stderr,none": "N/A"},
        },
        "groups": {"arc_easy": {"acc,none": 0.1}, "arc": {"acc,none": 0.5}},
        "configs": {},
        "versions": {"arc_easy": 1.0, "gsm8k": 3.0},
        "n-shot": {"arc_easy": 0, "gsm8k": 5},
        "higher_is_better": {"arc_easy": {"acc": True}, "wikitext": {"word_perplexity": False}},
        "n-samples": {"arc_easy": {"original": 2376, "effective": 2376}},
        "config": {
            "model": "hf",
            "model_args": "pretrained=meta-llama/Llama-3.1-8B-Instruct,dtype=bfloat16,load_in_4bit=True",
            "model_dtype": "torch.bfloat16",
            "model_revision": "main",
            "model_sha": "0e9e39f249a16976918f6564b8830bc894c89659",
            "limit": None,
            "random_seed": 0,
        },
        "date": 1763546400.25,
        "pretty_env_info": ENVIRONMENT,
        "transformers_version": "4.57.1",
        "lm_eval_version": "0.4.13",
    }
    told |= changes
    return told


def read(told):
    return MEMBER.read(json.dumps(told).encode(), DIGEST)


def score(reading, task, metric, chosen=None):
    (found,) = [
        r
        for r in reading.results
        if (r.label, r.metric) == (task, metric) and chosen in (None, r.marks.get("filter"))
    ]
    return found


def warned(reading, key):
    return any(text.startswith(f"{key}: ") for text in reading.warnings)


def test_a_score_is_as_exact_as_it_is_written_with_error_shots_and_direction_beside():
    found = score(read(results()), "arc_easy", "acc")
    assert found.low == found.high == Fraction("0.8173400673400674")
    assert found.unit == "score"
    assert found.pointer.path == "/results/arc_easy/acc,none"
    assert found.marks == {
        "filter": "none",
        "num_fewshot": 0,
        "samples": 2376,
        "of_samples": 2376,
        "higher_is_better": True,
        "scale": "fraction",
        "task_version": "1.0",
        "stderr": "0.007928503387888855",
    }


def test_filters_of_one_metric_are_scores_of_their_own():
    told = read(results())
    assert score(told, "gsm8k", "exact_match", "strict-match").low == Fraction("0.755117513267627")
    assert score(told, "gsm8k", "exact_match", "flexible-extract").low == Fraction("0.77")


def test_a_score_without_a_standard_error_and_one_without_a_known_scale_are_told():
    told = read(results())
    found = score(told, "wikitext", "word_perplexity")
    assert "stderr" not in found.marks
    assert "scale" not in found.marks
    assert found.marks["higher_is_better"] is False
    assert warned(told, "stderr_missing")
    assert warned(told, "scale_by_metric")


def test_a_group_that_stands_among_the_results_is_read_once():
    told = read(results())
    assert score(told, "arc_easy", "acc").low == Fraction("0.8173400673400674")
    assert score(told, "arc", "acc").pointer.path == "/groups/arc/acc,none"


def test_the_file_states_model_engine_format_and_environment():
    told = read(results())
    assert {path: fact.value for path, fact in told.facts.items()} == {
        "engine.name": "transformers",
        "engine.version": "4.57.1",
        "model.name": "meta-llama/Llama-3.1-8B-Instruct",
        "model.revision": "0e9e39f249a16976918f6564b8830bc894c89659",
        "formats.compute": "bf16",
        "model_args.load_in_4bit": "True",
        "framework.version": "2.9.0+cu128",
        "driver": "580.65.06",
        "runtime": "12.8.93",
        "python": "3.12.3",
        "os": "Ubuntu 24.04.3 LTS (x86_64)",
        "devices.0.name": "NVIDIA GeForce RTX 4090",
        "device": "NVIDIA GeForce RTX 4090",
        "measured_on": "2025-11-19",
        "seed": "0",
    }
    assert told.version == "0.4.13"


@pytest.mark.parametrize(
    ("config", "key", "absent"),
    [
        (
            {"model": "hf", "model_args": {"pretrained": "/models/llama"}},
            "model_is_a_path",
            "model.name",
        ),
        (
            {"model": "hf", "model_args": "pretrained=a/b,revision=main"},
            "revision_moves",
            "model.revision",
        ),
        (
            {"model": "local-completions", "model_args": "model=a/b"},
            "engine_not_told",
            "engine.name",
        ),
        (
            {"model": "vllm", "model_args": "pretrained=a/b", "limit": 100.0},
            "limited",
            "engine.version",
        ),
    ],
)
def test_what_names_nothing_for_good_is_no_fact_and_is_told(config, key, absent):
    told = read(results(config=config))
    assert warned(told, key)
    assert absent not in told.facts


def test_a_limited_run_marks_how_many_samples_of_how_many():
    told = read(results(**{"n-samples": {"arc_easy": {"original": 2376, "effective": 100}}}))
    marks = score(told, "arc_easy", "acc").marks
    assert (marks["samples"], marks["of_samples"]) == (100, 2376)


def test_version_0_3_names_its_metrics_without_a_filter():
    told = read(
        {
            "results": {"hellaswag": {"acc": 0.4332, "acc_stderr": 0.0049}},
            "versions": {"hellaswag": 0},
            "config": {
                "model": "hf-causal",
                "model_args": "pretrained=gpt2",
                "num_fewshot": 10,
                "bootstrap_iters": 100000,
            },
        }
    )
    found = score(told, "hellaswag", "acc")
    assert (found.marks["stderr"], found.marks["num_fewshot"]) == ("0.0049", 10)
    assert told.facts["engine.name"].value == "transformers"


def test_nan_is_no_figure():
    told = results()
    told["results"]["wikitext"]["word_perplexity,none"] = float("nan")
    reading = read(told)
    assert not [r for r in reading.results if r.label == "wikitext"]
    assert warned(reading, "not_a_number")


# Printed by the program's own `make_table` (0.4.13, 0.3.0), with the line of settings above it.
TABLE = """hf (pretrained=EleutherAI/pythia-160m,revision=step100000,dtype=float16), gen_kwargs: (None), limit: 100.0, num_fewshot: None, batch_size: 8
| Tasks  |Version|     Filter     |n-shot|    Metric     |   |Value |   |Stderr|
|--------|------:|----------------|-----:|---------------|---|-----:|---|------|
|arc_easy|      1|none            |     0|acc            |↑  |0.8173|±  |0.0079|
|        |       |none            |     0|acc_norm       |↑  |0.7980|±  |0.0082|
|gsm8k   |      3|flexible-extract|     5|exact_match    |↑  |0.7700|±  |0.0116|
|        |       |strict-match    |     5|exact_match    |↑  |0.7551|±  |0.0118|
| - ext  |      2|none            |     0|word_perplexity|↓  |8.6421|±  |   N/A|
"""  # noqa: E501
OLD_TABLE = """|  Task   |Version| Metric |Value |   |Stderr|
|---------|------:|--------|-----:|---|-----:|
|hellaswag|      0|acc     |0.4332|±  |0.0049|
|         |       |acc_norm|0.5643|±  |0.0049|
"""


def plain(text):
    return MEMBER.read(text.encode(), DIGEST)


@pytest.mark.parametrize("prefix", ["", "eval-1  | ", "2026-01-15T03:22:41.1Z "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_printed_table_has_four_decimals_and_its_lines(prefix, end):
    told = plain("".join(f"{prefix}{line}{end}" for line in TABLE.splitlines()))
    found = score(told, "arc_easy", "acc")
    assert (found.low, found.high) == (Fraction("0.81725"), Fraction("0.81735"))
    assert (found.pointer.line, found.marks["stderr"]) == (4, "0.0079")
    assert found.marks["higher_is_better"] is True
    assert score(told, "gsm8k", "exact_match", "strict-match").marks["num_fewshot"] == 5
    assert score(told, "ext", "word_perplexity").marks["higher_is_better"] is False
    assert told.facts["model.name"].value == "EleutherAI/pythia-160m"
    assert told.facts["formats.compute"].value == "fp16"
    assert warned(told, "limited")


def test_zeros_that_the_table_drops_were_computed():
    """The table's writer drops zeros that end a whole column: the program still rounds to four."""
    told = plain(OLD_TABLE.replace("0.4332", "0.43  ").replace("0.5643", "0.56  "))
    found = score(told, "hellaswag", "acc")
    assert (found.low, found.high) == (Fraction("0.42995"), Fraction("0.43005"))


def test_both_forms_are_recognised_and_other_tables_are_not():
    assert detect(json.dumps(results()).encode(), DIGEST).kind == "lm_eval_results"
    assert detect(TABLE.encode(), DIGEST).kind == "lm_eval_results"
    assert detect(OLD_TABLE.encode(), DIGEST).kind == "lm_eval_results"
    assert MEMBER.accepts(b"| a | b |\n|---|---|\n", "") == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (json.dumps(results())[:400], "F428"),
        ('{"results": {"a": 3}, "n-shot": {}}', "F429"),
        ('{"results": {}, "n-shot": {}}', "F429"),
        ('{"n-shot": {}}', "F429"),
        (TABLE.splitlines()[1], "F424"),
    ],
)
def test_what_is_broken_is_refused_whole(content, code):
    with pytest.raises(Refused) as refused:
        plain(content)
    assert refused.value.diagnostics[0].code == code


@given(st.data())
def test_no_damage_ends_in_anything_but_a_reading_or_a_refusal(data):
    text = data.draw(st.sampled_from([json.dumps(results()), TABLE, OLD_TABLE])).encode()
    place = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.binary(max_size=6))
    cut = text[:place] + piece + text[place + data.draw(st.integers(0, 6)) :]
    MEMBER.accepts(cut, "")
    try:
        MEMBER.read(cut, DIGEST)
    except Refused:
        return


def test_a_table_in_a_log_of_another_program_is_joined_with_it():
    oom = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity"
    told = detect(f"{TABLE}\n{oom} of 23.52 GiB of which 1.00 GiB is free.\n".encode(), DIGEST)
    assert told.kind == "lm_eval_results"
    assert len(told.results) == 5
    assert len(told.failures) == 1
