"""Encoders of images with decoders: what both halves hold, and what the decoder reads (A1, B5)."""

from families.decoders import exact, model, parameters

VIT = {"model_type": "vit", "hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536}
TROCR = {
    "model_type": "trocr",
    "d_model": 256,
    "cross_attention_hidden_size": 384,
    "decoder_ffn_dim": 1024,
    "decoder_layers": 6,
    "decoder_attention_heads": 8,
    "vocab_size": 64044,
    "max_position_embeddings": 512,
}


def test_both_halves_and_nothing_between():
    found = model("vision-encoder-decoder", encoder=VIT, decoder=TROCR)
    assert found.open == ()
    assert parameters(found) == parameters(model(**VIT)) + parameters(model(**TROCR))


def test_a_decoder_that_reads_its_own_width_gets_a_projection():
    narrow = {key: value for key, value in TROCR.items() if key != "cross_attention_hidden_size"}
    found = model("vision-encoder-decoder", encoder=VIT, decoder=narrow)
    (between,) = [each for each in found.parameters if each.name == "enc_to_dec_proj.weight"]
    assert [exact(side) for side in between.shape] == [256, 384]


def test_a_decoder_whose_crossing_is_not_read_stays_open():
    found = model("vision-encoder-decoder", encoder=VIT, decoder={"model_type": "gpt2"})
    assert any("cross-attention" in point.text for point in found.open)


def test_a_half_left_out_is_asked_for():
    assert model("vision-encoder-decoder", encoder=VIT).open
