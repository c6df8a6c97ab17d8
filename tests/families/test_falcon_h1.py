"""Falcon-H1: a published count, and both caches in every layer (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

HALF = {
    "hidden_size": 1024,
    "intermediate_size": 2048,
    "num_hidden_layers": 36,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "mamba_d_ssm": 1536,
    "mamba_n_heads": 24,
    "mamba_d_head": 64,
    "mamba_d_state": 128,
    "mamba_n_groups": 1,
    "vocab_size": 32784,
}


def test_half_a_billion():
    assert parameters(model("falcon_h1", **HALF)) == 521_411_104


def test_every_layer_keeps_both():
    found = model("falcon_h1", **HALF)
    attention, state = only(found, AttentionCache), only(found, StateCache)
    assert attention.layers == state.layers == tuple(range(36))
    assert exact(state.channels) == 1536 + 2 * 128
