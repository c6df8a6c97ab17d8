"""Zamba 2: shared weights once a block, caches in every hybrid layer (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 7,
    "vocab_size": 37,
    "intermediate_size": 22,
    "num_attention_heads": 4,
    "mamba_d_state": 5,
    "n_mamba_heads": 4,
    "adapter_rank": 3,
    "layers_block_type": ["mamba", "mamba", "hybrid", "mamba", "hybrid", "mamba", "hybrid"],
}


def test_a_second_block_adds_its_weights_and_no_cache():
    one, two = model("zamba2", **SMALL), model("zamba2", **SMALL, num_mem_blocks=2)
    wide = 32
    attention = 3 * wide * wide + 16 * wide
    feed_forward = 3 * 22 * 16
    assert parameters(two) - parameters(one) == attention + feed_forward + wide + 16
    assert only(one, AttentionCache).layers == only(two, AttentionCache).layers == (2, 4, 6)


def test_attention_is_twice_as_wide_as_the_model():
    cache = only(model("zamba2", **SMALL), AttentionCache)
    assert exact(cache.kv_heads) * exact(cache.key_dim) == 32


def test_every_layer_keeps_a_state():
    assert only(model("zamba2", **SMALL), StateCache).layers == tuple(range(7))


def test_hybrid_layers_that_nothing_places_are_asked_for():
    told = {key: value for key, value in SMALL.items() if key != "layers_block_type"}
    assert model("zamba2", **told).open
