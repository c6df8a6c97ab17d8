"""DBRX."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            131_596_523_520,
            "dbrx",
            {
                "d_model": 6144,
                "n_heads": 48,
                "n_layers": 40,
                "vocab_size": 100352,
                "attn_config": {"kv_n_heads": 8},
                "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
            },
            id="dbrx",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_keys_and_values_are_those_of_the_nested_configuration():
    found = model("dbrx", attn_config={"kv_n_heads": 8}, d_model=6144, n_heads=48, n_layers=40)
    assert exact(found.caches[0].kv_heads) == 8
    assert found.caches[0].kv_heads.origin.address.path == "/attn_config/kv_n_heads"
