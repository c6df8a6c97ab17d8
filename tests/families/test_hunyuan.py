"""Hunyuan with experts."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            80_393_183_232,
            "hunyuan_v1_moe",
            {
                "intermediate_size": 3072,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "num_experts": 64,
                "moe_topk": 8,
                "vocab_size": 128167,
                "tie_word_embeddings": True,
            },
            id="Hunyuan-A13B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_experts_that_differ_by_layer_stay_open():
    found = model("hunyuan_v1_moe", num_hidden_layers=2, num_experts=[4, 8])
    assert any("num_experts" in condition.text for condition in found.open)
