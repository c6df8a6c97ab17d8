"""Granite with experts."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            3_298_793_472,
            "granitemoe",
            {
                "hidden_size": 1536,
                "intermediate_size": 512,
                "num_attention_heads": 24,
                "num_key_value_heads": 8,
                "num_local_experts": 40,
                "vocab_size": 49155,
                "tie_word_embeddings": True,
            },
            id="Granite-3.1-3B-A800M",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_shared_experts_of_no_width_are_no_tensors():
    widths = {"hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 2}
    none = parameters(model("granitemoeshared", shared_intermediate_size=0, **widths))
    some = parameters(model("granitemoeshared", shared_intermediate_size=5, **widths))
    assert some - none == 2 * 3 * 5 * 16
