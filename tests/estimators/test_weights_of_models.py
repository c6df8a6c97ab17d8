"""Weights of a model whose files are given: by tensors, by modules, stored and loaded (A1, B4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYER, LLAMA_3_1_8B, group, linear, loading, model

from fiche.estimators._weights import open_formats, stored_of
from fiche.estimators.weights import MEMBER
from fiche.kernel.checkpoint import Checkpoint, CheckpointFile, TensorGroup
from fiche.kernel.condition import Condition
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions, walk
from fiche.kernel.unit import BYTE

PARAMETERS = 8_030_261_248
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128, "checkpoint_format": "gptq"}


def weights(of, **told):
    (node,) = MEMBER.estimate(loading(of, **told), None)
    return node


def steps(node):
    return {each.id: each for each in walk(node) if each.id.startswith("weights.")}


def llama(**more):
    return model(*LLAMA_3_1_8B, **more)


# --- By modules -------------------------------------------------------------------------------


def test_each_step_is_named_and_they_add_up():
    node = weights(llama())
    found = steps(node)
    assert (node.low, node.high, node.unit, node.id) == (2 * PARAMETERS,) * 2 + (BYTE, "weights")
    assert set(found) == {f"weights.{s}" for s in ("embedding", "linear", "other", "head")}
    assert sum(each.low for each in found.values()) == node.low
    assert found["weights.head"].low == 2 * 128256 * 4096


def test_explain_shows_where_the_16_bit_head_is():
    found = steps(weights(llama(quantization=GPTQ)))
    assert found["weights.head"].label == "output head: unquantised"
    assert found["weights.linear"].label == "linear layers: GPTQ"
    assert found["weights.linear"].low == 6_979_321_856 // 2
    assert found["weights.scales"].low > 0


def test_layers_that_a_list_leaves_alone_are_a_step_of_their_own():
    told = {**GPTQ, "modules_to_not_convert": ["model.layers.0"]}
    found = steps(weights(llama(quantization=told)))
    assert found["weights.linear_kept"].low == 2 * 6_979_321_856 // 32


def test_the_width_comes_from_config_or_fiche_or_is_asked():
    assert weights(llama(storage="fp32")).low == 4 * PARAMETERS
    assert weights(llama(storage=""), formats__storage="fp16").low == 2 * PARAMETERS
    node = weights(llama(storage=""))
    assert (node.low, node.high) == (0, None)
    assert "dtype" in conditions(node)[0].text


def test_blocks_that_the_class_leaves_out_are_stored_and_not_loaded():
    more = group("model.mtp.proj.weight", "linear", 8, 8, part="prediction", loaded=False)
    held = model(linear(8, 8), more)
    assert weights(held).low == 128
    assert stored_of(loading(held), held).low == 256


def test_what_the_family_did_not_understand_opens_the_high_end():
    """C2: fail closed; the floor stays."""
    asked = Condition(topic="architecture", text="say what layers of type 'x' keep")
    node = weights(llama(open=(asked,)))
    assert (node.low, node.high) == (2 * PARAMETERS, None)
    assert conditions(node) == (asked,)


def test_a_model_of_an_unknown_family_asks_or_takes_the_stated_count():
    asked = Condition(topic="architecture", text="give its tensors")
    held = model(open=(asked,))
    assert conditions(weights(held)) == (asked,)
    assert weights(held, model__parameters=7, formats__storage="bf16").low == 14


# --- Formats ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quantization", "word"), [(GPTQ, "int4"), (GPTQ, "gptq"), (None, "bf16"), (None, "fp16")]
)
def test_words_that_agree_with_the_configuration_change_nothing(quantization, word):
    held = llama(quantization=quantization)
    assert weights(held, formats__storage=word).high == weights(held).high


def test_a_contradiction_is_a_range_never_silently_one():
    node = weights(llama(quantization=GPTQ), formats__storage="bf16")
    assert (node.low, node.high) == (weights(llama(quantization=GPTQ)).low, 2 * PARAMETERS)
    because = [each.origin.because for each in walk(node) if getattr(each.origin, "because", "")]
    assert any("config.json says gptq, formats.storage says bf16" in each for each in because)
    assert weights(llama(quantization=GPTQ), formats__storage="bf16", formats__loaded="bf16").exact


def test_a_quantised_word_without_a_quantised_checkpoint_is_a_range_until_loaded_is_told():
    assert not weights(llama(), formats__storage="nf4").exact
    told = {"engine__settings__bnb_4bit_use_double_quant": "no"}
    node = weights(llama(), formats__storage="bf16", formats__loaded="nf4", **told)
    assert node.exact


def test_a_checkpoint_loaded_in_another_width():
    node = weights(llama(storage="fp32"), formats__loaded="bf16")
    assert node.low == node.high == 2 * PARAMETERS
    held = llama(storage="fp32")
    assert stored_of(loading(held, formats__loaded="bf16"), held).low == 4 * PARAMETERS


def test_a_quantised_checkpoint_loaded_as_bf16_is_dequantised():
    assert weights(llama(quantization=GPTQ), formats__loaded="bf16").low == 2 * PARAMETERS


@pytest.mark.parametrize("method", ["aqlm", "quark", "a quantisation without a name"])
def test_a_method_that_is_not_covered_is_a_question_and_never_a_nominal_width(method):
    node = weights(llama(quantization={"quant_method": method}))
    assert node.high is None
    assert f"the layout of {method} is not covered here" in conditions(node)[0].text
    assert node.low == 2 * (PARAMETERS - 6_979_321_856)


def test_int4_alone_names_no_layout():
    assert weights(llama(storage=""), formats__storage="int4").high is None


def test_transformers_before_5_may_load_fp32():
    four = weights(llama(), engine__name="transformers", engine__version="4.57.6")
    assert (four.low, four.high) == (2 * PARAMETERS, 4 * PARAMETERS)
    assert weights(llama(), engine__name="transformers", engine__version="5.24.0").exact
    told = {"engine__name": "transformers", "engine__version": "4.57.6", "formats__loaded": "bf16"}
    assert weights(llama(), **told).exact


def test_vllm_may_load_fp32_checkpoints_in_16_bits():
    node = weights(llama(storage="fp32"), engine__name="vllm")
    assert (node.low, node.high) == (2 * PARAMETERS, 4 * PARAMETERS)


def test_conditions_name_what_would_change_the_format():
    told = loading(llama(quantization=GPTQ))
    assert any("GPTQ kernel" in each.text for each in open_formats(told))
    four = loading(llama(), engine__name="transformers", engine__version="4.57.6")
    assert any("torch_dtype" in each.text for each in open_formats(four))
    assert open_formats(loading(llama())) == ()


# --- Tensors ----------------------------------------------------------------------------------


def tensors(*groups, form="safetensors"):
    file = CheckpointFile(name="model.safetensors", num_bytes=300, header_bytes=40, sha256="1" * 64)
    return Checkpoint(
        format=form, groups=groups, files=(file,), metadata={}, sha256="2" * 64, file="tensors.json"
    )


def tensor(name, *shape, dtype="BF16", count=1, layers=()):
    width = {"BF16": 2, "F32": 4, "I64": 8, "U8": 1, "Q8_0": 0}[dtype]
    product = 1
    for side in shape:
        product *= side
    return TensorGroup(
        name=name,
        dtype=dtype,
        shape=shape,
        count=count,
        num_bytes=product * width if width else product * 34 // 32,
        layers=layers,
    )


SMALL = (
    group("model.embed_tokens.weight", "embedding", 10, 4),
    group(f"{LAYER}mlp.up_proj.weight", "linear", 8, 4, layers=(0, 1)),
)
FILES = (
    tensor("model.embed_tokens.weight", 10, 4),
    tensor("model.layers.*.mlp.up_proj.weight", 8, 4, count=2, layers=(0, 1)),
)


def test_stored_tensors_are_exact_and_come_first():
    held = model(*SMALL, tied=True, checkpoint=tensors(*FILES))
    node = weights(held)
    assert (node.low, node.high) == (208, 208)
    assert stored_of(loading(held), held).low == 208


def test_a_tied_head_that_is_stored_is_loaded_once():
    """Truth 1: neither config nor class tells whether it is stored: the tensors do."""
    held = model(*SMALL, tied=True, checkpoint=tensors(*FILES, tensor("lm_head.weight", 10, 4)))
    assert stored_of(loading(held), held).low == 288
    assert weights(held).low == weights(held).high == 208


def test_buffers_may_be_loaded_or_not():
    buffer = tensor("model.embeddings.position_ids", 1, 12, dtype="I64")
    held = model(*SMALL, tied=True, checkpoint=tensors(*FILES, buffer))
    assert (weights(held).low, weights(held).high) == (208, 304)


def test_tensors_without_a_configuration():
    held = replace(model(checkpoint=tensors(*FILES), storage=""), config=None)
    node = weights(held)
    assert node.low == node.high == 208
    assert "config.json is not given" in node.left_out[0]
    assert weights(held, formats__loaded="fp32").low == 416


def test_tensors_loaded_otherwise_than_stored():
    full = tuple(replace(each, dtype="F32", num_bytes=each.num_bytes * 2) for each in FILES)
    held = model(*SMALL, tied=True, storage="fp32", checkpoint=tensors(*full))
    assert weights(held).low == 416
    assert weights(held, formats__loaded="bf16").low == 208


def test_headers_and_configuration_that_name_two_types_are_a_range():
    """Formula sheet 2.4: the headers' type, not torch_dtype, is what is stored."""
    full = tuple(replace(each, dtype="F32", num_bytes=each.num_bytes * 2) for each in FILES)
    held = model(*SMALL, tied=True, storage="bf16", checkpoint=tensors(*full))
    assert (weights(held).low, weights(held).high) == (208, 416)


def test_llama_cpp_keeps_the_embedding_in_host_memory_or_holds_it_twice():
    embedding = tensor("token_embd.weight", 32, 32, dtype="Q8_0")
    block = tensor("blk.*.ffn_up.weight", 32, 32, dtype="Q8_0")
    tied = model(checkpoint=tensors(embedding, block, form="gguf"))
    head = tensor("output.weight", 32, 32, dtype="Q8_0")
    untied = model(checkpoint=tensors(embedding, block, head, form="gguf"))
    one = 32 * 34
    assert (weights(tied).low, weights(tied).high) == (2 * one, 3 * one)
    assert (weights(untied).low, weights(untied).high) == (2 * one, 3 * one)
    assert weights(tied, engine__name="vllm").high == 2 * one


def test_a_gguf_of_one_type_over_the_modules():
    node = weights(llama(), formats__storage="q8_0", engine__name="llama.cpp")
    embedding = 128256 * 4096 * 34 // 32
    whole = 6_979_321_856 * 34 // 32 + 2 * embedding + 65 * 4096 * 4
    assert (node.low, node.high) == (whole - embedding, whole)
    assert weights(llama(), formats__storage="q4_k_m").high is None


@pytest.mark.parametrize("quantization", [GPTQ, {"quant_method": "fp8"}])
def test_llama_cpp_loads_gguf_files_whatever_the_configuration_is_packed_in(quantization):
    """No build of it reads GPTQ, AWQ or FP8 checkpoints: the file that is loaded is another one."""
    held = llama(quantization=quantization)
    node = weights(held, engine__name="llama.cpp")
    assert node.high is None
    assert any("one type of all matrices" in each.text for each in conditions(node))
    told = {"formats__storage": "q8_0", "engine__name": "llama.cpp"}
    assert weights(held, **told).high == weights(llama(), **told).high


def test_tensors_of_another_file_are_not_what_llama_cpp_loads():
    """A safetensors checkpoint is converted first, to a type that the fiche has to name."""
    held = model(*SMALL, tied=True, checkpoint=tensors(*FILES))
    assert weights(held, engine__name="vllm").exact
    assert weights(held, engine__name="llama.cpp").high is None
    assert weights(held, engine__name="llama.cpp", formats__storage="f16").high is not None


def test_what_a_gguf_surely_holds_stays_beside_an_open_type():
    """Vectors are F32 whatever the type is: 65 norms of 4096 values."""
    node = weights(llama(), engine__name="llama.cpp")
    assert (node.low, node.high) == (65 * 4096 * 4, None)


# --- Placement --------------------------------------------------------------------------------


def test_on_several_devices_it_is_that_of_the_most_loaded_one():
    node = weights(llama(), placement__tensor_parallel=2, engine__name="vllm")
    assert node.id == "weights.per_device"
    assert PARAMETERS <= node.low <= PARAMETERS + 65 * 4096 * 2
    count = weights(
        None, model__parameters=8, formats__storage="bf16", placement__tensor_parallel=2
    )
    assert (count.id, count.low, count.high) == ("weights.per_device", 8, 16)


# --- Laws -------------------------------------------------------------------------------------

SIDE = st.integers(1, 300)


@given(SIDE, SIDE, st.sampled_from([3, 4]))
def test_more_of_anything_is_never_less(outputs, inputs, bits):
    told = {**GPTQ, "bits": bits}

    def held(rows, columns):
        return weights(model(linear(rows, columns), quantization=told))

    one = held(outputs, inputs)
    assert held(outputs + 1, inputs).low >= one.low
    assert held(outputs, inputs + 1).low >= one.low
    assert type(one.low) is int


@given(st.integers(1, 16).map(lambda n: n * 128), st.integers(1, 16).map(lambda n: n * 128))
def test_four_bits_take_less_than_sixteen_and_more_than_four(outputs, inputs):
    plain = weights(model(linear(outputs, inputs))).low
    for quantization in (
        GPTQ,
        {"quant_method": "awq", "bits": 4, "group_size": 128},
        {"quant_method": "modelopt", "quant_algo": "NVFP4"},
    ):
        packed = weights(model(linear(outputs, inputs), quantization=quantization))
        assert plain // 4 < packed.low <= packed.high < plain // 2


def test_the_three_formats_are_three_fields():
    """B4: what is computed in moves no byte of the weights."""
    assert weights(llama(), formats__compute="fp32").high == 2 * PARAMETERS
    assert weights(llama(), formats__cache="fp8_e4m3").high == 2 * PARAMETERS
