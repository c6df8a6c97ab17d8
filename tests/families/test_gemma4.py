"""Gemma 4 and 3n with images and sound: towers by hand, and caches though a tower is open (A1, C1)."""

from families.decoders import model
from families.hybrids import part

TEXT = {
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
}
TOWER = {
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "num_key_value_heads": 3,
    "head_dim": 6,
    "patch_size": 4,
    "position_embedding_size": 29,
}


def test_a_small_tower_by_hand():
    found = model("gemma4", text_config=TEXT, vision_config=TOWER)
    layer = 4 * 18 * 18 + 2 * 6 + 3 * 26 * 18 + 4 * 18
    assert part(found, "vision") == 2 * 29 * 18 + 48 * 18 + 3 * layer
    assert part(found, "projector") == 16 * 18
    assert found.open == ()


def test_without_a_tower_there_is_no_projector():
    found = model("gemma4", text_config=TEXT)
    assert part(found, "vision") == part(found, "projector") == 0


def test_sound_is_open_and_the_decoder_is_not():
    found = model("gemma4", text_config=TEXT, audio_config={"model_type": "gemma4_audio"})
    assert found.caches
    assert found.open
