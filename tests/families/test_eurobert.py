"""EuroBERT: a published count (A1, C1)."""

from families.decoders import model, parameters


def test_210m():
    found = model(
        "eurobert",
        architectures=["EuroBertModel"],
        hidden_size=768,
        intermediate_size=3072,
        num_hidden_layers=12,
        num_attention_heads=12,
        num_key_value_heads=12,
        vocab_size=128256,
    )
    layer = 4 * 768 * 768 + 3 * 768 * 3072 + 2 * 768
    assert parameters(found) == 128256 * 768 + 12 * layer + 768
    assert found.caches == ()
