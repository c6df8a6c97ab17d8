"""Phi-4-multimodal: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        (
            "phi4_multimodal",
            "Phi4MultimodalForCausalLM",
            {"tie_word_embeddings": True},
            4_693_672_384,
        ),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
