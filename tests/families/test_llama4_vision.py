"""Llama 4 with images: a published count (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import part


def test_scout():
    text = {
        "num_hidden_layers": 48,
        "hidden_size": 5120,
        "intermediate_size": 8192,
        "intermediate_size_mlp": 16384,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "num_local_experts": 16,
        "vocab_size": 202048,
        "interleave_moe_layer_step": 1,
    }
    tower = {
        "hidden_size": 1408,
        "intermediate_size": 5632,
        "num_hidden_layers": 34,
        "num_attention_heads": 16,
        "image_size": 336,
        "patch_size": 14,
        "projector_input_dim": 4096,
        "projector_output_dim": 4096,
        "vision_output_dim": 4096,
    }
    found = model("llama4", text_config=text, vision_config=tower)
    assert parameters(found) == 108_641_793_536
    assert part(found, "projector") == 5120 * 4096
    assert {each.name.split(".")[0] for each in found.parameters if each.part == "language"} == {
        "language_model"
    }
