"""Qwen2-Audio and Voxtral: a published count, a tower that keeps nothing (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import part


def test_qwen2_audio_7b():
    text = {
        "model_type": "qwen2",
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "vocab_size": 156032,
    }
    found = model("qwen2_audio", text_config=text)
    assert parameters(found) == 8_397_094_912
    assert {type(cache).__name__ for cache in found.caches} == {"AttentionCache"}


def test_four_frames_of_voxtral_are_one_token():
    found = model("voxtral")
    assert part(found, "projector") == 3072 * 5120 + 3072 * 3072
