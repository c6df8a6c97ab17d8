"""Mamba 2 by hand, and its state by heads (A1, C1)."""

from families.decoders import exact, model, parameters

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "vocab_size": 37,
    "state_size": 5,
    "num_heads": 4,
    "head_dim": 8,
    "n_groups": 2,
}


def test_a_small_one_by_hand():
    found = model("mamba2", **SMALL)
    inner, channels = 32, 32 + 2 * 2 * 5
    mixer = 16 * (inner + channels + 4) + channels * 4 + channels + 3 * 4 + inner + 16 * inner
    assert parameters(found) == 2 * 37 * 16 + 3 * (mixer + 16) + 16


def test_the_state_is_heads_by_width_by_state():
    (cache,) = model("mamba2", **SMALL).caches
    assert (exact(cache.channels), exact(cache.state)) == (52, 4 * 8 * 5)


def test_a_tied_head_is_not_counted_twice():
    tied = model("mamba2", **SMALL, tie_word_embeddings=True)
    assert parameters(model("mamba2", **SMALL)) - parameters(tied) == 37 * 16
