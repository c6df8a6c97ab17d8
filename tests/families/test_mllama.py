"""Llama 3.2 Vision: a published count, and a cross cache of four tiles (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only, values_a_token

from fiche.kernel.model import AttentionCache, CrossCache

TEXT = {
    "model_type": "mllama_text_model",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38],
}
TOWER = {
    "image_size": 560,
    "patch_size": 14,
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_global_layers": 8,
    "attention_heads": 16,
    "vision_output_dim": 7680,
    "max_num_tiles": 4,
}


def test_11b():
    assert parameters(model("mllama", text_config=TEXT, vision_config=TOWER)) == 10_670_220_835


def test_layers_that_read_the_image_keep_its_tiles_and_no_tokens():
    found = model("mllama", text_config=TEXT, vision_config=TOWER)
    own, cross = only(found, AttentionCache), only(found, CrossCache)
    assert cross.layers == (3, 8, 13, 18, 23, 28, 33, 38)
    assert exact(cross.tokens) == 4 * 1601
    assert (exact(own.count), values_a_token(found)) == (32, 32 * 2 * 1024)


def test_layers_that_nothing_places_are_asked_for():
    assert model("mllama_text_model", cross_attention_layers=None).open
