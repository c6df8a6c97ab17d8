"""Ernie 4.5 with experts."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            21_825_437_888, "ernie4_5_moe", {"vocab_size": 103424}, id="ERNIE-4.5-21B-A3B"
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_experts_lie_between_a_first_and_a_last_layer():
    found = model(
        "ernie4_5_moe", num_hidden_layers=6, moe_layer_start_index=2, moe_layer_end_index=4
    )
    kinds = {block.layers: block.experts_used is not None for block in found.blocks}
    assert kinds == {(0, 1, 5): False, (2, 3, 4): True}


def test_experts_for_images_have_a_width_of_their_own():
    found = model("ernie4_5_vl_moe_text", num_hidden_layers=2, moe_intermediate_size=[12, 7])
    shapes = {group.name: [exact(side) for side in group.shape] for group in found.parameters}
    assert shapes["model.layers.*.mlp.text_moe.experts.down_proj"] == [64, 2560, 12]
    assert shapes["model.layers.*.mlp.vision_moe.experts.down_proj"] == [64, 2560, 7]
