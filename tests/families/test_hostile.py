"""Configurations with anything in them: a model or a question, never a crash (C2)."""

from fractions import Fraction

import pytest
from families.decoders import classes, config_of
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.estimators._elements import elements
from fiche.families import model_of
from fiche.kernel.doors import Family
from fiche.registry import members

KNOWN = {
    word: member for member in members("fiche.families", Family) for word in member.model_types
}
JUNK = st.sampled_from(
    [
        *(None, True, False, 0, 1, 2, 7, -3, 10**15, "auto", "x"),
        *([], [1], ["a", 2], ["full_attention"]),
        *({}, {"model_type": "llama"}, {"0": "a"}, Fraction(3, 2)),
    ]
)
COMMON = [
    "architectures",
    "tie_word_embeddings",
    "num_hidden_layers",
    "num_attention_heads",
    "head_dim",
    "patch_size",
    "vision_config",
    "text_config",
    "layer_types",
    "id2label",
    "linear_attn_config",
    "hybrid_override_pattern",
    "block_types",
    "pos_att_type",
]


@st.composite
def hostile(draw):
    word = draw(st.sampled_from(sorted(KNOWN)))
    keys = sorted({*classes().get(word, {}), *COMMON} - {"model_type"})
    chosen = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=4, unique=True))
    return word, {key: draw(JUNK) for key in chosen}


@settings(max_examples=400, deadline=None)
@given(hostile())
def test_a_model_or_a_question(told):
    word, values = told
    found = model_of(config_of(word, **values), KNOWN.get)
    assert found.open or found.parameters
    for group in found.parameters:
        assert elements(group).low >= 0
        assert len(group.layers) <= 10_000


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("bert", {"num_attention_heads": 0}),
        ("vit", {"patch_size": 0}),
        ("t5", {"num_decoder_layers": 10**15}),
        ("mllama_vision_model", {"num_global_layers": None, "patch_size": 0}),
        ("llava", {"vision_config": None}),
        ("wav2vec2", {"conv_dim": {}}),
        ("nemotron_h", {"hybrid_override_pattern": ""}),
        ("qwen2_vl", {"text_config": 3}),
    ],
)
def test_what_divides_nothing_or_is_no_part_is_asked_for(word, values):
    assert model_of(config_of(word, **values), KNOWN.get).open


def test_a_word_without_end_is_cut():
    """A file may say anything: what is told of it stays readable."""
    endless = "x" * 10**6
    strange = model_of(config_of(endless), KNOWN.get)
    assert len(strange.open[0].text) < 200
    found = model_of(config_of("llama", architectures=[endless], dtype=endless), KNOWN.get)
    assert len(found.architecture) <= 10_000
    assert found.storage == ""
