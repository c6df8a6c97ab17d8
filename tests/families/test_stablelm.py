"""StableLM."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            1_644_515_328,
            "stablelm",
            {
                "hidden_size": 2048,
                "intermediate_size": 5632,
                "num_hidden_layers": 24,
                "vocab_size": 100352,
                "use_qkv_bias": True,
            },
            id="stablelm-2-1_6b",
        ),
        pytest.param(2_795_443_200, "stablelm", {}, id="stablelm-3b-4e1t"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_each_head_may_have_a_norm_of_its_own():
    plain = parameters(model("stablelm", num_key_value_heads=8))
    normed = parameters(model("stablelm", num_key_value_heads=8, qk_layernorm=True))
    assert normed - plain == 32 * (32 + 8) * 80
