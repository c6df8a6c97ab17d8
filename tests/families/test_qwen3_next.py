"""Qwen3-Next: the published count, 24,576 bytes a token and a state by engine (A1, C1)."""

from fractions import Fraction

from families.decoders import model, parameters
from families.hybrids import mib, state_bytes, values_a_token


def test_80b_is_the_default_of_its_class():
    # 79.67 B as llama.cpp prints it; files hold a further block of prediction.
    found = model("qwen3_next")
    assert parameters(found) == 79_674_391_296
    assert found.notes


def test_keys_every_fourth_layer_and_a_state_between():
    found = model("qwen3_next")
    assert values_a_token(found) * 2 == 24_576
    assert round(mib(state_bytes(found, 1, 2, 2)), 1) == Fraction("37.7")  # vLLM, bf16
    assert mib(state_bytes(found, 0, 2, 4)) == Fraction("74.25")  # transformers: state in fp32
    assert mib(state_bytes(found, 1, 4, 4)) == Fraction("75.375")  # llama.cpp: 3.38 + 72.0


def test_an_interval_that_is_told_counts():
    found = model("qwen3_5_text", num_hidden_layers=6, full_attention_interval=3)
    assert {cache.layers for cache in found.caches} == {(2, 5), (0, 1, 3, 4)}


def test_a_kind_of_layer_that_is_not_known_is_asked_for():
    assert model("qwen3_next", num_hidden_layers=2, layer_types=["full_attention", "spiral"]).open
    assert model("qwen3_next", num_hidden_layers=3, layer_types=["full_attention"]).open
