"""ALBERT: the published count of one shared layer, read by twelve (A1, C1)."""

from families.decoders import exact, model, parameters

BASE = {
    "hidden_size": 768,
    "embedding_size": 128,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}


def test_base_v2():
    found = model(
        "albert", architectures=["AlbertModel"], num_hidden_layers=12, vocab_size=30000, **BASE
    )
    assert parameters(found) == 11_683_584
    assert exact(found.blocks[0].count) == 12


def test_more_layers_cost_no_more_weights():
    few = model("albert", architectures=["AlbertModel"], num_hidden_layers=2, **BASE)
    many = model("albert", architectures=["AlbertModel"], num_hidden_layers=24, **BASE)
    assert parameters(few) == parameters(many)
