"""Qwen 2, 2.5 and 3, dense (weights-006, -007, -015, -035)."""

import pytest
from families.decoders import model, parameters, reaches, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            7_615_616_512,
            "qwen2",
            {
                "hidden_size": 3584,
                "intermediate_size": 18944,
                "num_hidden_layers": 28,
                "num_attention_heads": 28,
                "num_key_value_heads": 4,
                "vocab_size": 152064,
            },
            id="Qwen2.5-7B",
        ),
        pytest.param(
            1_543_714_304,
            "qwen2",
            {
                "hidden_size": 1536,
                "intermediate_size": 8960,
                "num_hidden_layers": 28,
                "num_attention_heads": 12,
                "num_key_value_heads": 2,
                "vocab_size": 151936,
                "tie_word_embeddings": True,
            },
            id="Qwen2.5-1.5B",
        ),
        pytest.param(
            14_770_033_664,
            "qwen2",
            {
                "hidden_size": 5120,
                "intermediate_size": 13824,
                "num_hidden_layers": 48,
                "num_attention_heads": 40,
                "num_key_value_heads": 8,
                "vocab_size": 152064,
            },
            id="Qwen2.5-14B",
        ),
        pytest.param(
            8_190_735_360,
            "qwen3",
            {"intermediate_size": 12288, "num_hidden_layers": 36, "num_key_value_heads": 8},
            id="Qwen3-8B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


@pytest.mark.parametrize(
    ("model_type", "values", "bytes_a_token"),
    [
        (
            "qwen2",
            {"hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28},
            57_344,
        ),
        (
            "qwen3",
            {"hidden_size": 2560, "num_hidden_layers": 36, "num_attention_heads": 32},
            147_456,
        ),
    ],
)
def test_bytes_a_token_in_16_bits(model_type, values, bytes_a_token):
    """reference/estimators.md 2.2: Qwen2.5-7B and Qwen3-4B, whose heads are 128 wide, not 80."""
    heads = 4 if model_type == "qwen2" else 8
    assert (
        2 * values_per_token(model(model_type, num_key_value_heads=heads, **values))
        == bytes_a_token
    )


def test_a_window_counts_for_nothing_while_its_switch_is_off():
    found = model("qwen2", use_sliding_window=False, sliding_window=131_072, num_hidden_layers=4)
    assert reaches(found) == [("full", None)] * 4


def test_with_the_switch_on_layers_slide_from_max_window_layers_on():
    found = model(
        "qwen3", use_sliding_window=True, sliding_window=8, max_window_layers=3, num_hidden_layers=5
    )
    assert reaches(found) == [("full", None)] * 3 + [("sliding", 8)] * 2


def test_a_list_against_its_switch_stays_open():
    kinds = ["sliding_attention"] * 2
    found = model("qwen2", num_hidden_layers=2, layer_types=kinds)
    assert "use_sliding_window" in found.open[0].text
