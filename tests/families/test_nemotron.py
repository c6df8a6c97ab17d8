"""Nemotron, StarCoder 2, Apertus, NanoChat, BitNet, EXAONE 4."""

import pytest
from families.decoders import exact, model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(3_030_371_328, "starcoder2", {"num_hidden_layers": 30}, id="starcoder2-3b"),
        pytest.param(
            8_053_338_176,
            "apertus",
            {"intermediate_size": 21504, "num_key_value_heads": 8},
            id="Apertus-8B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_an_activation_that_learns_has_two_numbers_a_layer_and_keeps_two_more():
    plain = model("apertus", hidden_act="silu", num_hidden_layers=3)
    learning = model("apertus", num_hidden_layers=3)
    assert parameters(learning) - parameters(plain) == 3 * 2
    assert parameters(learning, buffers=True) - parameters(learning) == 3 * 2


def test_exaone_4_slides_in_three_of_four_layers():
    found = model("exaone4", num_hidden_layers=4, sliding_window=4096, sliding_window_pattern=4)
    assert reaches(found) == [*[("sliding", 4096)] * 3, ("full", None)]


def test_a_head_without_a_width_is_hidden_over_heads():
    found = model("bitnet")
    assert exact(found.caches[0].key_dim) == 128
