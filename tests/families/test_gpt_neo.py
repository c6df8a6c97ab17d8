"""GPT-Neo, GPT-J and CodeGen."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(6_050_882_784, "gptj", {}, id="GPT-J-6B"),
        pytest.param(
            356_712_448,
            "codegen",
            {"n_embd": 1024, "n_head": 16, "n_layer": 20, "vocab_size": 51200},
            id="CodeGen-350M",
        ),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_local_layers_of_gpt_neo_keep_all_tokens_in_the_library():
    found = model("gpt_neo")
    assert {cache.reach for cache in found.caches} == {"full"}
    assert exact(found.caches[0].key_dim) == 128
