"""Llama and decoders built like it (MISSION A1; weights-001, -016, -018, -020 of the truth cases)."""

import pytest
from families.decoders import exact, model, parameters, reaches, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            8_030_261_248,
            "llama",
            {
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "vocab_size": 128256,
            },
            id="Llama-3.1-8B",
        ),
        pytest.param(6_738_415_616, "llama", {}, id="Llama-2-7B"),
        pytest.param(
            1_235_814_400,
            "llama",
            {
                "hidden_size": 2048,
                "intermediate_size": 8192,
                "num_hidden_layers": 16,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "head_dim": 64,
                "vocab_size": 128256,
                "tie_word_embeddings": True,
            },
            id="Llama-3.2-1B",
        ),
        pytest.param(
            361_821_120,
            "llama",
            {
                "hidden_size": 960,
                "intermediate_size": 2560,
                "num_attention_heads": 15,
                "num_key_value_heads": 5,
                "vocab_size": 49152,
                "tie_word_embeddings": True,
            },
            id="SmolLM2-360M",
        ),
        pytest.param(3_075_098_624, "smollm3", {"vocab_size": 128256}, id="SmolLM3-3B"),
        pytest.param(
            360_748_032,
            "ernie4_5",
            {
                "hidden_size": 1024,
                "num_attention_heads": 16,
                "num_key_value_heads": 2,
                "head_dim": 128,
                "vocab_size": 103424,
            },
            id="ERNIE-4.5-0.3B",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_a_token_costs_keys_and_values_of_the_grouped_heads():
    """reference/estimators.md 2.2: Llama-3.1-8B, 131,072 bytes a token in 16 bits."""
    found = model(
        "llama",
        hidden_size=4096,
        num_hidden_layers=32,
        num_attention_heads=32,
        num_key_value_heads=8,
        intermediate_size=14336,
    )
    assert 2 * values_per_token(found) == 131_072


def test_key_value_heads_left_out_are_as_many_as_query_heads():
    found = model("llama", num_attention_heads=16, hidden_size=1024)
    assert exact(found.caches[0].kv_heads) == 16
    assert exact(found.caches[0].key_dim) == 64


def test_the_head_is_counted_once_where_it_is_the_embedding():
    untied = model("llama", tie_word_embeddings=False)
    tied = model("llama", tie_word_embeddings=True)
    assert (untied.tied, tied.tied) == (False, True)
    assert parameters(untied) - parameters(tied) == 32_000 * 4096


def test_layers_without_rotary_positions_slide_where_the_switch_is_on():
    """SmolLM 3: every fourth layer has no rotary positions."""
    found = model("smollm3", use_sliding_window=True, sliding_window=512, num_hidden_layers=8)
    full, sliding = ("full", None), ("sliding", 512)
    assert reaches(found) == [full, full, full, sliding] * 2


def test_experts_of_doge_lie_in_a_square():
    """17 experts: a square of 4 x 4, whose two keys score 8 values."""
    widths = {"hidden_size": 16, "num_hidden_layers": 2, "num_experts": 17}
    dense, sparse = (parameters(model("doge", is_moe=flag, **widths)) for flag in (False, True))
    assert sparse - dense == 2 * (2 * 17 + 8) * 16


def test_numbers_point_to_the_file_or_to_the_class():
    found = model("llama", hidden_size=2048)
    assert found.hidden.origin.address.path == "/hidden_size"
    assert "default of llama in transformers 5.24.0" in found.vocabulary.origin.because


def test_a_bare_model_has_no_head_and_no_prefix():
    found = model("llama", architectures=["LlamaModel"])
    assert parameters(model("llama")) - parameters(found) == 32_000 * 4096
    assert found.parameters[0].name == "embed_tokens.weight"


def test_a_classifier_has_a_head_over_its_labels():
    named = {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "relevant"}}
    head = next(group for group in model("llama", **named).parameters if group.role == "head")
    assert head.name == "score.weight"
    assert [exact(side) for side in head.shape] == [1, 4096]


def test_a_class_whose_outputs_are_not_known_stays_open():
    assert (
        "LlamaForTokenClassification"
        in model("llama", architectures=["LlamaForTokenClassification"]).open[0].text
    )
