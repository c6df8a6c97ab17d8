"""ESM-2 by hand, its frequencies as a buffer (A1, C1)."""

from families.decoders import model, parameters

SMALL = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 22,
    "vocab_size": 33,
    "max_position_embeddings": 31,
}


def test_rotary_positions_are_no_parameters():
    found = model("esm", architectures=["EsmModel"], position_embedding_type="rotary", **SMALL)
    layer = 4 * (16 * 16 + 16) + 2 * 32 + 22 * 16 + 22 + 16 * 22 + 16
    contacts = 2 * 4 + 1
    pooler = 16 * 16 + 16
    assert parameters(found) == 33 * 16 + 2 * layer + 32 + contacts + pooler
    assert parameters(found, buffers=True) - parameters(found) == 2


def test_a_folding_model_is_asked_for():
    found = model("esm", architectures=["EsmModel"], is_folding_model=True, **SMALL)
    assert "folding" in found.open[0].text
