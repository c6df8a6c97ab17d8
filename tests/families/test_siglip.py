"""SigLIP: a published count, and a pooling head that a key leaves out (A1, C1)."""

from families.decoders import model, parameters


def test_base_of_224_pixels():
    found = model("siglip", architectures=["SiglipModel"], text_config={}, vision_config={})
    assert parameters(found) == 203_155_970


def test_the_tower_without_its_head():
    tower = {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
    }
    whole = model("siglip_vision_model", architectures=["SiglipVisionModel"], **tower)
    bare = model(
        "siglip_vision_model", architectures=["SiglipVisionModel"], vision_use_head=False, **tower
    )
    attention = 4 * (1152 * 1152 + 1152)
    mlp = 2 * 1152 * 4304 + 4304 + 1152
    assert parameters(whole) - parameters(bare) == 1152 + attention + mlp + 2 * 1152
