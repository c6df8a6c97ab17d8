"""AWQ: eight values an int32, zero points packed alike, 16-bit scales."""

import pytest
from layouts import group, linear, model, packed

from fiche.estimators.quantisation.awq import MEMBER


def awq(**more):
    return {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm", **more}


def test_groups_of_128_take_4_15625_bits():
    """Formula sheet 2.4: 4 + 16/128 + 4/128."""
    ((values, beside),) = packed(MEMBER, model(linear(4096, 4096), quantization=awq()))
    assert (values, beside) == (8_388_608, 32 * 4096 * 2 + 32 * 4096 // 2)
    assert (values + beside) * 8 / 4096**2 == 4.15625


def test_without_zero_points():
    assert packed(MEMBER, model(linear(64, 128), quantization=awq(zero_point=False)))[0][1] == 128


def test_one_group_for_all_inputs():
    assert packed(MEMBER, model(linear(64, 512), quantization=awq(group_size=-1)))[0][1] == 128 + 32


@pytest.mark.parametrize("told", [awq(bits=3), awq(version="gemv"), awq(version="llm-awq")])
def test_what_is_not_known_stays_open(told):
    held = model(linear(64, 64), quantization=told)
    (part,) = MEMBER.packed(held, held.parameters[0], None)
    assert part.values.high is None


def test_a_vision_tower_and_named_modules_stay_in_16_bits():
    tower = group("visual.blocks.*.attn.qkv.weight", "linear", 64, 64, part="vision")
    assert packed(MEMBER, model(tower, quantization=awq())) == [(None, None)]
    told = awq(modules_to_not_convert=["up_proj"])
    assert packed(MEMBER, model(linear(64, 64), quantization=told)) == [(None, None)]


def test_llama_3_70b_takes_37_03_gib():
    """Formula sheet 2.2, norms beside; vLLM printed 37.06 GiB for it."""
    from layouts import LAYER, loading

    from fiche.estimators.weights import MEMBER as WEIGHTS

    h, kv, inner, vocabulary, layers = 8192, 1024, 28672, 128256, 80
    shapes = [("q_proj", h, h), ("k_proj", kv, h), ("v_proj", kv, h), ("o_proj", h, h)]
    shapes += [("gate_proj", inner, h), ("up_proj", inner, h), ("down_proj", h, inner)]
    held = model(
        group("model.embed_tokens.weight", "embedding", vocabulary, h),
        *(group(f"{LAYER}{n}.weight", "linear", o, i, layers=range(layers)) for n, o, i in shapes),
        group(f"{LAYER}input_layernorm.weight", "norm", h, layers=range(layers)),
        group(f"{LAYER}post_attention_layernorm.weight", "norm", h, layers=range(layers)),
        group("model.norm.weight", "norm", h),
        group("lm_head.weight", "head", vocabulary, h),
        storage="fp16",
        quantization=awq(),
    )
    (node,) = WEIGHTS.estimate(loading(held, formats__storage="int4"), None)
    linears = 80 * (2 * h * h + 2 * kv * h + 3 * inner * h)
    matrices = linears * 133 // 256 + 2 * 2 * vocabulary * h
    assert round(matrices / 2**30, 2) == 37.03
    assert node.low == node.high == matrices + 161 * h * 2
    assert 0 < 37.06 * 2**30 - node.low < 65 * 2**20
