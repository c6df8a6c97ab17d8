"""bitsandbytes: rows of int8, blocks of 64, two levels of scales; and what it leaves in 16 bits."""

import pytest
from layouts import LLAMA_3_1_8B, group, linear, loading, model, packed

from fiche.estimators.quantisation.bitsandbytes import MEMBER

NF4 = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
DOUBLE = {**NF4, "bnb_4bit_use_double_quant": True}
INT8 = {"quant_method": "bitsandbytes", "load_in_8bit": True}


def test_int8_has_one_fp32_a_row():
    """Linear8bitLt: CB int8, SCB one float32 an output."""
    assert packed(MEMBER, model(linear(3, 5), quantization=INT8)) == [(15, 12)]


def test_four_bits_have_one_fp32_a_block_of_64_and_their_code():
    """4096 x 4096: 8 388 608 B of values; 262 144 blocks x 4 B, and 16 fp32 of code."""
    assert packed(MEMBER, model(linear(4096, 4096), quantization=NF4)) == [
        (8_388_608, 1_048_576 + 64)
    ]


def test_double_quantisation_has_a_byte_a_block_and_a_fp32_for_256():
    """262 144 + 1024 x 4, both codes (64 + 1024 B) and the offset."""
    assert packed(MEMBER, model(linear(4096, 4096), quantization=DOUBLE)) == [
        (8_388_608, 262_144 + 4096 + 64 + 1024 + 4)
    ]


def test_odd_columns_pad_the_last_byte_and_the_last_block():
    """3 x 5 = 15 values: 8 bytes, one block."""
    assert packed(MEMBER, model(linear(3, 5), quantization=NF4)) == [(8, 4 + 64)]


@pytest.mark.parametrize("role", ["embedding", "norm", "router", "bias", "head"])
def test_only_linear_modules_are_quantised(role):
    held = model(group("model.x.weight", role, 64, 64), quantization=NF4)
    assert packed(MEMBER, held) == [(None, None)]


def test_named_modules_are_left_alone_and_no_others():
    skip = {**NF4, "llm_int8_skip_modules": ["model.layers.1.mlp", "lm_head"]}
    held = model(linear(64, 64, layers=range(4)), quantization=skip)
    parts = MEMBER.packed(held, held.parameters[0], loading(held))
    assert [(part.copies.low, part.values is None) for part in parts] == [(1, True), (3, False)]


def test_a_list_without_the_head_quantises_it():
    """transformers 5.24: an explicit list stands instead of the default one."""
    held = model(
        group("lm_head.weight", "head", 64, 64),
        quantization={**NF4, "llm_int8_skip_modules": ["gate"]},
    )
    assert packed(MEMBER, held)[0][0] == 2048


def test_fused_experts_stay_in_16_bits_from_transformers_5_on():
    """bitsandbytes issue 1780: a 3-D parameter is no nn.Linear."""
    experts = group("model.layers.*.mlp.experts.down_proj", "expert", 8, 64, 64, layers=(0,))
    held = model(experts, model_type="qwen3_moe", quantization=NF4)
    five = {"engine__name": "transformers", "engine__version": "5.24.0"}
    four = {"engine__name": "transformers", "engine__version": "4.57.6"}
    assert packed(MEMBER, held, **five) == [(None, None)]
    assert packed(MEMBER, held, **four)[0][0] == 8 * 2048
    (part,) = MEMBER.packed(held, experts, loading(held))
    assert "one tensor" in part.or_kept


def test_untold_double_quantisation_on_the_fly_is_a_range():
    held = model(linear(4096, 4096))
    (part,) = MEMBER.packed(held, held.parameters[0], loading(held, formats__loaded="nf4"))
    assert (part.beside.low, part.beside.high) == (267_332, 1_048_640)


def test_llama_3_1_8b_holds_5_70_gb():
    """Formula sheet 2.4: 3.60 GB of linear layers and 2.10 GB in 16 bits, not 4.0."""
    from fiche.estimators.weights import MEMBER as WEIGHTS

    told = {"formats__loaded": "nf4", "engine__settings__bnb_4bit_use_double_quant": "yes"}
    (node,) = WEIGHTS.estimate(loading(model(*LLAMA_3_1_8B), **told), None)
    sixteen = 2 * (2 * 128256 * 4096 + 65 * 4096)
    blocks = 6_979_321_856 // 64
    scales = blocks + blocks // 256 * 4 + 224 * (64 + 1024 + 4)
    assert node.low == node.high == sixteen + 6_979_321_856 // 2 + scales == 5_702_540_160


def test_it_says_that_the_load_goes_through_16_bits():
    conditions = MEMBER.conditions(model(linear(64, 64)), loading(model(linear(64, 64))))
    assert "16-bit shards" in conditions[0].text
