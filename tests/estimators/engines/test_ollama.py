"""Ollama: a context for each parallel request."""

from fractions import Fraction

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.ollama import MEMBER
from fiche.kernel.trace import walk

GEMMA3_4B = shapes.model(
    shapes.attention(range(5, 34, 6), 4, 256),
    shapes.attention([i for i in range(34) if (i + 1) % 6], 4, 256, "sliding", 1024),
)


def settings(**told):
    return {f"engine__settings__{key}": value for key, value in told.items()}


def totals(shape, tokens=1, sequences=1, member=MEMBER, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {each.id: each for node in member.cache(shape, load, where) for each in walk(node)}


def kept(shape, *args, item="kv_cache", **told):
    node = totals(shape, *args, **told)[f"limit.{item}"]
    return node.low, node.high


def test_the_context_is_multiplied_by_parallel_requests():
    """docs/faq.mdx: a 2K context with 4 parallel requests is an 8K context."""
    assert kept(shapes.LLAMA_8B, **settings(num_ctx=2048, num_parallel=4)) == (GIB, GIB)


def test_parallel_requests_that_are_untold_are_up_to_four():
    assert kept(shapes.LLAMA_8B, **settings(num_ctx=2048)) == (GIB // 4, GIB)


@pytest.mark.parametrize(("name", "share"), [("q8_0", 34), ("q4_0", 18)])
def test_a_cache_type_needs_flash_attention(name, share):
    """docs/faq.mdx: the cache can be quantised when flash attention is on."""
    told = settings(num_ctx=8192, num_parallel=1, kv_cache_type=name)
    small, whole = GIB * Fraction(share, 64), GIB
    assert kept(shapes.LLAMA_8B, **told, **settings(flash_attention="1")) == (small, small)
    assert kept(shapes.LLAMA_8B, **told, **settings(flash_attention="0")) == (whole, whole)
    assert kept(shapes.LLAMA_8B, **told) == (small, whole)


def test_sliding_layers_keep_a_window_or_everything():
    """kvcache/causal.go: sequences x window + a batch of 512; other runners keep the context."""
    told = settings(num_ctx=131_072, num_parallel=1, flash_attention="1")
    each = 29 * 4096
    assert kept(GEMMA3_4B, item="kv_cache.sliding", **told) == (each * 1536, each * 131_072)


def test_no_release_is_told_apart():
    """Which release first ran llama-server alone (pull request 16031) is not known: none narrows."""
    told = settings(num_ctx=131_072, num_parallel=1, flash_attention="1")
    for version in ("0.11.4", "0.30.0", "0.40.0"):
        assert kept(GEMMA3_4B, engine__version=version, **told) == kept(GEMMA3_4B, **told)


@given(
    st.sampled_from([shapes.LLAMA_8B, GEMMA3_4B, shapes.GPT_OSS_120B, shapes.QWEN3_NEXT]),
    st.integers(1, 100_000),
    st.integers(1, 8),
    st.sampled_from(["", "0.11.4", "0.31.0"]),
)
def test_never_below_the_least_that_can_be_kept(shape, tokens, sequences, version):
    told = {"engine__version": version} if version else {}
    least = totals(shape, tokens, sequences, IDEAL, formats__cache="bf16")
    found = totals(shape, tokens, sequences, **told)
    for name in ("limit.kv_cache", "limit.recurrent_state"):
        if name in found:
            assert found[name].low >= least[name].low
