"""The defaults of configuration classes: one line a model type, sorted, with the facts that no file repeats."""

import json
from pathlib import Path

import pytest

import fiche.families

LINES = [
    json.loads(line)
    for line in (Path(fiche.families.__file__).parent / "class_defaults.json")
    .read_text(encoding="utf-8")
    .splitlines()
]
CLASSES = {line["model_type"]: line["defaults"] for line in LINES[1:]}


def test_names_its_source_first_then_each_type_once_in_order():
    assert LINES[0] == {"source": "transformers 5.24.0"}
    named = [line["model_type"] for line in LINES[1:]]
    assert named == sorted(set(named))
    assert len(named) > 800


# reference/estimators.md 2.1: defaults that a saved configuration leaves out.
@pytest.mark.parametrize(
    ("model_type", "key", "value"),
    [
        ("qwen3", "head_dim", 128),
        ("gemma2", "head_dim", 256),
        ("gemma2", "num_key_value_heads", 4),
        ("gemma3_text", "head_dim", 256),
        ("gpt_oss", "head_dim", 64),
        ("mistral", "num_key_value_heads", 8),
        ("mistral", "sliding_window", 4096),
        ("qwen2", "num_key_value_heads", 32),
        ("qwen2", "use_sliding_window", False),
        ("llama", "num_key_value_heads", None),
        ("gpt2", "n_embd", 768),
        ("deepseek_v3", "kv_lora_rank", 512),
        ("whisper", "max_source_positions", 1500),
        ("gemma3", "text_config", {"model_type": "gemma3_text"}),
    ],
)
def test_a_default_as_its_class_declares_it(model_type, key, value):
    assert CLASSES[model_type][key] == value


def test_what_a_class_works_out_from_other_keys_is_no_default():
    assert CLASSES["gemma3_text"]["layer_types"] is None
    assert CLASSES["qwen2"]["layer_types"] is None


def test_no_token_ids_and_no_training_noise():
    for defaults in CLASSES.values():
        assert not [key for key in defaults if key.endswith("_token_id") or "dropout" in key]
