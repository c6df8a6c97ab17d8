"""BLOOM, Falcon and MPT (weights-032, -033, -048)."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            559_214_592,
            "bloom",
            {"hidden_size": 1024, "n_layer": 24, "n_head": 16},
            id="bloom-560m",
        ),
        pytest.param(
            1_722_408_960,
            "bloom",
            {"hidden_size": 2048, "n_layer": 24, "n_head": 16},
            id="bloom-1b7",
        ),
        pytest.param(6_921_720_704, "falcon", {}, id="falcon-7b"),
        pytest.param(
            6_649_286_656,
            "mpt",
            {"d_model": 4096, "n_heads": 32, "n_layers": 32, "vocab_size": 50432},
            id="mpt-7b",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_falcon_40b_has_groups_and_two_norms_for_two_blocks_in_parallel():
    """41,303,293,952 parameters as published, the head being the embedding."""
    values = {"hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128}
    found = model("falcon", num_kv_heads=8, new_decoder_architecture=True, **values)
    assert parameters(found) == 41_303_293_952
    assert exact(found.caches[0].kv_heads) == 8


def test_falcon_7b_keeps_one_head():
    assert exact(model("falcon").caches[0].kv_heads) == 1


def test_attention_that_the_library_does_not_know_stays_open():
    found = model("mpt", attn_config={"attn_type": "multiquery_attention"})
    assert "multiquery_attention" in found.open[0].text
