"""LFM2: published counts, a feed-forward that is adjusted, a convolution as state (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

FULL = [2, 5, 8, 10, 12, 14]


def dense(**more):
    return model(
        "lfm2",
        num_hidden_layers=16,
        num_key_value_heads=8,
        full_attn_idxs=FULL,
        vocab_size=65536,
        **more,
    )


def test_published_counts():
    # block_ff_dim: two thirds of it, rounded up to a multiple of 256.
    assert (
        parameters(dense(hidden_size=2048, num_attention_heads=32, block_ff_dim=12288))
        == 1_170_340_608
    )
    assert (
        parameters(dense(hidden_size=1024, num_attention_heads=16, block_ff_dim=6656))
        == 354_483_968
    )


def test_8b_with_experts():
    kinds = ["full_attention" if i in (2, 6, 10, 14, 18, 21) else "conv" for i in range(24)]
    found = model(
        "lfm2_moe",
        hidden_size=2048,
        num_hidden_layers=24,
        num_attention_heads=32,
        num_key_value_heads=8,
        intermediate_size=7168,
        moe_intermediate_size=1792,
        num_experts=32,
        num_dense_layers=2,
        layer_types=kinds,
    )
    assert parameters(found) == 8_339_929_856
    assert parameters(found, buffers=True) == 8_339_929_856 + 22 * 32


def test_a_convolution_keeps_its_columns_and_nothing_else():
    found = dense(hidden_size=2048, num_attention_heads=32)
    state = only(found, StateCache)
    assert (exact(state.channels), exact(state.kernel), exact(state.state)) == (2048, 3, 0)
    assert only(found, AttentionCache).layers == tuple(FULL)
