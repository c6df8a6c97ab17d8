"""Configurations of models that are tiny and real: the library's own code runs on them."""

import json

_DECODER = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "vocab_size": 99,
    "max_position_embeddings": 256,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
CONFIGS = {
    "llama": {**_DECODER, "model_type": "llama"},
    "qwen3": {**_DECODER, "model_type": "qwen3"},
    "gemma3": {
        **_DECODER,
        "model_type": "gemma3_text",
        "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "gpt2": {
        "model_type": "gpt2",
        "n_embd": 32,
        "n_layer": 2,
        "n_head": 4,
        "vocab_size": 99,
        "n_positions": 256,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    "mamba": {
        "model_type": "mamba",
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "state_size": 8,
        "vocab_size": 99,
    },
    "t5": {
        "model_type": "t5",
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 64,
        "num_layers": 2,
        "num_heads": 4,
        "vocab_size": 99,
        "decoder_start_token_id": 0,
    },
    "bart": {
        "model_type": "bart",
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64,
        "decoder_ffn_dim": 64,
        "vocab_size": 99,
        "max_position_embeddings": 256,
    },
}
SEQ2SEQ = ("t5", "bart")


def model_folder(folder, kind, **changes):
    """A folder with the config.json of a tiny model, `tiny-llama` and so on."""
    made = folder / f"tiny-{kind}"
    made.mkdir(parents=True)
    content = json.dumps({**CONFIGS.get(kind, {}), **changes})
    (made / "config.json").write_text(content)
    return made
