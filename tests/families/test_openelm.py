"""OpenELM: published counts from lists by layer, and caches that grow with depth (A1, B5)."""

from fractions import Fraction

import pytest
from families.decoders import exact, model, parameters, values_per_token

SHARED = {
    "vocab_size": 32000,
    "head_dim": 64,
    "ffn_dim_divisor": 256,
    "ffn_with_glu": True,
    "normalize_qk_projections": True,
    "share_input_output_layers": True,
}


def decimals(text):
    return [Fraction(each) for each in text.split()]


def runs(text):
    """`4x3` is a 4 three times."""
    pairs = [each.split("x") for each in text.split()]
    return [int(value) for value, times in pairs for _ in range(int(times))]


SMALL = {
    **SHARED,
    "model_dim": 1280,
    "num_transformer_layers": 16,
    "num_query_heads": runs("12x5 16x7 20x4"),
    "num_kv_heads": runs("3x5 4x7 5x4"),
    "ffn_multipliers": decimals(
        "0.5 0.73 0.97 1.2 1.43 1.67 1.9 2.13 2.37 2.6 2.83 3.07 3.3 3.53 3.77 4.0"
    ),
}
LARGE = {
    **SHARED,
    "model_dim": 2048,
    "num_transformer_layers": 28,
    "num_query_heads": runs("16x3 20x7 24x8 28x6 32x4"),
    "num_kv_heads": runs("4x3 5x7 6x8 7x6 8x4"),
    "ffn_multipliers": decimals(
        "0.5 0.63 0.76 0.89 1.02 1.15 1.28 1.41 1.54 1.67 1.8 1.93 2.06 2.19"
        " 2.31 2.44 2.57 2.7 2.83 2.96 3.09 3.22 3.35 3.48 3.61 3.74 3.87 4.0"
    ),
}


# Weights of apple/OpenELM-270M and OpenELM-1_1B.
@pytest.mark.parametrize(("values", "published"), [(SMALL, 271_527_168), (LARGE, 1_079_891_456)])
def test_parameters_are_those_published(values, published):
    found = model("openelm", **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_token_costs_what_each_layer_keeps():
    found = model("openelm", **SMALL)
    assert values_per_token(found) == 2 * 64 * sum(SMALL["num_kv_heads"])
    assert sum(exact(cache.count) for cache in found.caches) == 16


def test_a_width_never_falls_more_than_a_tenth_below():
    """0.62 x 100 is 62: 48 would be a tenth and more below, so the next step of 16 is taken."""
    values = {
        **SMALL,
        "model_dim": 100,
        "ffn_dim_divisor": 40,
        "ffn_multipliers": [Fraction(31, 50)] * 16,
    }
    found = model("openelm", **values)
    (down,) = {
        exact(group.shape[1]) for group in found.parameters if group.name.endswith("proj_2.weight")
    }
    # (62 + 20) // 40 = 2 steps of 40; 55 would round to 40, which is below nine tenths of it: 80.
    assert down == 80
    values["ffn_multipliers"] = [Fraction(55, 100)] * 16
    found = model("openelm", **values)
    assert {
        exact(group.shape[1]) for group in found.parameters if group.name.endswith("proj_2.weight")
    } == {80}


def test_lists_of_another_length_are_asked_for():
    assert model("openelm", **{**SMALL, "num_kv_heads": [3]}).open
