"""OLMo Hybrid by hand: widths that follow from the heads, norms by kind of layer (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache

SMALL = {
    "hidden_size": 16,
    "vocab_size": 37,
    "intermediate_size": 22,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}


def test_a_small_one_by_hand():
    key, value = 4 * 3, 4 * 6  # three quarters of 16 over 4 heads, and twice that
    delta = (
        2 * key * 16
        + 2 * value * 16
        + 2 * 4 * 16
        + 16 * value
        + (2 * key + value) * 4
        + 2 * 4
        + 6
        + 16
    )
    attention = 2 * 16 * 16 + 2 * 8 * 16 + 16 + 8 + 16
    everywhere = 3 * 22 * 16 + 16
    assert (
        parameters(model("olmo_hybrid", **SMALL))
        == 2 * 37 * 16 + 16 + 3 * delta + attention + 4 * everywhere
    )


def test_the_last_layer_attends():
    found = model("olmo_hybrid", **SMALL)
    assert only(found, AttentionCache).layers == (3,)
    assert exact(only(found, StateCache).state) == 4 * 3 * 6
