"""GPT-NeoX and Pythia (weights-040 to -042)."""

import pytest
from families.decoders import model, parameters, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            1_011_781_632,
            "gpt_neox",
            {
                "hidden_size": 2048,
                "num_hidden_layers": 16,
                "num_attention_heads": 8,
                "intermediate_size": 8192,
                "vocab_size": 50304,
            },
            id="Pythia-1B",
        ),
        pytest.param(
            1_414_647_808,
            "gpt_neox",
            {
                "hidden_size": 2048,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "intermediate_size": 8192,
                "vocab_size": 50304,
            },
            id="Pythia-1.4B",
        ),
        pytest.param(
            2_775_208_960,
            "gpt_neox",
            {
                "hidden_size": 2560,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "intermediate_size": 10240,
                "vocab_size": 50304,
            },
            id="Pythia-2.8B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_token_costs_all_heads():
    found = model("gpt_neox", hidden_size=2560, num_hidden_layers=32, num_attention_heads=32)
    assert values_per_token(found) == 2 * 32 * 2560
