"""OPT, XGLM and BioGPT."""

import pytest
from families.decoders import exact, model, parameters


@pytest.mark.parametrize(
    ("published", "model_type", "values"),
    [
        pytest.param(125_239_296, "opt", {}, id="opt-125m"),
        pytest.param(
            331_196_416,
            "opt",
            {
                "hidden_size": 1024,
                "ffn_dim": 4096,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "word_embed_proj_dim": 512,
                "do_layer_norm_before": False,
            },
            id="opt-350m",
        ),
        pytest.param(564_463_616, "xglm", {}, id="xglm-564M"),
        pytest.param(346_763_264, "biogpt", {}, id="biogpt"),
    ],
)
def test_parameters_are_those_published(published, model_type, values):
    found = model(model_type, **values)
    assert found.open == ()
    assert parameters(found) == published


def test_positions_begin_at_the_second_row():
    table = next(group for group in model("opt").parameters if group.role == "position")
    assert [exact(side) for side in table.shape] == [2050, 768]
