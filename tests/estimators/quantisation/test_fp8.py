"""FP8: a scale a block, a row or a module; and the silent fall-back to bf16."""

import pytest
from layouts import group, linear, loading, model, packed

from fiche.estimators.quantisation.fp8 import MEMBER


def fp8(**more):
    return {"quant_method": "fp8", "activation_scheme": "dynamic", **more}


def test_blocks_of_128_by_128_have_a_fp32_each_edges_too():
    told = fp8(weight_block_size=[128, 128])
    assert packed(MEMBER, model(linear(256, 384), quantization=told)) == [(98304, 6 * 4)]
    assert packed(MEMBER, model(linear(257, 385), quantization=told)) == [(98945, 12 * 4)]


def test_without_blocks_a_module_has_one_scale():
    assert packed(MEMBER, model(linear(64, 64), quantization=fp8())) == [(4096, 4)]


def test_static_activations_have_a_scale_too():
    told = fp8(activation_scheme="static")
    assert packed(MEMBER, model(linear(64, 64), quantization=told)) == [(4096, 8)]


def test_one_byte_scales():
    told = fp8(weight_block_size=[128, 128], scale_fmt="ue8m0")
    assert packed(MEMBER, model(linear(256, 256), quantization=told)) == [(65536, 4)]
    told = {"quant_method": "mxfp8"}
    assert packed(MEMBER, model(linear(64, 64), quantization=told)) == [(4096, 128)]


def test_fbgemm_has_a_fp32_a_row():
    told = {"quant_method": "fbgemm_fp8"}
    assert packed(MEMBER, model(linear(64, 128), quantization=told)) == [(8192, 256)]


def test_a_word_of_the_fiche_alone_leaves_the_scales_a_range():
    held = model(linear(64, 128))
    told = loading(held, formats__storage="fp8_e4m3")
    (part,) = MEMBER.packed(held, held.parameters[0], told)
    assert (part.values.low, part.beside.low, part.beside.high) == (8192, 4, 256)


def test_experts_of_deepseek_are_blocks_too():
    experts = group("model.layers.*.mlp.experts.gate_up_proj", "expert", 2, 512, 256, layers=(0,))
    held = model(experts, model_type="deepseek_v3", quantization=fp8(weight_block_size=[128, 128]))
    assert packed(MEMBER, held) == [(2 * 512 * 256, 2 * 8 * 4)]


@pytest.mark.parametrize(
    ("told", "falls_back"),
    [
        ({}, True),
        ({"engine__name": "transformers"}, True),
        ({"engine__name": "transformers", "engine__settings__fp8_kernels": "yes"}, False),
        ({"engine__name": "vllm"}, False),
    ],
)
def test_who_may_load_bf16_instead(told, falls_back):
    held = model(linear(64, 64), quantization=fp8())
    assert bool(MEMBER.dequantised(held, loading(held, **told))) is falls_back
    assert bool(MEMBER.conditions(held, loading(held, **told))) is falls_back


def deepseek_v3():
    """DeepSeek-V3 with the block that predicts a further token; experts by the projection."""
    h, heads, inner, expert = 7168, 128, 18432, 2048
    attention = (
        ("q_a_proj", 1536, h),
        ("q_b_proj", heads * 192, 1536),
        ("kv_a_proj_with_mqa", 576, h),
        ("kv_b_proj", heads * 256, 512),
        ("o_proj", h, heads * 128),
    )
    gated = (("gate_proj", None, h), ("up_proj", None, h), ("down_proj", h, None))
    every, sparse, dense = range(62), range(3, 62), range(3)
    linears = [(f"self_attn.{n}", o, i, every) for n, o, i in attention]
    linears += [(f"mlp.{n}", o or inner, i or inner, dense) for n, o, i in gated]
    linears += [(f"shared_experts.{n}", o or expert, i or expert, sparse) for n, o, i in gated]
    experts = [
        group(
            f"model.layers.*.mlp.experts.{n}",
            "expert",
            256,
            o or expert,
            i or expert,
            layers=sparse,
        )
        for n, o, i in gated
    ]
    bias = group("model.layers.*.mlp.gate.e_score_correction_bias", "buffer", 256, layers=sparse)
    return model(
        *(linear(o, i, layers=where, name=name) for name, o, i, where in linears),
        *experts,
        bias,
        model_type="deepseek_v3",
        quantization=fp8(weight_block_size=[128, 128]),
    )


def test_deepseek_v3_by_type_to_the_value():
    """The hub's counts of deepseek-ai/DeepSeek-V3: 680 571 043 840 FP8 values, 41 555 600 fp32."""
    held = deepseek_v3()
    told = loading(held, engine__name="vllm")
    parts = [part for each in held.parameters for part in MEMBER.packed(held, each, told)]
    values = sum(part.copies.low * part.values.low for part in parts if part.values is not None)
    scales = sum(part.copies.low * part.beside.low for part in parts if part.beside is not None)
    assert values == 680_571_043_840
    assert scales // 4 + 59 * 256 == 41_555_600

    from fiche.estimators.weights import MEMBER as WEIGHTS

    (node,) = WEIGHTS.estimate(told, None)
    assert node.low == node.high == 680_571_043_840 + 4 * 41_555_600
