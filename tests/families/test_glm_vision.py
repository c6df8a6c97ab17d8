"""GLM-4V: the tower by hand, and squares of 28 pixels (A1, C1)."""

from families.decoders import exact, model
from families.hybrids import part

TEXT = {
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
}
TOWER = {
    "depth": 3,
    "hidden_size": 18,
    "num_heads": 3,
    "image_size": 24,
    "patch_size": 4,
    "out_hidden_size": 16,
    "intermediate_size": 26,
}


def test_the_tower_by_hand():
    found = model("glm4v", text_config=TEXT, vision_config=TOWER)
    layer = 2 * 18 + 4 * 18 * 18 + 3 * 16 * 18
    patches = 36 * 18 + 18 * 3 * 2 * 16 + 18
    merger = 16 * 18 * 4 + 16 + 16 * 16 + 2 * 16 + 3 * 26 * 16
    assert part(found, "vision") == 3 * layer + patches + 2 * 18 + merger
    assert (found.images.kind, exact(found.images.merge)) == ("merged", 2)


def test_a_file_that_calls_its_tower_by_the_whole_is_read():
    found = model("glm4v", text_config=TEXT, vision_config={"model_type": "glm4v", **TOWER})
    assert found.open == ()
