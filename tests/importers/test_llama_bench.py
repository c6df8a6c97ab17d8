"""llama-bench: tokens per second of one loop, as JSON, JSON Lines, CSV and Markdown (C13, D8)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers._detect import read as detect
from fiche.importers.llama_bench import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
TEST = (
    '"build_commit": "1a2b3c4d", "build_number": 6700, "cpu_info": "AMD", '
    '"gpu_info": "NVIDIA GeForce RTX 4090", "backends": "CUDA", "model_filename": "m.gguf", '
    '"model_type": "llama 8B Q4_K - Medium", "n_batch": 2048, "type_k": "f16", "type_v": "f16", '
    '"n_gpu_layers": 99, "flash_attn": 1, "n_prompt": {0}, "n_gen": {1}, "n_depth": {2}, '
    '"test_time": "2026-11-03T10:15:00Z", "avg_ns": 1, "stddev_ns": 1, "avg_ts": {3}, '
    '"stddev_ts": 12.500000, "samples_ns": [ 1 ], "samples_ts": [ 1 ]'
)


def one(before, after, depth, rate):
    text = TEST
    for place, value in enumerate((before, after, depth, rate)):
        text = text.replace(f"{{{place}}}", str(value))
    return "{" + text + "}"


BOTH = (one(512, 0, 0, "5100.120000"), one(0, 128, 4096, "135.500000"))
JSON = "[\n  " + ",\n  ".join(BOTH) + "\n]\n"
CSV = (
    "build_commit,build_number,gpu_info,model_type,n_prompt,n_gen,n_depth,test_time,avg_ts,stddev_ts\n"
    '"1a2b3c4d","6700","NVIDIA GeForce RTX 4090","llama 8B Q4_K - Medium","512","0","0",'
    '"2026-11-03T10:15:00Z","5100.120000","12.500000"\n'
)
MARKDOWN = """ggml_cuda_init: found 1 CUDA devices:
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |           pp512 |      5100.12 ± 12.50 |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |   tg128 @ d4096 |        135.50 ± 0.21 |
| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |          pp 512 |      5100.12 ± 12.50 |

build: 1a2b3c4d (6700)
"""  # noqa: E501


def read(text):
    return detect(text.encode(), DIGEST)


@pytest.mark.parametrize("text", [JSON, "\n".join(BOTH)])
def test_json_and_json_lines_have_six_decimals(text):
    told = read(text)
    assert told.kind == "llama_bench"
    first, second = told.results
    assert (first.label, first.metric, first.stat) == ("pp512", "prompt_throughput", "mean")
    assert (first.low, first.high) == (Fraction("5100.1199995"), Fraction("5100.1200005"))
    assert (second.label, second.metric) == ("tg128 @ d4096", "generation_throughput")
    assert first.marks == {"model": "llama 8B Q4_K - Medium", "std": "12.500000"}
    facts = {path: fact.value for path, fact in told.facts.items()}
    assert facts["engine.name"] == "llama.cpp"
    assert facts["engine.version"] == told.version == "b6700"
    assert facts["device"] == "NVIDIA GeForce RTX 4090"
    assert facts["formats.cache_key"] == "f16"
    assert facts["measured_on"] == "2026-11-03"


def test_csv():
    told = read(CSV)
    (only,) = told.results
    assert (told.shape, only.pointer.line, only.low) == ("csv", 2, Fraction("5100.1199995"))


def test_a_table_has_two_decimals_in_both_spellings():
    told = read(MARKDOWN)
    assert [r.label for r in told.results] == ["pp512", "tg128 @ d4096", "pp512"]
    assert (told.results[0].low, told.results[0].pointer.line) == (Fraction("5100.115"), 4)
    assert told.version == "b6700"


def test_a_heading_whose_columns_run_together_still_names_its_rates():
    """Damage ate the bar behind `backend`: no column has that name, and the rates are as before."""
    told = read(MARKDOWN.replace("| backend    | ngl |", "| backend     ngl |", 1))
    assert [r.label for r in told.results] == ["pp512", "tg128 @ d4096", "pp512"]
    assert not any("backend" in r.marks for r in told.results)


@pytest.mark.parametrize(
    ("text", "code"),
    [(JSON[:-40], "F428"), (CSV[:-30], "F429"), ("[3]", "F429"), ("[]", "F424"), ("x", "F424")],
)
def test_what_is_broken_is_refused(text, code):
    with pytest.raises(Refused) as refused:
        MEMBER.read(text.encode(), DIGEST)
    assert refused.value.diagnostics[0].code == code


@given(st.data())
def test_no_damage_ends_in_anything_but_a_reading_or_a_refusal(data):
    text = data.draw(st.sampled_from([JSON, CSV, MARKDOWN])).encode()
    place = data.draw(st.integers(0, len(text)))
    cut = text[:place] + data.draw(st.binary(max_size=6)) + text[place + 3 :]
    MEMBER.accepts(cut, "")
    try:
        MEMBER.read(cut, DIGEST)
    except Refused:
        return
