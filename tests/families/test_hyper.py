"""Hunyuan V4 and DeepSeek V4: parallel streams, indexers that are shared, caches left open."""

from families.decoders import exact, model


def shapes(found):
    return {group.name: [exact(side) for side in group.shape] for group in found.parameters}


def test_streams_are_weighed_before_and_after_each_block():
    found = shapes(model("hy_v4", num_hidden_layers=2, hidden_size=16))
    assert found["model.layers.*.attn_hc.fn"] == [8, 64]
    assert found["model.hc_head.hc_fn"] == [4, 64]


def test_each_fourth_layer_after_the_first_has_an_indexer():
    found = model("hy_v4", num_hidden_layers=6)
    indexed = {cache.layers: cache.index_dim is not None for cache in found.caches}
    assert indexed == {(0, 1, 5): True, (2, 3, 4): False}


def test_what_compressed_layers_keep_stays_open():
    found = model("deepseek_v4", num_hidden_layers=4)
    asked = " ".join(condition.text for condition in found.open)
    assert "compressed_sparse_attention" in asked
    assert "heavily_compressed_attention" in asked
    assert found.caches == ()


def test_a_file_may_set_how_many_tokens_become_one():
    rates = {"heavily_compressed_attention": 64}
    found = model("deepseek_v4", num_hidden_layers=2, compress_rates=rates)
    assert shapes(found)["model.layers.*.self_attn.compressor.position_bias"] == [64, 512]


def test_the_first_layers_look_their_experts_up_by_token():
    found = model("deepseek_v4", num_hidden_layers=5, vocab_size=7)
    tables = [group for group in found.parameters if "tid2eid" in group.name]
    assert [(group.layers, group.role) for group in tables] == [((0, 1, 2), "buffer")]
    assert [exact(side) for side in tables[0].shape] == [7, 6]
