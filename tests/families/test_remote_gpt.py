"""Decoders of GPT's kind from code beside their files: published counts (A1)."""

import pytest
from families.decoders import exact, model, parameters

JAIS = {
    "vocab_size": 100,
    "n_embd": 64,
    "n_head": 4,
    "n_layer": 3,
    "n_inner": 90,
    "position_embedding_type": "alibi",
    "activation_function": "swiglu",
    "tie_word_embeddings": True,
}
FILES = {
    "phi-msft": {
        "vocab_size": 51200,
        "n_embd": 2560,
        "n_head": 32,
        "n_layer": 32,
        "n_inner": None,
        "n_head_kv": None,
    },
    "phi3small": {
        "vocab_size": 100352,
        "hidden_size": 4096,
        "ff_intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "RefinedWebModel": {
        "vocab_size": 65024,
        "hidden_size": 4544,
        "n_layer": 32,
        "n_head": 71,
        "multi_query": True,
        "parallel_attn": True,
        "bias": False,
    },
    "RefinedWeb": {
        "vocab_size": 65024,
        "hidden_size": 8192,
        "n_layer": 60,
        "n_head": 128,
        "n_head_kv": 8,
        "bias": False,
    },
}


@pytest.mark.parametrize(
    ("model_type", "published", "kv_heads"),
    # Weights of microsoft/phi-2, Phi-3-small-8k-instruct, tiiuae/falcon-7b and falcon-40b, head shared.
    [
        ("phi-msft", 2_779_683_840, 32),
        ("phi3small", 7_392_272_384, 8),
        ("RefinedWebModel", 6_921_720_704, 1),
        ("RefinedWeb", 41_303_293_952, 8),
    ],
)
def test_parameters_are_those_published(model_type, published, kv_heads):
    found = model(model_type, **FILES[model_type])
    assert found.open == ()
    assert parameters(found) == published
    assert exact(found.caches[0].kv_heads) == kv_heads


@pytest.mark.parametrize(
    ("old", "new", "renamed"),
    [
        ("RefinedWebModel", "falcon", {}),
        ("RefinedWeb", "falcon", {"new_decoder_architecture": True, "num_kv_heads": 8}),
    ],
)
def test_falcon_by_its_first_name_has_the_tensors_of_today(old, new, renamed):
    file = FILES[old]
    today = {**file, **renamed, "num_hidden_layers": file["n_layer"]}
    today |= {"num_attention_heads": file["n_head"], "tie_word_embeddings": True}
    first, later = model(old, **file), model(new, **today)
    assert {group.name for group in first.parameters} == {group.name for group in later.parameters}
    assert parameters(first) == parameters(later)


def test_jais_by_hand():
    layer = 64 * 192 + 192 + 64 * 64 + 64 + 3 * 64 * 90 + 2 * 90 + 64 + 4 * 64
    found = model("jais", **JAIS)
    assert found.open == ()
    assert parameters(found) == 100 * 64 + 2 * 64 + 3 * layer
    assert model("jais", **{**JAIS, "activation_function": "gelu"}).open


def test_experts_beside_the_code_of_phi_2_stay_open():
    assert model("phi-msft", num_local_experts=4, **FILES["phi-msft"]).open
