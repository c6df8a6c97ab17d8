"""DeBERTa: a published count, and tables of positions that the keys decide (A1, C1)."""

from families.decoders import model, parameters

BASE = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "vocab_size": 128100,
    "type_vocab_size": 0,
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "max_relative_positions": -1,
}


def deberta(**more):
    return model("deberta-v2", architectures=["DebertaV2Model"], **{**BASE, **more})


def test_v3_base():
    assert parameters(deberta()) == 183_831_552


def test_keys_that_change_shapes():
    absolute = deberta(position_biased_input=True)
    assert parameters(absolute) - parameters(deberta()) == 512 * 768
    own = deberta(share_att_key=False)
    assert parameters(own) - parameters(deberta()) == 12 * 2 * (768 * 768 + 768)
