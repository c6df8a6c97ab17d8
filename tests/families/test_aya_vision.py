"""Aya Vision and its relatives: projectors by hand (A1, C1)."""

from families.decoders import model
from families.hybrids import part

TEXT = {
    "model_type": "cohere2",
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
}
TOWER = {
    "model_type": "siglip_vision_model",
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "image_size": 24,
    "patch_size": 4,
}


def test_projectors_by_hand():
    aya = model("aya_vision", text_config=TEXT, vision_config=TOWER, alignment_intermediate_size=12)
    assert part(aya, "projector") == 2 * 72 + 12 * 72 + 12 + 16 * 6 + 16
    command = model(
        "cohere2_vision", text_config=TEXT, vision_config=TOWER, alignment_intermediate_size=12
    )
    assert part(command, "projector") == 12 * 72 + 12 + 16 * 6 + 16


def test_without_images_there_is_no_projector_to_guess():
    found = model("aya_vision", text_config=TEXT, vision_config=None)
    assert part(found, "projector") == part(found, "vision") == 0
