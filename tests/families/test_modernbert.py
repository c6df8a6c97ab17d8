"""ModernBERT: published counts, one norm fewer in the first layer (A1, C1)."""

from families.decoders import model, parameters

BASE = {"vocab_size": 50368, "hidden_size": 768, "intermediate_size": 1152, "num_hidden_layers": 22}


def modernbert(kind, **more):
    return model("modernbert", architectures=[kind], **BASE, **more)


def test_base():
    assert parameters(modernbert("ModernBertModel")) == 149_014_272
    assert parameters(modernbert("ModernBertForMaskedLM")) == 149_655_232


def test_biases_of_norms_are_a_key():
    assert parameters(modernbert("ModernBertModel", norm_bias=True)) - 149_014_272 == 768 * (
        22 + 21 + 2
    )
