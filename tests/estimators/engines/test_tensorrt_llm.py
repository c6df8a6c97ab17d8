"""TensorRT-LLM: blocks of tokens, against what it printed."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.tensorrt_llm import MEMBER
from fiche.kernel.trace import conditions, walk

BLOCK = {"engine__settings__tokens_per_block": 32}


def totals(shape, tokens, sequences=1, member=MEMBER, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {each.id: each for node in member.cache(shape, load, where) for each in walk(node)}


def kept(shape, tokens, item="kv_cache", **told):
    node = totals(shape, tokens, **told)[f"limit.{item}"]
    return node.low, node.high


def test_bytes_a_token_of_qwen25_1_5b():
    """kv-023: 7.31 GiB for 273 792 tokens are 28 672 bytes each."""
    shape = shapes.model(shapes.attention(28, 2, 128))
    assert kept(shape, 273_792) == (273_792 * 28_672,) * 2
    assert abs(273_792 * 28_672 - 7_849_052_733) <= 5_368_709


def test_a_block_of_32_or_of_64():
    assert kept(shapes.LLAMA_8B, 33, **BLOCK) == (64 * 131_072,) * 2
    assert kept(shapes.LLAMA_8B, 1) == (32 * 131_072, 64 * 131_072)


def test_blocks_that_leave_a_window_are_freed():
    """docs/source/features/kvcache.md; or one window serves all layers."""
    assert kept(shapes.GPT_OSS_120B, 8192, "kv_cache.sliding", **BLOCK) == (
        18 * 2048 * 128,
        18 * 2048 * 8192,
    )


@pytest.mark.parametrize(("dtype", "head"), [("fp8", 256), ("int8", 256), ("nvfp4", 144)])
def test_quantised_caches(dtype, head):
    told = {"engine__settings__kv_cache_dtype": dtype, **BLOCK}
    assert kept(shapes.LLAMA_8B, 32, **told) == (32 * 32 * 8 * head,) * 2


def test_a_compressed_vector_is_whole_on_each_device():
    told = {"placement__tensor_parallel": 8, **BLOCK}
    assert kept(shapes.DEEPSEEK_V3, 3200, **told) == (3200 * 70_272,) * 2


def test_what_states_take_at_most_is_not_covered():
    node = totals(shapes.QWEN3_NEXT, 100)["limit.recurrent_state"]
    assert node.low == 36 * 2 * (8192 * 3 + 32 * 128 * 128)
    assert node.high is None
    assert [c.topic for c in conditions(node)] == ["need"]


@given(
    st.sampled_from([shapes.LLAMA_8B, shapes.GEMMA3_27B, shapes.DEEPSEEK_V3]),
    st.integers(1, 100_000),
    st.integers(1, 64),
    st.sampled_from([1, 2, 8, 16]),
)
def test_shards_together_are_at_least_the_least(shape, tokens, sequences, devices):
    least = totals(shape, tokens, sequences, IDEAL, formats__cache="bf16")["limit.kv_cache"]
    shard = totals(shape, tokens, sequences, placement__tensor_parallel=devices)["limit.kv_cache"]
    assert shard.low * devices >= least.low
