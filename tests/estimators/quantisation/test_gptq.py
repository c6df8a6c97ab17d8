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


@pytest.mark.parametrize(
    ("bits", "size", "printed"), [(4, 128, 3.6), (4, -1, 3.5), (3, 128, 3.0), (8, 128, None)]
)
def test_files_of_llama_7b(bits, size, printed):
    """GPTQ-for-LLaMa's README, GiB to a tenth: 32 layers of 4096 and 11008, vocabulary 32000."""
    from layouts import LAYER, loading

    from fiche.estimators.weights import MEMBER as WEIGHTS

    h, inner, deep = 4096, 11008, range(32)
    shapes = [(name, h, h) for name in ("q_proj", "k_proj", "v_proj", "o_proj")]
    shapes += [("gate_proj", inner, h), ("up_proj", inner, h), ("down_proj", h, inner)]
    held = model(
        group("model.embed_tokens.weight", "embedding", 32000, h),
        *(group(f"{LAYER}{n}.weight", "linear", o, i, layers=deep) for n, o, i in shapes),
        group(f"{LAYER}input_layernorm.weight", "norm", h, layers=deep),
        group(f"{LAYER}post_attention_layernorm.weight", "norm", h, layers=deep),
        group("model.norm.weight", "norm", h),
        group("lm_head.weight", "head", 32000, h),
        storage="fp16",
        quantization={"quant_method": "gptq", "bits": bits, "group_size": size},
    )
    (node,) = WEIGHTS.estimate(loading(held), None)
    linears = 6_476_005_376
    rows = 32 * (6 * h + inner) * 4
    groups = linears // 128 if size == 128 else 32 * (5 * h + 2 * inner)
    plain = 2 * (2 * 32000 * h + 65 * h)
    assert node.low == linears * bits // 8 + groups * 2 + groups * bits // 8 + rows + plain
    if printed is not None:
        assert node.low <= (printed + 0.1) * 2**30
        assert node.high >= (printed - 0.1) * 2**30
    assert node.exact is (bits != 3)
