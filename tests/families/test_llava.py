"""LLaVA: published counts, and 576 tokens an image (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import part, values_a_token

LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 32064,
}
MISTRAL = {
    "model_type": "mistral",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32064,
}
TOWER = {
    "model_type": "clip_vision_model",
    "hidden_size": 1024,
    "image_size": 336,
    "intermediate_size": 4096,
    "num_attention_heads": 16,
    "num_hidden_layers": 24,
    "patch_size": 14,
}


def tokens(images):
    along = exact(images.side) // exact(images.patch)
    return along * along + images.extra


def test_llava_15_7b_with_the_tower_of_its_class():
    found = model("llava", text_config=LLAMA)
    assert parameters(found) == 7_063_427_072
    assert part(found, "vision") == 303_507_456
    assert part(found, "projector") == 1024 * 4096 + 4096 + 4096 * 4096 + 4096
    assert values_a_token(found) == 2 * 32 * 4096


def test_an_image_is_576_tokens_and_one_more_with_its_class():
    assert tokens(model("llava", text_config=LLAMA).images) == 576
    full = model("llava", text_config=LLAMA, vision_feature_select_strategy="full")
    assert tokens(full.images) == 577


def test_llava_16_mistral_7b():
    found = model("llava_next", text_config=MISTRAL, vision_config=TOWER)
    assert parameters(found) == 7_566_747_648
    # 576 of the overview, and up to four tiles' 2304 with one token more for each of 48 rows: the announced
    # 2880 of LLaVA-1.6, and the 48.
    assert (exact(found.images.least), exact(found.images.most)) == (576, 2880 + 48)


def test_onevision_shrinks_what_is_more_than_nine_tiles():
    """Ten tiles of 729 stay (10 <= 1.21 x 9); more are shrunk to nine, with a token a row as laid out."""
    tower = {**TOWER, "model_type": "siglip_vision_model", "image_size": 384}
    found = model("llava_onevision", text_config=MISTRAL, vision_config=tower).images
    assert exact(found.least) == 27 * 27
    assert exact(found.most) == 27 * 27 + 10 * 729 + 5 * 27
    few = model(
        "llava_onevision",
        text_config=MISTRAL,
        vision_config=tower,
        image_grid_pinpoints=[[384, 384], [384, 768]],
    ).images
    assert exact(few.most) == 27 * 27 + 2 * 729 + 27


def test_a_pixtral_tower_makes_rows():
    pixtral = {**TOWER, "model_type": "pixtral", "image_size": 1024, "patch_size": 16}
    images = model("llava", text_config=LLAMA, vision_config=pixtral).images
    assert (images.kind, exact(images.patch), exact(images.side)) == ("rows", 16, 1024)


def test_vipllava_has_a_token_a_patch():
    assert tokens(model("vipllava", text_config=LLAMA, vision_config=TOWER).images) == 576


def test_a_language_part_that_is_not_known_keeps_the_whole_open():
    found = model("llava", text_config={"model_type": "brand-new"})
    assert found.open
    assert found.caches == ()
