"""MPNet: a published count (A1, C1)."""

from families.decoders import model, parameters


def test_all_mpnet_base_v2():
    found = model(
        "mpnet",
        architectures=["MPNetModel"],
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
        intermediate_size=3072,
        vocab_size=30527,
        max_position_embeddings=514,
    )
    assert parameters(found) == 109_486_464
