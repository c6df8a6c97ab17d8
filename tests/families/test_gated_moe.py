"""Decoders with experts whose heads differ by kind of layer, and whose attention is gated."""

from families.decoders import exact, model, parameters, reaches


def test_sliding_layers_of_mimo_have_twice_the_heads():
    found = model("mimo_v2_flash", num_hidden_layers=6)
    heads = {cache.reach: exact(cache.kv_heads) for cache in found.caches}
    assert heads == {"full": 4, "sliding": 8}
    assert reaches(found) == [("full", None), *[("sliding", 129)] * 4, ("full", None)]
    assert [exact(found.caches[0].key_dim), exact(found.caches[0].value_dim)] == [192, 128]


def test_sinks_stand_in_sliding_layers_only():
    sinks = [g for g in model("mimo_v2_flash", num_hidden_layers=6).parameters if "sinks" in g.name]
    assert [exact(group.copies) for group in sinks] == [4]


def test_laguna_lists_the_query_heads_of_each_layer():
    listed = [4, 8, 8, 4]
    found = model("laguna", num_hidden_layers=4, num_attention_heads_per_layer=listed)
    heads = {block.layers: exact(block.heads) for block in found.blocks}
    assert heads == {(0,): 4, (3,): 4, (1, 2): 8}
    assert found.blocks[0].heads.origin.address.path == "/num_attention_heads_per_layer/0"


def test_a_list_of_another_length_stays_open():
    found = model("laguna", num_hidden_layers=3, num_attention_heads_per_layer=[4, 8])
    assert "query heads" in found.open[0].text


def test_a_gate_is_as_wide_as_the_queries():
    """AFMoE by hand: two layers, the first dense."""
    found = model(
        "afmoe",
        vocab_size=10,
        hidden_size=8,
        intermediate_size=20,
        moe_intermediate_size=5,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=6,
        num_experts=4,
        num_shared_experts=1,
    )
    attention = 3 * 12 * 8 + 2 * 6 * 8 + 2 * 6
    sparse = 4 * 3 * 5 * 8 + 4 * 8 + 3 * 5 * 8
    assert parameters(found) == 2 * 80 + 8 + 2 * (attention + 4 * 8) + 3 * 20 * 8 + sparse
