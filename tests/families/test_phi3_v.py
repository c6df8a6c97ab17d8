"""Phi-3 Vision: the published count, and what an image costs (A1, A2)."""

import pytest
from families.decoders import exact, model, parameters
from families.hybrids import part

FILE = {
    "architectures": ["Phi3VForCausalLM"],
    "vocab_size": 32064,
    "hidden_size": 3072,
    "intermediate_size": 8192,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "sliding_window": 262144,
    "tie_word_embeddings": False,
    "img_processor": {"model_name": "openai/clip-vit-large-patch14-336"},
}


def test_phi_35_vision():
    """Weights of microsoft/Phi-3.5-vision-instruct: 4,146,621,440."""
    found = model("phi3_v", **FILE)
    assert found.open == ()
    assert parameters(found) == 4_146_621_440
    assert part(found, "vision") == 303_507_456
    assert exact(found.caches[0].kv_heads) == 32


def test_an_image_of_one_crop_and_of_sixteen():
    """2509 at 4 x 4 crops, as announced for Phi-3 Vision, lies between the ends."""
    images = model("phi3_v", **FILE).images
    assert exact(images.least) == 313
    assert exact(images.least) < 2509 <= exact(images.most) == 2653


def test_another_tower_is_asked_for():
    assert model("phi3_v", **{**FILE, "img_processor": {"model_name": "other"}}).open
    assert model("phi3_v", **{**FILE, "img_processor": 3}).open


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers"])
def test_a_key_left_out_is_asked_for(key):
    assert model("phi3_v", **{name: value for name, value in FILE.items() if name != key}).open
