"""ConvNeXt and ConvNeXt 2: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("convnext", "ConvNextForImageClassification", {"num_labels": 1000}, 28_589_128),
        (
            "convnext",
            "ConvNextForImageClassification",
            {"depths": [3, 3, 27, 3], "hidden_sizes": [128, 256, 512, 1024], "num_labels": 1000},
            88_591_464,
        ),
        ("convnextv2", "ConvNextV2ForImageClassification", {"num_labels": 1000}, 28_635_496),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
