"""ResNet and RegNet: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("resnet", "ResNetForImageClassification", {"num_labels": 1000}, 25_557_032),
        (
            "resnet",
            "ResNetForImageClassification",
            {
                "depths": [2, 2, 2, 2],
                "hidden_sizes": [64, 128, 256, 512],
                "layer_type": "basic",
                "num_labels": 1000,
            },
            11_689_512,
        ),
        ("regnet", "RegNetForImageClassification", {"num_labels": 1000}, 20_646_656),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_what_a_norm_over_the_batch_remembers_is_no_parameter():
    found = model("resnet", architectures=["ResNetForImageClassification"], num_labels=1000)
    remembered = parameters(found, buffers=True) - parameters(found)
    norms = 53  # of ResNet-50: one a convolution
    vectors = [each for each in found.parameters if each.name.endswith("running_mean")]
    assert sum(int(each.copies.low) for each in vectors) == norms
    assert parameters(found) == 25_557_032  # torchvision's metadata of resnet50
    assert remembered == 2 * 26_560 + norms


def test_lists_that_differ_in_length_are_asked_for():
    assert model("resnet", depths=[1, 2]).open
    assert model("regnet", hidden_sizes=["a"]).open
