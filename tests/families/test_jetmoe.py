"""JetMoE."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(8_522_237_952, "jetmoe", {"num_hidden_layers": 24}, id="jetmoe-8b"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_experts_of_attention_share_keys_and_values():
    found = model("jetmoe")
    assert exact(found.caches[0].kv_heads) == 16
    assert exact(found.blocks[0].heads) == 32
