"""Published cache figures: every case beside the project, and what its runner makes of others."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import run_cases

ROOT = Path(__file__).parents[1]
CASES = ROOT.parent / "shared" / "cases" / "truth" / "kv.jsonl"

kv = run_cases.load(run_cases.kinds()["kv"])


def test_the_cases_lie_beside_the_project():
    assert CASES.is_file(), f"the published cases are missing: no {CASES}"


def test_every_published_cache_is_reproduced():
    """Within the rounding of each; none is left out."""
    options = SimpleNamespace(only="")
    found = {name: complaints for name, complaints, _ in kv.run(CASES, options)}
    assert len(found) >= 39
    assert {name: complaints for name, complaints in found.items() if complaints} == {}


@pytest.fixture
def judged(tmp_path):
    def judge(config, conditions, kind="kv_bytes", **expected):
        told = {"id": "one", "kind": kind, "config": config, "conditions": conditions}
        told["expected"] = {"rounding_half_unit_bytes": 0, **expected}
        path = tmp_path / "cases.jsonl"
        path.write_text(json.dumps(told) + "\n", encoding="utf-8")
        ((_, complaints, said),) = kv.run(path, SimpleNamespace(only=""))
        return complaints, said

    return judge


LOG = {"arch": "llama", "n_layer": 32, "n_head": 32, "n_head_kv": 8, "n_embd_head_k": 128}
KEPT = {"engine": "llama.cpp", "n_ctx": 8192, "n_seq_max": 1, "cache_parts": [{"type": "f16"}]}


def test_a_figure_within_its_rounding_passes_and_another_fails(judged):
    assert judged(LOG, KEPT, bytes=2**30) == ([], "")
    assert judged(LOG, KEPT, bytes=2**30 + 5000, rounding_half_unit_bytes=5242) == ([], "")
    complaints, _ = judged(LOG, KEPT, bytes=2**30 + 5000)
    assert complaints == [f"{2**30} to {2**30}, expected {2**30 + 5000}"]


def test_a_decimal_reading_may_be_the_binary_one(judged):
    assert judged(LOG, KEPT, bytes=10**9, bytes_if_binary=2**30) == ([], "")


def test_types_of_keys_and_values_and_cells_are_inputs(judged):
    parts = [{"part": "K", "type": "q8_0"}, {"part": "V", "type": "q4_0"}]
    expected = 32 * 8 * 128 * 8192 * (34 + 18) // 32
    assert judged(LOG, {**KEPT, "cache_parts": parts}, bytes=expected) == ([], "")
    assert judged(LOG, {**KEPT, "cells": 640}, bytes=131_072 * 640) == ([], "")


def test_a_part_is_the_layers_that_it_names(judged):
    config = {**LOG, "n_swa": 1024, "swa_layers": {"count": 24, "n_head_kv": 4, "head_dim": 256}}
    told = {**KEPT, "part": "full-attention layers", "layers": 8, "cells": 8192}
    assert judged(config, told, bytes=8 * 2 * 8 * 128 * 2 * 8192) == ([], "")
    told = {**KEPT, "part": "sliding-window layers", "layers": 24, "cells": 1536}
    assert judged(config, told, bytes=24 * 2 * 4 * 256 * 2 * 1536) == ([], "")


def test_a_slope_is_bytes_a_token(judged):
    config = {"model_type": "llama", "num_hidden_layers": 32, "num_key_value_heads": 8}
    config |= {"hidden_size": 4096, "num_attention_heads": 32}
    told = {"engine": "vLLM", "dtype": "bfloat16", "tensor_parallel": 2}
    expected = {"bytes_per_token": 65_540.2, "bytes_per_token_half_width": 10}
    assert judged(config, told, "kv_per_token", **expected) == ([], "")
    exact = {**expected, "bytes_per_token_exact": 65_540}
    assert judged(config, told, "kv_per_token", **exact)[0] != []


@pytest.mark.parametrize(
    ("config", "conditions", "why"),
    [
        (LOG, {**KEPT, "engine": "tinyserve"}, "no rule is known for tinyserve"),
        ({}, KEPT, "the source shows no configuration"),
        ({"model_type": "strange"}, KEPT, "no family knows it"),
        (LOG, {**KEPT, "part": "draft"}, "part 'draft' is not known here"),
    ],
)
def test_what_is_not_known_is_counted_apart(judged, config, conditions, why):
    (complaint,), _ = judged(config, conditions, bytes=1)
    assert complaint.startswith(kv.NOT_COVERED)
    assert why in complaint
