"""Moonshine: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("moonshine", "MoonshineForConditionalGeneration", {}, 27_092_736),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_grouped_heads_are_asked_for():
    assert model("moonshine", decoder_num_key_value_heads=2).open
