"""Llama 4, text."""

import pytest
from families.decoders import exact, model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(107_769_861_120, "llama4_text", {}, id="Llama-4-Scout, text"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_three_of_four_layers_attend_within_chunks():
    found = model("llama4_text", num_hidden_layers=8)
    assert reaches(found) == [*[("chunked", 8192)] * 3, ("full", None)] * 2


def test_dense_layers_lie_between_those_with_experts():
    """Maverick: every other layer has experts."""
    found = model("llama4_text", num_hidden_layers=4, interleave_moe_layer_step=2)
    kinds = {block.layers: exact(block.inner) for block in found.blocks}
    assert kinds == {(0, 2): 16384, (1, 3): 8192}
