"""Encoders that change BERT's layer: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("xlm-roberta-xl", "XLMRobertaXLForMaskedLM", {}, 3_482_741_760),
        ("roberta-prelayernorm", "RobertaPreLayerNormModel", {}, 124_646_400),
        ("megatron-bert", "MegatronBertForPreTraining", {}, 334_723_458),
        ("xmod", "XmodForMaskedLM", {}, 116_606_010),
        ("roformer", "RoFormerForMaskedLM", {}, 124_197_968),
        ("nystromformer", "NystromformerForMaskedLM", {}, 109_122_240),
        ("fnet", "FNetForPreTraining", {}, 83_486_722),
        ("splinter", "SplinterForPreTraining", {}, 112_439_808),
        ("mra", "MraModel", {}, 124_055_040),
        ("yoso", "YosoForMaskedLM", {}, 127_449_945),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
