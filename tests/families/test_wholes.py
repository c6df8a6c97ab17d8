"""Wholes that are not known around language parts that are: caches are stated, weights are asked for (C2)."""

from families.decoders import model
from families.hybrids import values_a_token

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
}


def test_what_the_language_part_keeps_is_stated():
    found = model("brand-new-vlm", llm_config=LLAMA, vision_config={"model_type": "brand-new"})
    assert values_a_token(found) == 3 * 2 * 2 * 16
    assert found.parameters == ()
    assert "brand-new-vlm" in found.open[0].text


def test_an_unknown_language_part_states_nothing():
    found = model("brand-new-vlm", text_config={"model_type": "brand-new"})
    assert (found.caches, found.parameters) == ((), ())
    assert found.open


def test_a_part_that_is_no_object_is_no_part():
    found = model("brand-new-vlm", text_config="llama")
    assert found.caches == ()
    assert found.open
