"""Swin and Swin 2: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("swin", "SwinForImageClassification", {"num_labels": 1000}, 28_288_354),
        (
            "swin",
            "SwinModel",
            {"embed_dim": 128, "depths": [2, 2, 18, 2], "num_heads": [4, 8, 16, 32]},
            86_743_224,
        ),
        ("swinv2", "Swinv2ForImageClassification", {"num_labels": 1000}, 28_347_154),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
