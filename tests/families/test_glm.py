"""GLM, dense."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            9_400_279_040,
            "glm4",
            {"num_key_value_heads": 2, "attention_bias": True},
            id="GLM-4-9B-0414",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_the_first_glm_has_two_norms_a_layer_where_the_fourth_has_four():
    first, fourth = parameters(model("glm")), parameters(model("glm4"))
    assert fourth - first == 40 * 2 * 4096
