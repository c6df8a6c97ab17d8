"""Decoders whose classes come with their files: published counts, and nothing guessed."""

import pytest
from families.decoders import exact, model, parameters

FILES = {
    "qwen": {
        "hidden_size": 4096,
        "intermediate_size": 22016,
        "kv_channels": 128,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "vocab_size": 151936,
        "no_bias": True,
        "tie_word_embeddings": False,
    },
    "chatglm": {
        "num_layers": 28,
        "padded_vocab_size": 65024,
        "hidden_size": 4096,
        "ffn_hidden_size": 13696,
        "kv_channels": 128,
        "num_attention_heads": 32,
        "multi_query_attention": True,
        "multi_query_group_num": 2,
        "add_qkv_bias": True,
        "add_bias_linear": False,
        "tie_word_embeddings": False,
    },
    "baichuan": {
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "vocab_size": 64000,
        "tie_word_embeddings": False,
    },
    "internlm2": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "num_hidden_layers": 32,
        "vocab_size": 92544,
        "bias": False,
        "tie_word_embeddings": False,
    },
    "minicpm": {
        "hidden_size": 2304,
        "intermediate_size": 5760,
        "num_attention_heads": 36,
        "num_key_value_heads": 36,
        "num_hidden_layers": 40,
        "vocab_size": 122753,
        "tie_word_embeddings": True,
    },
}


@pytest.mark.parametrize(
    ("model_type", "published"),
    [
        ("qwen", 7_721_324_544),
        ("chatglm", 6_243_584_000),
        ("baichuan", 7_000_559_616),
        ("internlm2", 7_737_708_544),
        ("minicpm", 2_724_880_896),
    ],
)
def test_parameters_are_those_published(model_type, published):
    found = model(model_type, **FILES[model_type])
    assert found.open == ()
    assert parameters(found) == published


@pytest.mark.parametrize(
    ("model_type", "key"), [(name, key) for name, values in FILES.items() for key in values]
)
def test_a_key_left_out_is_asked_for(model_type, key):
    values = {name: value for name, value in FILES[model_type].items() if name != key}
    found = model(model_type, **values)
    if key == "multi_query_group_num":
        assert found.caches[0].kv_heads.high is None
    else:
        assert found.open


def test_chatglm_keeps_two_groups():
    cache = model("chatglm", **FILES["chatglm"]).caches[0]
    assert (exact(cache.kv_heads), exact(cache.key_dim), exact(cache.count)) == (2, 128, 28)


FIRST = {
    "hidden_size": 4096,
    "inner_hidden_size": 16384,
    "num_attention_heads": 32,
    "num_layers": 28,
    "vocab_size": 150528,
    "position_encoding_2d": True,
    "max_sequence_length": 2048,
}


def test_the_first_chatglm_takes_the_bytes_of_its_index():
    """THUDM/chatglm-6b, total_size of the index: norms stay in 32 bits, all else in 16."""
    found = model("chatglm", **FIRST)
    assert found.open == ()
    norms = (4 * 28 + 2) * 4096
    assert 2 * parameters(found, buffers=True) + 2 * norms == 13_744_473_856
    assert exact(found.caches[0].kv_heads) == 32


def test_the_first_chatglm_with_a_learned_prefix_stays_open():
    assert model("chatglm", pre_seq_len=128, **FIRST).open
