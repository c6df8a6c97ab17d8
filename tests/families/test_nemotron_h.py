"""Nemotron-H: a published count, four layers with keys of 52, and 49.4 MiB of state (A1, C1)."""

from fractions import Fraction

from families.decoders import model, parameters
from families.hybrids import mib, state_bytes, values_a_token

NANO = {
    "hidden_size": 4480,
    "intermediate_size": 15680,
    "num_hidden_layers": 56,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "mamba_num_heads": 128,
    "mamba_head_dim": 80,
    "n_groups": 8,
    "ssm_state_size": 128,
    "conv_kernel": 4,
    "vocab_size": 131072,
    "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
}
EIGHT = {
    "num_hidden_layers": 52,
    "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
}


def test_nano_9b_v2():
    assert parameters(model("nemotron_h", **NANO)) == 8_888_227_328


def test_8b_keeps_an_eighth_of_a_gib_of_keys_and_a_state():
    found = model("nemotron_h", **EIGHT)
    assert values_a_token(found) * 2 * 8192 == 2**27  # estimators.md 2.2: 0.125 GiB at 8192 tokens
    # vLLM keeps one column less, all in bf16: 49.4 MiB a sequence.
    assert round(mib(state_bytes(found, 1, 2, 2)), 1) == Fraction("49.4")


def test_a_list_says_the_same_as_a_pattern():
    words = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
    listed = [words[sign] for sign in NANO["hybrid_override_pattern"]]
    told = {key: value for key, value in NANO.items() if key != "hybrid_override_pattern"}
    assert parameters(model("nemotron_h", **told, layers_block_type=listed)) == 8_888_227_328


def test_a_sign_that_is_not_known_is_asked_for():
    found = model("nemotron_h", hybrid_override_pattern="M-X*", num_hidden_layers=4)
    assert found.caches == ()
    assert "X" in found.open[0].text
    assert model("nemotron_h").open, "a configuration without a pattern says nothing of its layers"
