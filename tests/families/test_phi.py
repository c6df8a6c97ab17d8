"""Phi 1 to 4 (weights-011, -012)."""

import pytest
from families.decoders import model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            2_779_683_840,
            "phi",
            {
                "hidden_size": 2560,
                "intermediate_size": 10240,
                "num_hidden_layers": 32,
                "vocab_size": 51200,
            },
            id="phi-2",
        ),
        pytest.param(
            14_659_507_200,
            "phi3",
            {
                "hidden_size": 5120,
                "intermediate_size": 17920,
                "num_hidden_layers": 40,
                "num_attention_heads": 40,
                "num_key_value_heads": 10,
                "vocab_size": 100352,
            },
            id="phi-4",
        ),
        pytest.param(
            3_836_021_760,
            "phi3",
            {
                "num_attention_heads": 24,
                "num_key_value_heads": 8,
                "vocab_size": 200064,
                "tie_word_embeddings": True,
                "sliding_window": 262144,
            },
            id="Phi-4-mini",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_window_wider_than_any_context_is_still_a_window():
    found = model("phi3", num_hidden_layers=2, sliding_window=262_144)
    assert reaches(found) == [("sliding", 262_144)] * 2
