"""Gemma 3 and PaliGemma with images: published counts, 256 tokens an image (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import values_a_token

TOWER = {
    "model_type": "siglip_vision_model",
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "image_size": 896,
    "patch_size": 14,
    "vision_use_head": False,
}


def gemma3(hidden, inner, layers, heads, kv, head):
    text = {
        "model_type": "gemma3_text",
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "head_dim": head,
        "vocab_size": 262208,
        "sliding_window": 1024,
    }
    return model("gemma3", text_config=text, vision_config=TOWER, mm_tokens_per_image=256)


def test_published_counts():
    four = gemma3(2560, 10240, 34, 8, 4, 256)
    assert parameters(four) == 4_300_079_472
    assert parameters(gemma3(3840, 15360, 48, 16, 8, 256)) == 12_187_325_040
    assert parameters(gemma3(5376, 21504, 62, 32, 16, 128)) == 27_432_406_640
    assert (four.images.kind, exact(four.images.tokens)) == ("fixed", 256)


def test_one_layer_in_six_sees_all():
    found = gemma3(2560, 10240, 34, 8, 4, 256)
    assert values_a_token(found) * 2 == 5 * 4096


def test_paligemma_3b():
    text = {
        "model_type": "gemma",
        "hidden_size": 2048,
        "intermediate_size": 16384,
        "num_hidden_layers": 18,
        "num_attention_heads": 8,
        "num_key_value_heads": 1,
        "vocab_size": 257216,
    }
    tower = {**TOWER, "image_size": 224}
    found = model("paligemma", text_config=text, vision_config=tower, projection_dim=2048)
    assert parameters(found) == 2_923_466_480
