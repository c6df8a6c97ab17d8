"""Bamba and Granite 4 hybrids: a published count, states and attention by list (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

GRANITE = {
    "hidden_size": 4096,
    "intermediate_size": 768,
    "num_hidden_layers": 40,
    "mamba_d_conv": 4,
    "mamba_d_head": 64,
    "mamba_d_state": 128,
    "mamba_expand": 2,
    "mamba_n_groups": 1,
    "mamba_n_heads": 128,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_local_experts": 72,
    "shared_intermediate_size": 1536,
    "tie_word_embeddings": True,
    "vocab_size": 100352,
}
KINDS = ["attention" if i in (5, 15, 25, 35) else "mamba" for i in range(40)]


def test_granite_4_small():
    found = model("granitemoehybrid", layer_types=KINDS, **GRANITE)
    assert parameters(found) == 32_207_337_984
    assert only(found, AttentionCache).layers == (5, 15, 25, 35)
    assert exact(only(found, StateCache).count) == 36
    assert exact(only(found, StateCache).channels) == 8192 + 2 * 128


def test_without_experts_the_shared_part_alone_is_left():
    dense = model("granitemoehybrid", layer_types=KINDS, **{**GRANITE, "num_local_experts": 0})
    assert not [each for each in dense.parameters if each.role in ("expert", "router")]


def test_a_kind_of_layer_that_is_not_known_is_asked_for():
    kinds = ["attention", "hyena"] * 20
    found = model("granitemoehybrid", layer_types=kinds, **GRANITE)
    assert found.caches == ()
    assert "hyena" in found.open[0].text


def test_bamba_attends_where_it_says():
    found = model("bamba", num_hidden_layers=4, attn_layer_indices=[2])
    assert only(found, AttentionCache).layers == (2,)
    assert only(found, StateCache).layers == (0, 1, 3)
