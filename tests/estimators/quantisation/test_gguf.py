"""GGUF: whole blocks a row, vectors in F32, and mixes that no name tells."""

import gguf
import pytest
from layouts import group, linear, loading, model, packed

from fiche.estimators.quantisation.gguf import MEMBER
from fiche.kernel.gguf_block import BLOCKS, block_of


def test_blocks_are_those_of_the_gguf_library():
    ours = {name: (block.values, block.num_bytes) for name, block in BLOCKS.items()}
    theirs = {kind.name: shape for kind, shape in gguf.GGML_QUANT_SIZES.items()}
    assert {name: ours.get(name) for name in theirs} == theirs


@pytest.mark.parametrize("name", ["Q8_0_R8", "q4_k_r4", "IQ4_KS"])
def test_interleaved_types_are_the_same_type(name):
    assert block_of(name) == BLOCKS[name.upper().removesuffix("_R8").removesuffix("_R4")]


def test_q8_0_is_34_bytes_for_32_values():
    assert packed(MEMBER, model(linear(64, 64)), formats__storage="q8_0") == [(64 * 2 * 34, None)]


@pytest.mark.parametrize(("word", "width"), [("bf16", 2), ("fp16", 2), ("fp32", 4)])
def test_plain_types(word, width):
    assert packed(MEMBER, model(linear(64, 64)), formats__storage=word) == [(4096 * width, None)]


@pytest.mark.parametrize("role", ["norm", "bias", "router", "convolution", "recurrent"])
def test_small_parameters_stay_in_f32(role):
    held = model(group("model.x.weight", role, 64))
    assert packed(MEMBER, held, formats__storage="q8_0") == [(256, None)]


def test_rows_that_do_not_fill_a_block_take_a_whole_one():
    assert packed(MEMBER, model(linear(3, 40)), formats__storage="q8_0") == [(3 * 2 * 34, None)]


def test_a_vision_tower_is_a_file_of_its_own():
    held = model(group("visual.x.weight", "linear", 64, 64, part="vision"))
    assert packed(MEMBER, held, formats__storage="q8_0") == [(0, None)]


@pytest.mark.parametrize("word", ["Q4_K_M", "q4_0", "IQ3_XS", "q6_k"])
def test_a_name_of_a_mix_tells_no_bytes(word):
    """Formula sheet 2.4: Q4_K_M is 4.82 to 4.93 bits a value: read tensors, never the name."""
    held = model(linear(64, 64))
    (part,) = MEMBER.packed(held, held.parameters[0], loading(held, formats__storage=word))
    assert part.values.high is None
    assert "give the file's tensors" in part.values.condition.text


def test_experts_of_gpt_oss_stay_mxfp4_whatever_the_file_is_called():
    """Truth 7: a "Q8_0" of gpt-oss-120b has 4.34 bits a value; blocks run along the inputs, held first."""
    experts = group("model.layers.*.mlp.experts.down_proj", "expert", 2, 64, 3, layers=(0,))
    held = model(experts, model_type="gpt_oss")
    assert packed(MEMBER, held, formats__storage="q8_0") == [(2 * 3 * 2 * 17, None)]
