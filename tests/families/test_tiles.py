"""Images cut by their shape: the published tokens a tile, and the bounds that follow (A2, B5)."""

import pytest
from families.decoders import exact, model

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1}
SIGLIP = {"model_type": "siglip_vision_model", "image_size": 364, "patch_size": 14}


@pytest.mark.parametrize(
    ("model_type", "values", "least", "most"),
    [
        # InternVL 2 and 3: 256 tokens a tile of 448 pixels, up to twelve tiles and an overview.
        ("internvl", {}, 256, 13 * 256),
        # Idefics 3: 169 tokens a tile of 364 pixels (26 x 26 patches over 2 x 2), up to 4 x 4 and an overview.
        ("idefics3", {"vision_config": {"image_size": 364, "patch_size": 14}}, 169, 17 * 169),
        # Idefics 2: 64 tokens an image, 320 where it is split.
        ("idefics2", {}, 64, 320),
        # Llama 4: 144 tokens a tile of 336 pixels, up to sixteen and an overview.
        (
            "llama4",
            {
                "text_config": {"model_type": "llama4_text"},
                "vision_config": {"image_size": 336, "patch_size": 14},
            },
            144,
            17 * 144,
        ),
        ("aya_vision", {"vision_config": SIGLIP}, 169, 13 * 169),
        ("lfm2_vl", {}, 64, 11 * 256),
        ("lfm2_vl", {"max_tiles": 4, "min_image_tokens": 32}, 32, 5 * 256),
    ],
)
def test_least_and_most_tokens_of_an_image(model_type, values, least, most):
    found = model(model_type, **{"text_config": LLAMA, **values}).images
    assert (found.kind, exact(found.least), exact(found.most)) == ("tiled", least, most)
    assert found.rule


def test_mistral_3_makes_rows_of_merged_patches():
    found = model("mistral3", vision_config={"model_type": "pixtral", "image_size": 1540}).images
    assert (found.kind, exact(found.merge), exact(found.side)) == ("rows", 2, 1540)


@pytest.mark.parametrize("listed", [[], [[1, "a"]], [[0, 5]], "x", [[336]]])
def test_resolutions_that_are_none_are_those_of_the_class(listed):
    tower = {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}
    found = model(
        "llava_next", text_config=LLAMA, vision_config=tower, image_grid_pinpoints=listed
    ).images
    assert exact(found.most) == 2928
