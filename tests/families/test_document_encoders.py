"""Encoders of documents, tables and entities: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("layoutlmv3", "LayoutLMv3Model", {}, 125_326_208),
        ("lilt", "LiltModel", {}, 115_591_232),
        ("tapas", "TapasForQuestionAnswering", {}, 110_673_410),
        ("luke", "LukeModel", {}, 274_500_608),
        ("markuplm", "MarkupLMModel", {}, 120_038_144),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
