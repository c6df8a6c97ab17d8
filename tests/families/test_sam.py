"""Segment Anything and GOT-OCR 2: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("sam", "SamModel", {}, 93_735_728),
        ("got_ocr2", "GotOcr2ForConditionalGeneration", {"tie_word_embeddings": True}, 560_528_640),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
