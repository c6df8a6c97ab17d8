"""Nemotron by architecture search: layers that differ, or have nothing (truth.md 13)."""

from fractions import Fraction

from families.decoders import exact, model, parameters

BLOCKS = [
    {"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": Fraction(21, 8)}},
    {"attention": {"no_op": True}, "ffn": {"ffn_mult": Fraction(1, 2)}},
    {"attention": {"n_heads_in_group": 4}, "ffn": {"no_op": True}},
    {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": Fraction(21, 8)}},
]
FILE = {
    "vocab_size": 100,
    "hidden_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 16,
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "block_configs": BLOCKS,
}


def test_layers_without_attention_keep_nothing():
    found = model("nemotron-nas", **FILE)
    assert found.open == ()
    heads = {cache.layers: exact(cache.kv_heads) for cache in found.caches}
    assert heads == {(0,): 4, (2,): 4, (3,): 2}


def test_by_hand():
    """Inner widths: 2/3 of the multiple of 1,024, up to the next 256: 1,792 and 512."""
    width, head = 1024, 64
    four, two = (2 * width * width + 2 * heads * head * width for heads in (4, 2))
    wide, narrow = 3 * 1792 * width, 3 * 512 * width
    norms = 6 * width
    total = 2 * 100 * width + width + norms + 2 * four + two + 2 * wide + narrow
    assert parameters(model("nemotron-nas", **FILE)) == total


def test_blocks_say_what_a_layer_lacks():
    blocks = {block.layers: block for block in model("nemotron-nas", **FILE).blocks}
    assert blocks[(1,)].query is None
    assert blocks[(2,)].inner is None
    assert exact(blocks[(0,)].inner) == 1792


def test_a_linear_stand_in_stays_open():
    blocks = [{"attention": {"replace_with_linear": True}, "ffn": {"ffn_mult": 1}}]
    found = model("nemotron-nas", **{**FILE, "num_hidden_layers": 1, "block_configs": blocks})
    assert any("replace_with_linear" in condition.text for condition in found.open)
