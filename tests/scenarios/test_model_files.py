"""A model's own files in a fiche: what its dimensions compute may exclude, a typed count may not (B5, D4)."""

import json

import pytest
from loading import loaded

from fiche.cli.compile import doors
from fiche.evaluate.decide import decide
from fiche.kernel.diagnostic import Refused

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
FICHE = """\
fiche: 1
title: A model by its files
date: 2026-11-29
author: A. Martin
workload:
  model: {name: meta-llama/Llama-3.1-8B, revision: d04e592b, %s}
  operation: generation
  engine: {name: vllm, version: 0.28.0, settings: {max_num_batched_tokens: 4096}}
  formats: {storage: bf16, loaded: bf16, compute: bf16, cache: bf16}
  placement: {devices: 1, resident: all}
  cases:
    - {id: limit, role: limit, prompt_tokens: 7900, new_tokens: 292, resident_sequences: 4}
candidates:
  - {id: small, gpu: nvidia-rtx-4070-12g, cards: 1}
  - {id: big, gpu: nvidia-rtx-4090-24g, cards: 1}
  - {id: fp8, baseline: big, change: {formats.cache: fp8_e4m3}}
  - id: pair
    gpu: nvidia-rtx-4070-12g
    cards: 2
    placement: {devices: 2, resident: all, tensor_parallel: 2}
"""


def decided(named="config: model/config.json", config=None, **files):
    content = {"model/config.json": json.dumps(config or CONFIG), **files}
    text = FICHE % named
    return decide(loaded(text, files=content).fiche, doors(), "0")


def told(decision):
    return {
        found.candidate: (found.verdict.code, None if found.need is None else found.need.low)
        for found in decision.findings
        if found.kind == "memory"
    }


def test_a_configuration_excludes_what_cannot_hold_its_weights_and_cache():
    """16 060 522 496 bytes of weights, and 4 x 8192 tokens of 131 072 bytes in pages of 16."""
    found = told(decided())
    floor = 16_060_522_496 + 4 * 8192 * 131_072
    assert found["small"] == ("exclude", floor)
    assert found["big"] == ("to_confirm", floor)
    assert found["fp8"] == ("to_confirm", floor - 4 * 8192 * 131_072 // 2)


def test_two_devices_hold_half_each_and_the_norms_whole():
    """D4: never the sum against the sum; 65 norms of 4096 values are on both."""
    found = told(decided())
    norms = 65 * 4096 * 2
    half = (16_060_522_496 - norms) // 2 + norms + 4 * 8192 * 131_072 // 2
    assert found["pair"] == ("to_confirm", half)


def test_a_count_that_somebody_typed_excludes_only_if_it_holds():
    counts = "parameters: 8030261248, layers: 32, kv_heads: 8, head_dim: 128"
    assert told(decided(counts))["small"][0] == "to_confirm"


def test_the_tensors_of_a_checkpoint_exclude_as_well():
    tensors = {
        "fiche_model": 1,
        "format": "safetensors",
        "source": "",
        "files": [
            {
                "name": "m.safetensors",
                "num_bytes": 16 * 10**9,
                "header_bytes": 8,
                "sha256": "0" * 64,
            }
        ],
        "metadata": {},
        "doubts": [],
        "groups": [
            {
                "name": "model.layers.*.w",
                "dtype": "BF16",
                "shape": [4096, 1024],
                "count": 1900,
                "num_bytes": 4096 * 1024 * 2,
                "layers": [[0, 0]],
            }
        ],
    }
    found = decided("tensors: model/tensors.json", **{"model/tensors.json": json.dumps(tensors)})
    weights = found.figures["weights"]
    assert (weights.low, weights.high) == (1900 * 4096 * 1024 * 2,) * 2
    assert told(found)["small"][0] == "exclude"
    assert any("config.json" in c.text for f in found.findings for c in f.conditions) or (
        found.figures["limit.kv_cache"].high is None
    )


def test_an_unknown_type_opens_everything_and_excludes_nothing():
    found = decided(config={**CONFIG, "model_type": "next_year"})
    assert {verdict for verdict, _ in told(found).values()} == {"to_confirm"}
    assert found.figures["weights"].high is None
    assert found.figures["limit.kv_cache"].high is None


@pytest.mark.parametrize(
    ("content", "code"),
    [("{", "F8"), ('{"model_type": "llama", "model_type": "x"}', "F8"), ("[]", "F8"), ("", "F8")],
)
def test_a_broken_configuration_is_refused_where_the_fiche_names_it(content, code):
    with pytest.raises(Refused) as refused:
        loaded(FICHE % "config: model/config.json", files={"model/config.json": content})
    (found,) = refused.value.diagnostics
    assert found.code.startswith(code)
    assert (found.address.file, found.address.line) == ("fiche.yaml", 6)


def test_a_missing_file_is_refused_too():
    with pytest.raises(Refused) as refused:
        loaded(FICHE % "config: model/other.json")
    assert [found.code for found in refused.value.diagnostics] == ["F318"]


def test_the_files_go_in_with_their_digests():
    """E4: whoever compiles the same again needs them."""
    content = {"model/config.json": json.dumps(CONFIG)}
    found = loaded(FICHE % "config: model/config.json", files=content)
    assert found.contents["model/config.json"] == content["model/config.json"].encode()
    assert [one.role for one in found.fiche.inputs if one.file == "model/config.json"] == ["model"]
