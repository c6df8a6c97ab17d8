"""Qwen 2 and 3 with experts (weights-008)."""

import pytest
from families.decoders import model, parameters, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            30_532_122_624,
            "qwen3_moe",
            {"num_hidden_layers": 48, "head_dim": 128},
            id="Qwen3-30B-A3B",
        ),
        pytest.param(
            235_093_634_560,
            "qwen3_moe",
            {
                "hidden_size": 4096,
                "num_hidden_layers": 94,
                "num_attention_heads": 64,
                "head_dim": 128,
                "moe_intermediate_size": 1536,
            },
            id="Qwen3-235B-A22B",
        ),
        pytest.param(14_315_784_192, "qwen2_moe", {}, id="Qwen1.5-MoE-A2.7B"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_dense_layers_lie_where_the_step_and_the_list_say():
    widths = {"hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 4}
    found = model("qwen3_moe", decoder_sparse_step=2, mlp_only_layers=[3], **widths)
    kinds = {block.layers: block.experts_used is not None for block in found.blocks}
    assert kinds == {(0, 2, 3): False, (1,): True}


def test_experts_keep_nothing():
    """reference/estimators.md 2.2: attention alone has a cache, 98,304 bytes a token in 16 bits."""
    found = model("qwen3_moe", num_hidden_layers=48, head_dim=128)
    assert 2 * values_per_token(found) == 98_304
