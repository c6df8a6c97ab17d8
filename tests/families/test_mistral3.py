"""Mistral 3: a published count, and doubt where nothing says whether the head is tied (A1, C1)."""

from families.decoders import model, parameters

TEXT = {
    "model_type": "mistral",
    "hidden_size": 5120,
    "intermediate_size": 32768,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 131072,
}
TOWER = {
    "model_type": "pixtral",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 1540,
    "patch_size": 14,
}


def small(**more):
    return model("mistral3", text_config=TEXT, vision_config=TOWER, spatial_merge_size=2, **more)


def test_small_31_24b():
    assert parameters(small(tie_word_embeddings=False)) == 24_011_361_280


def test_a_head_that_nothing_tells_of_is_an_interval():
    found = small()
    assert found.tied is None
    (head,) = [each for each in found.parameters if each.role == "head"]
    assert (head.copies.low, head.copies.high) == (0, 1)
