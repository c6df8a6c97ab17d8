"""BART and its relatives: published counts, caches of decoder layers (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import cross_values, only, values_a_token

from fiche.kernel.model import CrossCache


def seq2seq(model_type, kind, **more):
    return model(model_type, architectures=[kind], **more)


def test_published_counts():
    large = seq2seq("bart", "BartForConditionalGeneration", vocab_size=50265)
    assert parameters(large) == 406_291_456
    fifty = seq2seq("mbart", "MBartForConditionalGeneration", vocab_size=250054)
    assert parameters(fifty) == 610_879_488
    nllb = seq2seq("m2m_100", "M2M100ForConditionalGeneration", vocab_size=256206)
    assert parameters(nllb) == 615_073_792
    pegasus = seq2seq(
        "pegasus",
        "PegasusForConditionalGeneration",
        vocab_size=96103,
        encoder_layers=16,
        decoder_layers=16,
        max_position_embeddings=1024,
    )
    assert parameters(pegasus) == 570_797_056


def test_a_bias_of_logits_is_a_buffer():
    found = seq2seq("bart", "BartForConditionalGeneration", vocab_size=50265)
    assert parameters(found, buffers=True) - parameters(found) == 50265


def test_caches_of_decoder_layers_only():
    found = seq2seq("bart", "BartForConditionalGeneration", encoder_layers=12, decoder_layers=3)
    assert only(found, CrossCache).layers == (0, 1, 2)
    assert values_a_token(found) == cross_values(found) == 2 * 3 * 1024


def test_a_vocabulary_apart_is_asked_for():
    assert seq2seq("marian", "MarianMTModel", share_encoder_decoder_embeddings=False).open
