"""Idefics 3 and SmolVLM: a published count (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import part


def test_smolvlm():
    text = {
        "model_type": "llama",
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 24,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "vocab_size": 49155,
    }
    tower = {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
        "image_size": 384,
        "patch_size": 14,
    }
    found = model("idefics3", text_config=text, vision_config=tower, scale_factor=3)
    assert parameters(found) == 2_246_272_880
    assert part(found, "projector") == 2048 * 1152 * 9


def test_idefics2_resamples_at_the_width_of_its_decoder():
    text = {
        "model_type": "mistral",
        "hidden_size": 16,
        "intermediate_size": 22,
        "num_hidden_layers": 2,
    }
    perceiver = {"resampler_n_latents": 5, "resampler_depth": 2, "resampler_n_heads": 3}
    perceiver |= {"resampler_head_dim": 7, "num_key_value_heads": 1}
    tower = {
        "hidden_size": 18,
        "intermediate_size": 26,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
    }
    found = model("idefics2", text_config=text, vision_config=tower, perceiver_config=perceiver)
    layer = 3 * 16 + 2 * 21 * 16 + 2 * 7 * 16 + 3 * 64 * 16
    assert part(found, "projector") == 2 * 22 * 18 + 16 * 22 + 5 * 16 + 16 + 2 * layer
