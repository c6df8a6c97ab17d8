"""Jamba: the published count, and one layer of attention in eight (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only, values_a_token

from fiche.kernel.model import AttentionCache, StateCache


def test_jamba_v01_is_the_default_of_its_class():
    found = model("jamba", tie_word_embeddings=False)
    assert parameters(found) == 51_570_323_328


def test_attention_once_a_period_and_states_elsewhere():
    found = model("jamba")
    attention, state = only(found, AttentionCache), only(found, StateCache)
    assert attention.layers == (4, 12, 20, 28)
    assert exact(state.count) == 28
    assert values_a_token(found) == 4 * 8 * 2 * 128
    assert (exact(state.channels), exact(state.state)) == (8192, 8192 * 16)


def test_every_layer_is_in_one_block():
    found = model("jamba")
    assert sorted(i for block in found.blocks for i in block.layers) == list(range(32))
    used = {
        block.kind: exact(block.experts_used)
        for block in found.blocks
        if block.experts_used is not None
    }
    assert used == {"mamba": 2}, "experts stand in odd layers, attention in even ones"
