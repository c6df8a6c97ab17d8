"""LMDeploy: blocks of 64 tokens, with scales and zero points where quantised."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.lmdeploy import MEMBER
from fiche.kernel.trace import conditions


def kept(shape, tokens, sequences=1, member=MEMBER, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {node.id: node for node in member.cache(shape, load, where)}["limit.kv_cache"]


def test_a_block_is_64_tokens():
    """messages.py: block_size and cache_block_seq_len are 64 by default."""
    node = kept(shapes.LLAMA_8B, 65, 2)
    assert (node.low, node.high) == (2 * 128 * 131_072,) * 2


def test_a_stated_block_is_taken():
    assert kept(shapes.LLAMA_8B, 65, engine__settings__block_size=16).high == 80 * 131_072


@pytest.mark.parametrize(
    ("policy", "head"), [(0, 512), (8, 256 + 8), (4, 128 + 8), (16, 256), (17, 256)]
)
def test_quant_policies(policy, head):
    """8 and 4: a scale and a zero point of keys and of values, each of two bytes; 16, 17: fp8."""
    told = {"engine__settings__quant_policy": str(policy)}
    node = kept(shapes.LLAMA_8B, 64, **told)
    assert (node.low, node.high) == (64 * 32 * 8 * head,) * 2


def test_an_unknown_policy_opens_the_high_end():
    node = kept(shapes.LLAMA_8B, 64, engine__settings__quant_policy="42")
    assert node.high is None
    assert [c.topic for c in conditions(node)] == ["need"]


def test_a_compressed_vector_has_no_values_beside_it():
    assert kept(shapes.DEEPSEEK_V3, 640, placement__tensor_parallel=8).high == 640 * 70_272


@given(
    st.sampled_from([shapes.LLAMA_8B, shapes.GEMMA3_27B, shapes.DEEPSEEK_V3]),
    st.integers(1, 100_000),
    st.integers(1, 64),
    st.sampled_from([1, 2, 8, 16]),
)
def test_shards_together_are_at_least_the_least(shape, tokens, sequences, devices):
    least = kept(shape, tokens, sequences, IDEAL, formats__cache="bf16")
    shard = kept(shape, tokens, sequences, placement__tensor_parallel=devices)
    assert shard.low * devices >= least.low
