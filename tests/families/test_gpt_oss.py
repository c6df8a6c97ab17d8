"""GPT-OSS (weights-013)."""

import pytest
from families.decoders import model, parameters, reaches, values_per_token


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(
            20_914_757_184,
            "gpt_oss",
            {"num_hidden_layers": 24, "num_local_experts": 32},
            id="gpt-oss-20b",
        ),
        pytest.param(116_829_156_672, "gpt_oss", {}, id="gpt-oss-120b"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_every_other_layer_slides_over_128_tokens():
    """reference/estimators.md 2.2: the 120b keeps 0.286 GiB at 8,192 tokens in 16 bits."""
    found = model("gpt_oss")
    assert reaches(found) == [("sliding", 128), ("full", None)] * 18
    held = 2 * values_per_token(found) * 8192 + 18 * 2 * 8 * 64 * 2 * 128
    assert held == 306_708_480
