"""Layouts beside the modules that transformers 5.24 builds: their parameters and buffers, to the byte."""

import pytest
from layouts import linear, loading, model

from fiche.estimators.quantisation.fp8 import MEMBER as FP8
from fiche.estimators.quantisation.rowwise import MEMBER as ROWWISE

pytestmark = pytest.mark.torch

SHAPES = [(64, 128), (257, 385), (128, 128)]


def held(module):
    """Bytes of a module's parameters and of the buffers that are saved with it."""
    return sum(each.numel() * each.element_size() for each in module.state_dict().values())


def ours(member, outputs, inputs, told):
    of = model(linear(outputs, inputs), quantization=told)
    (part,) = member.packed(of, of.parameters[0], loading(of))
    assert part.values.exact
    assert part.beside.exact
    return part.values.low + part.beside.low


@pytest.mark.parametrize(("outputs", "inputs"), SHAPES)
@pytest.mark.parametrize("scheme", ["dynamic", "static"])
@pytest.mark.parametrize("block", [None, [128, 128], [1, 32]])
def test_fp8(outputs, inputs, scheme, block):
    import torch
    from transformers.integrations.finegrained_fp8 import FP8Linear

    with torch.device("meta"):
        theirs = FP8Linear(inputs, outputs, block_size=block, activation_scheme=scheme)
    told = {"quant_method": "fp8", "activation_scheme": scheme, "weight_block_size": block}
    assert held(theirs) == ours(FP8, outputs, inputs, told)


@pytest.mark.parametrize(("outputs", "inputs"), SHAPES)
def test_fbgemm_fp8(outputs, inputs):
    from transformers.integrations.fbgemm_fp8 import FbgemmFp8Linear

    theirs = FbgemmFp8Linear(inputs, outputs, bias=False)
    assert held(theirs) == ours(FP8, outputs, inputs, {"quant_method": "fbgemm_fp8"})


@pytest.mark.parametrize(("outputs", "inputs"), SHAPES)
def test_eetq(outputs, inputs):
    from transformers.integrations.eetq import EetqLinear

    assert held(EetqLinear(inputs, outputs)) == ours(
        ROWWISE, outputs, inputs, {"quant_method": "eetq"}
    )


@pytest.mark.parametrize(("outputs", "inputs"), [(64, 128), (128, 128)])
def test_bitnet(outputs, inputs):
    import torch
    from transformers.integrations.bitnet import BitLinear

    theirs = BitLinear(inputs, outputs, bias=False, dtype=torch.bfloat16)
    assert held(theirs) == ours(ROWWISE, outputs, inputs, {"quant_method": "bitnet"})


def test_what_is_left_alone_is_what_transformers_leaves_alone():
    """The same names and patterns, by transformers' own rule and by ours, on the names of a decoder."""
    from transformers.quantizers.quantizers_utils import should_convert_module

    from fiche.estimators.quantisation._patterns import named, patterns

    modules = [
        f"model.layers.*.{name}"
        for name in ("mlp.gate", "mlp.gate_proj", "mlp.up_proj", "self_attn.q_proj", "mlp.experts")
    ]
    for written in (
        ["model.layers.1"],
        ["model.layers.1.mlp.gate", "model.layers.11.mlp.gate"],
        ["gate"],
        ["mlp.gate"],
        ["up_proj", "q_proj"],
        ["model.layers.*.mlp.gate"],
        ["model.layers.[02].mlp"],
        ["model.layers.2.self_attn", "lm_head"],
    ):
        found = patterns(written)
        for module in modules:
            theirs = {
                layer
                for layer in range(13)
                if not should_convert_module(module.replace("*", str(layer)), written)
            }
            assert named(module, range(13), found) == theirs, (written, module)
