"""InternVL by its own code: published counts, and 256 tokens a tile (A1, B5)."""

from fractions import Fraction

import pytest
from families.decoders import exact, model, parameters
from families.hybrids import part

VISION = {
    "model_type": "intern_vit_6b",
    "hidden_size": 1024,
    "image_size": 448,
    "intermediate_size": 4096,
    "num_attention_heads": 16,
    "num_hidden_layers": 24,
    "num_channels": 3,
    "patch_size": 14,
    "qkv_bias": True,
    "qk_normalization": False,
    "norm_type": "layer_norm",
}
INTERNLM = {
    "model_type": "internlm2",
    "architectures": ["InternLM2ForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "vocab_size": 92553,
    "bias": False,
    "tie_word_embeddings": False,
}
FILE = {
    "vision_config": VISION,
    "llm_config": INTERNLM,
    "downsample_ratio": Fraction(1, 2),
    "force_image_size": 448,
    "max_dynamic_patch": 12,
    "use_thumbnail": True,
}


def test_internvl_2_8b():
    """Weights of OpenGVLab/InternVL2-8B: 8,075,365,376, of which InternViT-300M 304,012,288."""
    found = model("internvl_chat", **FILE)
    assert found.open == ()
    assert parameters(found) == 8_075_365_376
    assert part(found, "vision") == 304_012_288
    assert exact(found.caches[0].kv_heads) == 8


def test_an_image_is_256_tokens_a_tile():
    images = model("internvl_chat", **FILE).images
    assert (exact(images.least), exact(images.most)) == (256, 13 * 256)
    six = model("internvl_chat", **{**FILE, "max_dynamic_patch": 6, "use_thumbnail": False}).images
    assert exact(six.most) == 6 * 256


@pytest.mark.parametrize("key", ["qkv_bias", "norm_type", "image_size"])
def test_a_key_of_the_tower_left_out_is_asked_for(key):
    tower = {name: value for name, value in VISION.items() if name != key}
    assert model("internvl_chat", **{**FILE, "vision_config": tower}).open


def test_the_larger_tower_norms_queries_and_keys():
    """InternViT-6B: no bias before attention, and norms over all heads."""
    wide = {**VISION, "qkv_bias": False, "qk_normalization": True, "norm_type": "rms_norm"}
    plain, normed = model(**VISION), model(**wide)
    layer = -3 * 1024 - 2 * 1024 + 2 * 1024
    assert parameters(normed) - parameters(plain) == 24 * layer
