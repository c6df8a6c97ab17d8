"""BLIP-2 and InstructBLIP: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("blip-2", "Blip2ForConditionalGeneration", {}, 1_216_944_384),
        ("instructblip", "InstructBlipForConditionalGeneration", {}, 1_297_466_112),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_an_image_is_as_many_tokens_as_queries():
    images = model("blip-2").images
    assert (images.kind, images.tokens.low) == ("fixed", 32)


def test_a_t5_behind_the_queries_keeps_what_an_encoder_gives():
    found = model("blip-2", text_config={"model_type": "t5"})
    assert {type(cache).__name__ for cache in found.caches} == {"AttentionCache", "CrossCache"}
