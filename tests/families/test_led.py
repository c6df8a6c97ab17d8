"""LED, NLLB with experts, Speech2Text, TrOCR: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("led", "LEDForConditionalGeneration", {}, 459_801_600),
        ("nllb-moe", "NllbMoeForConditionalGeneration", {}, 6_880_712_704),
        ("speech_to_text", "Speech2TextForConditionalGeneration", {}, 29_536_256),
        ("trocr", "TrOCRForCausalLM", {}, 253_559_808),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_experts_lie_in_each_layer_that_a_step_divides():
    found = model("nllb-moe", architectures=["NllbMoeForConditionalGeneration"])
    experts = [each for each in found.parameters if each.role == "expert"]
    layers = {each.part: each.layers for each in experts}
    assert layers["encoder"] == layers["language"] == (3, 7, 11)
    assert {type(cache).__name__ for cache in found.caches} == {"AttentionCache", "CrossCache"}
