"""SGLang: tokens of a pool, against what it printed."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.sglang import MEMBER
from fiche.kernel.trace import conditions, walk

ONE = {"engine__settings__page_size": 1}


def totals(shape, tokens, sequences=1, member=MEMBER, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {each.id: each for node in member.cache(shape, load, where) for each in walk(node)}


def kept(shape, tokens, item="kv_cache", **told):
    node = totals(shape, tokens, **told)[f"limit.{item}"]
    return node.low, node.high


@pytest.mark.parametrize(
    ("shape", "devices", "per_token"),
    [
        (shapes.model(shapes.attention(94, 4, 128)), 4, 48_128),
        (shapes.model(shapes.attention(64, 8, 128)), 4, 65_536),
        (shapes.model(shapes.attention(12, 12, 64)), 1, 36_864),
    ],
    ids=["kv-020", "kv-021", "kv-022"],
)
def test_bytes_a_token_and_device(shape, devices, per_token):
    """Qwen3-235B and Qwen2-32B at TP4, and GPT-2, as SGLang printed pools and tokens."""
    got = kept(shape, 1000, placement__tensor_parallel=devices, **ONE)
    assert got == (1000 * per_token,) * 2


def test_one_head_stays_where_heads_are_fewer_than_devices():
    shape = shapes.model(shapes.attention(94, 4, 128))
    told = {"placement__tensor_parallel": 8, **ONE}
    assert kept(shape, 1000, **told) == (1000 * 94 * 2 * 128 * 2,) * 2


def test_an_untold_page_is_between_1_and_128():
    assert kept(shapes.LLAMA_8B, 100) == (100 * 131_072, 128 * 131_072)


def test_sliding_layers_lie_between_their_window_and_every_token():
    assert kept(shapes.GPT_OSS_120B, 8192, "kv_cache.sliding", **ONE) == (
        18 * 2048 * 128,
        18 * 2048 * 8192,
    )


@pytest.mark.parametrize(("dtype", "bytes_of_head"), [("fp8_e5m2", 256), ("fp4_e2m1", 144)])
def test_quantised_caches(dtype, bytes_of_head):
    told = {"engine__settings__kv_cache_dtype": dtype, **ONE}
    assert kept(shapes.LLAMA_8B, 10, **told) == (10 * 32 * 8 * bytes_of_head,) * 2


def test_a_sparse_models_cache_is_packed_over_fp8():
    sparse = shapes.model(shapes.latent(61, 512, 64, 128, 192, 128, index=128))
    told = {"engine__settings__kv_cache_dtype": "fp8_e4m3", "engine__settings__page_size": 64}
    assert kept(sparse, 64, "kv_cache.latent", **told) == (61 * 64 * 656,) * 2
    assert kept(sparse, 64, "kv_cache.indexer", **told) == (61 * 64 * 132,) * 2


def test_states_in_fp32_with_slots_for_prefixes():
    """36 layers: 8192 x 3 columns in bf16 and 524 288 values in fp32, up to five slots."""
    one = 36 * (8192 * 3 * 2 + 32 * 128 * 128 * 4)
    assert kept(shapes.QWEN3_NEXT, 100, "recurrent_state") == (one, 5 * one)
    told = {"engine__settings__disable_radix_cache": "yes"}
    assert kept(shapes.QWEN3_NEXT, 100, "recurrent_state", **told) == (one, one)


def test_an_encoders_cache_is_not_covered():
    whisper = shapes.model(shapes.attention(4, 6, 64), shapes.cross(4, 6, 64, 1500))
    node = totals(whisper, 100)["limit.cross_attention_cache"]
    assert node.high is None
    assert [c.topic for c in conditions(node)] == ["need"]


@given(
    st.sampled_from([shapes.LLAMA_8B, shapes.GEMMA3_27B, shapes.DEEPSEEK_V3, shapes.QWEN3_NEXT]),
    st.integers(1, 100_000),
    st.integers(1, 64),
    st.sampled_from([1, 2, 8, 16]),
)
def test_shards_together_are_at_least_the_least(shape, tokens, sequences, devices):
    least = totals(shape, tokens, sequences, IDEAL, formats__cache="bf16")
    shard = totals(shape, tokens, sequences, placement__tensor_parallel=devices)
    for name in ("limit.kv_cache", "limit.recurrent_state"):
        if name in shard:
            assert shard[name].low * devices >= least[name].low
