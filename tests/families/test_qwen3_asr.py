"""Qwen3-ASR: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        (
            "qwen3_asr",
            "Qwen3ASRForConditionalGeneration",
            {"tie_word_embeddings": True},
            2_039_626_880,
        ),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
