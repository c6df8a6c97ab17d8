"""Vision transformers of other trainings: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("vit_mae", "ViTMAEForPreTraining", {}, 111_907_840),
        ("vit_msn", "ViTMSNModel", {}, 85_798_656),
        ("ijepa", "IJepaModel", {}, 85_797_120),
        ("beit", "BeitForImageClassification", {"num_labels": 1000}, 86_425_576),
        ("beit", "BeitForMaskedImageModeling", {}, 91_956_224),
        ("data2vec-vision", "Data2VecVisionModel", {}, 85_655_040),
        ("yolos", "YolosForObjectDetection", {}, 104_947_975),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
