"""Gemma 1 to 3, text (weights-009)."""

import pytest
from families.decoders import exact, model, parameters, reaches, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(8_537_680_896, "gemma", {}, id="Gemma-7B"),
        pytest.param(
            2_506_172_416,
            "gemma",
            {
                "hidden_size": 2048,
                "intermediate_size": 16384,
                "num_hidden_layers": 18,
                "num_attention_heads": 8,
                "num_key_value_heads": 1,
            },
            id="Gemma-2B",
        ),
        pytest.param(
            9_241_705_984,
            "gemma2",
            {
                "hidden_size": 3584,
                "intermediate_size": 14336,
                "num_hidden_layers": 42,
                "num_attention_heads": 16,
                "num_key_value_heads": 8,
            },
            id="Gemma-2-9B",
        ),
        pytest.param(
            999_885_952,
            "gemma3_text",
            {
                "hidden_size": 1152,
                "intermediate_size": 6912,
                "num_attention_heads": 4,
                "num_key_value_heads": 1,
                "vocab_size": 262144,
            },
            id="Gemma-3-1B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_gemma_2_slides_in_every_other_layer_beginning_with_the_first():
    assert reaches(model("gemma2", num_hidden_layers=4)) == [("sliding", 4096), ("full", None)] * 2


def test_gemma_3_sees_all_tokens_in_each_sixth_layer():
    """reference/estimators.md 2.2: 27B, 10 full layers and 52 of 1,024 tokens; 1.031 GiB at 8,192."""
    found = model(
        "gemma3_text",
        hidden_size=5376,
        num_hidden_layers=62,
        num_attention_heads=32,
        num_key_value_heads=16,
        head_dim=128,
        sliding_window=1024,
    )
    counts = {cache.reach: exact(cache.count) for cache in found.caches}
    assert counts == {"full": 10, "sliding": 52}
    values = 2 * 16 * 128
    assert 2 * values * (10 * 8192 + 52 * 1024) == 1_107_296_256
    assert values_per_token(found) == 10 * values


def test_an_older_file_may_set_the_period():
    found = model("gemma3_text", sliding_window_pattern=2, num_hidden_layers=4, sliding_window=7)
    assert reaches(found) == [("sliding", 7), ("full", None)] * 2


def test_a_window_over_both_sides_keeps_half():
    found = model("gemma3_text", use_bidirectional_attention=True, sliding_window=512)
    assert exact(found.caches[0].window) == 257
