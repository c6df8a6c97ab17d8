"""GPTQ: packed columns, one row of scales and zero points a group, an index for each input."""

import pytest
from layouts import group, linear, model, packed

from fiche.estimators.quantisation.gptq import MEMBER


def gptq(**more):
    return {
        "quant_method": "gptq",
        "bits": 4,
        "group_size": 128,
        "checkpoint_format": "gptq",
        **more,
    }


def test_four_bits_in_groups_of_128():
    """4096 x 4096: qweight 8 MiB; 32 groups x 4096 x (2 B + 4 bits); g_idx 4 B an input."""
    beside = 32 * 4096 * 2 + 32 * 4096 // 2 + 4096 * 4
    assert packed(MEMBER, model(linear(4096, 4096), quantization=gptq())) == [(8_388_608, beside)]


@pytest.mark.parametrize(("bits", "values"), [(2, 1024), (3, 1536), (4, 2048), (8, 4096)])
def test_bits(bits, values):
    told = gptq(bits=bits, group_size=64)
    beside = 64 * 2 + 64 * bits // 8 + 64 * 4
    assert packed(MEMBER, model(linear(64, 64), quantization=told)) == [(values, beside)]


def test_one_group_for_all_inputs():
    told = gptq(group_size=-1)
    assert packed(MEMBER, model(linear(64, 128), quantization=told)) == [
        (4096, 64 * 2 + 32 + 128 * 4)
    ]


def test_a_last_group_that_is_not_full_counts():
    told = gptq()
    assert packed(MEMBER, model(linear(64, 160), quantization=told))[0][1] == 2 * 64 * 2 + 64 + 640


def test_three_bit_scales_are_a_range_where_the_writer_is_not_told():
    """Truth 8: 4-bit files of 2023 fit 16-bit scales, 3-bit ones fit fp32."""
    told = {key: value for key, value in gptq(bits=3).items() if key != "checkpoint_format"}
    held = model(linear(128, 128), quantization=told)
    (part,) = MEMBER.packed(held, held.parameters[0], None)
    assert part.beside.high - part.beside.low == 128 * 2


@pytest.mark.parametrize(
    "told", [gptq(bits=5), gptq(checkpoint_format="marlin"), gptq(dynamic={"+:x": {"bits": 8}})]
)
def test_what_is_not_known_stays_open(told):
    held = model(linear(64, 64), quantization=told)
    (part,) = MEMBER.packed(held, held.parameters[0], None)
    assert part.values.high is None
    assert "not covered here" in part.values.condition.text


def test_head_and_router_are_left_alone_unless_the_file_says_otherwise():
    held = model(group("lm_head.weight", "head", 64, 64), quantization=gptq())
    assert packed(MEMBER, held) == [(None, None)]
    held = model(group("lm_head.weight", "head", 64, 64), quantization=gptq(lm_head=True))
    assert packed(MEMBER, held)[0][0] == 2048
    held = model(group("model.layers.*.mlp.gate.weight", "router", 64, 64), quantization=gptq())
    assert packed(MEMBER, held) == [(None, None)]


def test_experts_are_a_module_each_in_the_file():
    """gate and up of two experts: four modules, each with its own indices."""
    experts = group("model.layers.*.mlp.experts.gate_up_proj", "expert", 2, 128, 64, layers=(0,))
    held = model(experts, model_type="qwen3_moe", quantization=gptq(group_size=64))
    assert packed(MEMBER, held) == [(4 * 2048, 4 * (64 * 2 + 32 + 64 * 4))]
