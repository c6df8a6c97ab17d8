"""Decoders with routed and shared experts: sums by hand."""

import pytest
from families.decoders import exact, model, parameters, reaches

from fiche.estimators._elements import elements

WIDTHS = {
    "vocab_size": 10,
    "hidden_size": 8,
    "intermediate_size": 20,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 6,
    "moe_intermediate_size": 5,
    "n_routed_experts": 4,
    "n_shared_experts": 2,
}


def test_glm_4_5_by_hand():
    found = model("glm4_moe", first_k_dense_replace=1, **WIDTHS)
    attention = 12 * 8 + 2 * 6 * 8 + 8 * 12
    dense = 3 * 20 * 8
    sparse = 4 * 3 * 5 * 8 + 4 * 8 + 3 * (2 * 5) * 8
    assert parameters(found) == 2 * 10 * 8 + 8 + 3 * (attention + 16) + dense + 2 * sparse
    assert parameters(found, buffers=True) - parameters(found) == 2 * 4


def test_glm_4_5_air_as_published():
    """110,468,824,832 values in the checkpoint: model, router corrections, one block that predicts."""
    found = model(
        "glm4_moe",
        head_dim=128,
        vocab_size=151552,
        attention_bias=True,
        num_nextn_predict_layers=1,
    )
    assert sum(exact(elements(group)) for group in found.parameters) == 110_468_824_832


def test_layers_with_experts_further_apart_than_the_library_reads_stay_open():
    assert "moe_layer_freq" in model("glm4_moe", moe_layer_freq=2, **WIDTHS).open[0].text


@pytest.mark.parametrize("listed", [None, ["dense", "sparse", "sparse"]])
def test_which_layers_hold_experts_is_listed_or_asked(listed):
    values = WIDTHS if listed is None else {**WIDTHS, "mlp_layer_types": listed}
    found = model("deepseek_ocr2_text", **values)
    assert bool(found.open) == (listed is None)


def test_exaone_with_experts_slides_in_three_of_four_layers():
    found = model("exaone_moe", num_hidden_layers=4)
    assert reaches(found) == [*[("sliding", 4096)] * 3, ("full", None)]


def test_shared_experts_are_as_wide_as_their_number_says():
    block = model("glm4_moe", first_k_dense_replace=0, **WIDTHS).blocks[0]
    assert exact(block.shared_inner) == 10
