"""LFM3: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("lfm3", "Lfm3ForCausalLM", {}, 1_728_801_536),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


def test_what_its_layers_keep():
    """24 layers: six see all, five a window of 256 (the first of their turn convolves), the rest convolve."""
    found = model("lfm3")
    kept = {getattr(each, "reach", "state"): each for each in found.caches}
    assert len(kept["full"].layers) == 6
    assert len(kept["sliding"].layers) == 5
    assert exact(kept["sliding"].window) == 256
    assert len(kept["state"].layers) == 24 - 11
