"""Cohere Command: one norm a layer, heads as wide as the model allows."""

import pytest
from families.decoders import model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(34_980_831_232, "cohere", {}, id="Command-R"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_command_r7b_slides_in_three_of_four_layers():
    found = model("cohere2", num_hidden_layers=8)
    assert reaches(found) == [*[("sliding", 4096)] * 3, ("full", None)] * 2


def test_normalised_heads_add_one_norm_for_each_head():
    plain = parameters(model("cohere", num_key_value_heads=8))
    normed = parameters(model("cohere", num_key_value_heads=8, use_qk_norm=True))
    assert normed - plain == 40 * (64 + 8) * 128


def test_shared_experts_are_a_multiple_of_the_inner_width():
    widths = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2}
    without = parameters(model("cohere2_moe", **widths))
    beside = parameters(model("cohere2_moe", num_shared_experts=3, **widths))
    assert beside - without == 2 * 3 * 3 * 24 * 16
