"""PLaMo 2: a published count, states in every other layer (A1, B5)."""

from families.decoders import exact, model, parameters
from families.hybrids import only, values_a_token

from fiche.kernel.model import StateCache

FILE = {
    "vocab_size": 100000,
    "hidden_size": 2048,
    "intermediate_size": 8192,
    "num_hidden_layers": 16,
    "num_attention_heads": 16,
    "num_key_value_heads": 1,
    "hidden_size_per_head": 128,
    "mamba_d_state": 64,
    "mamba_d_conv": 4,
    "mamba_num_heads": 32,
    "mamba_step": 2,
    "tie_word_embeddings": True,
}


def test_plamo_2_1b():
    found = model("plamo2", **FILE)
    assert found.open == ()
    assert parameters(found) == 1_291_441_920  # weights of pfnet/plamo-2-1b


def test_attention_in_the_middle_of_each_step():
    found = model("plamo2", **{**FILE, "mamba_step": 4})
    state = only(found, StateCache)
    assert state.layers == tuple(i for i in range(16) if i % 4 != 2)
    assert values_a_token(found) == 4 * 2 * 128
    assert exact(state.state) == 32 * 128 * 64


def test_a_model_of_half_a_step_attends_last():
    found = model("plamo2", **{**FILE, "num_hidden_layers": 2, "mamba_step": 4})
    assert only(found, StateCache).layers == (0,)


def test_a_key_left_out_is_asked_for():
    for key in FILE:
        assert model("plamo2", **{name: v for name, v in FILE.items() if name != key}).open, key
