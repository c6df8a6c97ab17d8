"""GPT, GPT-2 and GPT-BigCode."""

import pytest
from families.decoders import exact, model, parameters, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(124_439_808, "gpt2", {}, id="GPT-2"),
        pytest.param(
            1_557_611_200, "gpt2", {"n_embd": 1600, "n_layer": 48, "n_head": 25}, id="GPT-2-XL"
        ),
        pytest.param(
            15_517_456_384,
            "gpt_bigcode",
            {
                "n_embd": 6144,
                "n_head": 48,
                "n_layer": 40,
                "n_inner": 24576,
                "n_positions": 8192,
                "vocab_size": 49152,
            },
            id="StarCoder",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_token_of_gpt_2_costs_all_heads_and_of_starcoder_one():
    """kv-022: 36,864 bytes a token in 16 bits; multi-query keeps a single head."""
    assert 2 * values_per_token(model("gpt2")) == 36_864
    assert exact(model("gpt_bigcode").caches[0].kv_heads) == 1


def test_cross_attention_stays_open():
    assert "add_cross_attention" in model("gpt2", add_cross_attention=True).open[0].text
