"""OLMo 1 to 3 (weights-017)."""

import pytest
from families.decoders import model, parameters, reaches


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(6_888_095_744, "olmo", {"vocab_size": 50304}, id="OLMo-7B-hf"),
        pytest.param(7_298_617_344, "olmo2", {"vocab_size": 100352}, id="OLMo-2-7B"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_olmo_3_slides_in_three_of_four_layers():
    found = model("olmo3", num_hidden_layers=4, sliding_window=4096)
    assert reaches(found) == [*[("sliding", 4096)] * 3, ("full", None)]


def test_the_first_olmo_has_norms_without_weights():
    assert not [group for group in model("olmo").parameters if group.role == "norm"]
