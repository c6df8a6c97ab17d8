"""Nomic BERT: a published count, no pooler (A1, C1)."""

from families.decoders import model, parameters


def test_embed_text_v1():
    found = model(
        "nomic_bert",
        architectures=["NomicBertModel"],
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
        intermediate_size=3072,
        vocab_size=30528,
        type_vocab_size=2,
    )
    assert parameters(found) == 136_731_648


def test_gte_has_biases_where_nomic_has_none():
    small = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 22,
    }
    plain = parameters(
        model(
            "nomic_bert",
            architectures=["NomicBertModel"],
            vocab_size=37,
            type_vocab_size=1,
            **small,
        )
    )
    biased = parameters(
        model("gte", architectures=["GteModel"], vocab_size=37, type_vocab_size=1, **small)
    )
    assert biased - plain == 2 * 5 * 16
