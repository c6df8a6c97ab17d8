"""Qwen2.5-Omni and Qwen3-Omni: counts of the library's own classes (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("qwen2_5_omni_thinker", "Qwen2_5OmniThinkerForConditionalGeneration", {}, 11_338_288_896),
        (
            "qwen3_omni_moe_thinker",
            "Qwen3OmniMoeThinkerForConditionalGeneration",
            {},
            18_418_329_704,
        ),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count


@pytest.mark.parametrize("model_type", ["qwen2_5_omni", "qwen3_omni_moe"])
def test_a_whole_keeps_what_its_thinking_part_keeps_and_asks_for_the_rest(model_type):
    whole, part = model(model_type), model(f"{model_type}_thinker")
    assert [len(cache.layers) for cache in whole.caches] == [len(c.layers) for c in part.caches]
    assert len(whole.open) == len(part.open) + 1
    assert all(group.name.startswith("thinker.") for group in whole.parameters)
