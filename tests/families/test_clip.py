"""CLIP: published counts of both towers together, and each alone (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import part, stored_besides

LARGE = {
    "patch_size": 14,
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
}


def test_published_counts():
    base = model(
        "clip", architectures=["CLIPModel"], text_config={}, vision_config={"patch_size": 32}
    )
    assert parameters(base) == 151_277_313
    assert stored_besides(base) == (0, 77 + 50)
    large = model(
        "clip",
        architectures=["CLIPModel"],
        projection_dim=768,
        vision_config=LARGE,
        text_config={"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12},
    )
    assert parameters(large) == 427_616_513


def test_a_tower_alone():
    found = model("clip_vision_model", architectures=["CLIPVisionModel"], image_size=336, **LARGE)
    assert parameters(found) == 303_507_456  # the tower of LLaVA 1.5
    joined = model("clip", architectures=["CLIPVisionModel"], vision_config=LARGE, text_config={})
    assert part(joined, "encoder") == 0


def test_a_class_that_is_not_known_is_asked_for():
    assert model("clip", architectures=["CLIPForDreams"], text_config={}, vision_config={}).open
