"""DeepSeek-VL and PaddleOCR-VL: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        (
            "deepseek_vl",
            "DeepseekVLForConditionalGeneration",
            {"tie_word_embeddings": False},
            6_851_230_976,
        ),
        ("paddleocr_vl", "PaddleOCRVLForConditionalGeneration", {}, 799_695_472),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
