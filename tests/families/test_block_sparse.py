"""MiniMax M3 and Step 3.5: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("minimax_m3_vl_text", "MiniMaxM3VLForCausalLM", {}, 447_186_441_216),
        ("step3p5", "Step3p7TextModel", {}, 195_316_206_848),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_layers_that_choose_blocks_of_keys_have_an_indexer_and_an_open_cache():
    """How a layer keeps the small keys of its indexer is not told apart here: it is asked for."""
    kinds = ["full_attention"] * 3 + ["minimax_m3_sparse"]
    found = model("minimax_m3_vl_text", num_hidden_layers=4, layer_types=kinds)
    assert found.open
    assert [cache.layers for cache in found.caches] == [(0, 1, 2)]
    indexers = [each for each in found.parameters if ".indexer." in each.name]
    assert {each.layers for each in indexers} == {(3,)}


def test_step_has_more_query_heads_within_a_window():
    kinds = ["full_attention", "sliding_attention"] * 2
    found = model(
        "step3p5",
        num_hidden_layers=4,
        layer_types=kinds,
        sliding_window=512,
        num_sliding_attention_heads=96,
    )
    heads = {exact(block.heads) for block in found.blocks}
    assert heads == {64, 96}
