"""T5: published counts, heads whose width is not that of the model, cross caches (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import cross_values, only, values_a_token

from fiche.kernel.model import CrossCache

GENERATION = ["T5ForConditionalGeneration"]
LARGE = {
    "d_model": 1024,
    "d_ff": 2816,
    "num_layers": 24,
    "num_heads": 16,
    "feed_forward_proj": "gated-gelu",
}


def t5(**more):
    return model("t5", architectures=GENERATION, **more)


def test_published_counts():
    assert parameters(t5()) == 60_506_624  # t5-small is the default of the class
    assert parameters(t5(d_model=768, d_ff=3072, num_layers=12, num_heads=12)) == 222_903_552
    assert parameters(t5(tie_word_embeddings=False, **LARGE)) == 783_150_080  # flan-t5-large


def test_an_untied_head_is_one_table_more():
    assert (
        parameters(t5(tie_word_embeddings=False, **LARGE)) - parameters(t5(**LARGE)) == 32128 * 1024
    )


def test_caches_are_as_wide_as_the_heads():
    found = t5(d_model=512, num_heads=6, d_kv=64, num_layers=8, num_decoder_layers=3)
    assert values_a_token(found) == cross_values(found) == 2 * 3 * 6 * 64
    assert only(found, CrossCache).tokens is None, "the encoder's length is that of the request"


def test_a_decoder_that_is_untold_is_as_deep_as_the_encoder():
    assert exact(only(t5(num_layers=5), CrossCache).count) == 5


def test_an_encoder_alone_keeps_nothing():
    found = model("t5", architectures=["T5EncoderModel"])
    assert found.caches == ()
    assert not [each for each in found.parameters if each.name.startswith("decoder.")]


def test_attention_that_is_not_known_is_asked_for():
    found = model(
        "longt5", architectures=["LongT5ForConditionalGeneration"], encoder_attention_type="spiral"
    )
    assert found.open
