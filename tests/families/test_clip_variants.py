"""Pairs of towers like CLIP's: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("owlvit", "OwlViTModel", {}, 151_650_817),
        ("owlv2", "Owlv2ForObjectDetection", {}, 153_971_464),
        ("clipseg", "CLIPSegForImageSegmentation", {}, 152_399_618),
        ("metaclip_2", "MetaClip2Model", {}, 151_277_313),
        ("chinese_clip", "ChineseCLIPModel", {}, 197_134_081),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
