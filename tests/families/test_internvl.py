"""InternVL: a published count, the language part's word on the head (A1, C1)."""

from families.decoders import model, parameters

TEXT = {
    "model_type": "qwen2",
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 151674,
}
TOWER = {"image_size": [448, 448], "patch_size": [14, 14], "attention_bias": True}


def test_internvl3_8b():
    found = model(
        "internvl", text_config={**TEXT, "tie_word_embeddings": False}, vision_config=TOWER
    )
    assert parameters(found) == 7_944_373_760
    assert found.tied is False


def test_sides_that_differ_are_asked_for():
    found = model("internvl", text_config=TEXT, vision_config={**TOWER, "image_size": [448, 224]})
    open_shapes = [
        each for each in found.parameters if any(side.high is None for side in each.shape)
    ]
    assert [each.name for each in open_shapes] == [
        "model.vision_tower.embeddings.position_embeddings"
    ]
