"""Mistral and Ministral (weights-004, -005, -021)."""

import pytest
from families.decoders import model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(7_241_732_096, "mistral", {}, id="Mistral-7B-v0.1"),
        pytest.param(
            12_247_782_400,
            "mistral",
            {
                "hidden_size": 5120,
                "num_hidden_layers": 40,
                "head_dim": 128,
                "vocab_size": 131072,
                "sliding_window": None,
            },
            id="Mistral-Nemo",
        ),
        pytest.param(
            8_019_808_256,
            "mistral",
            {
                "intermediate_size": 12288,
                "num_hidden_layers": 36,
                "head_dim": 128,
                "vocab_size": 131072,
            },
            id="Ministral-8B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_window_without_a_list_holds_for_all_layers():
    """reference/estimators.md 2.2: Mistral v0.1 keeps at most 4,096 tokens in each of its 32 layers."""
    assert reaches(model("mistral")) == [("sliding", 4096)] * 32


def test_without_a_window_all_layers_keep_all_tokens():
    assert reaches(model("mistral", sliding_window=None)) == [("full", None)] * 32


def test_the_list_of_layers_is_authoritative():
    kinds = ["full_attention", "sliding_attention"]
    found = model("ministral", num_hidden_layers=2, sliding_window=9, head_dim=8, layer_types=kinds)
    assert reaches(found) == [("full", None), ("sliding", 9)]
