"""Mixtral and decoders of experts only (weights-025 to -027)."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(46_702_792_704, "mixtral", {}, id="Mixtral-8x7B"),
        pytest.param(
            46_702_809_088, "mixtral", {"vocab_size": 32002}, id="dolphin-2.5-mixtral-8x7b"
        ),
        pytest.param(
            140_620_634_112,
            "mixtral",
            {
                "hidden_size": 6144,
                "intermediate_size": 16384,
                "num_hidden_layers": 56,
                "num_attention_heads": 48,
            },
            id="Mixtral-8x22B",
        ),
        pytest.param(6_919_161_856, "olmoe", {"intermediate_size": 1024}, id="OLMoE-1B-7B"),
        pytest.param(228_689_748_992, "minimax_m2", {"hidden_size": 3072}, id="MiniMax-M2"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_corrections_of_the_router_are_stored_and_are_no_parameters():
    """weights-027: 62 x 256 values beside the parameters."""
    found = model("minimax_m2", hidden_size=3072)
    assert parameters(found, buffers=True) - parameters(found) == 15_872


def test_a_token_sees_two_experts_of_eight():
    block = model("mixtral").blocks[0]
    assert (exact(block.experts_used), exact(block.inner)) == (2, 14336)
