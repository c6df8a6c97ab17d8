"""Ovis 2: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        (
            "ovis2",
            "Ovis2ForConditionalGeneration",
            {"tie_word_embeddings": False, "hidden_size": 4096, "vocab_size": 151936},
            12_442_957_814,
        ),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
