"""llama.cpp and ik_llama.cpp: cells, against published logs and by properties."""

from fractions import Fraction

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.llama_cpp import MEMBER
from fiche.kernel.trace import walk

MIB = 2**20
NOW = {"engine__version": "b7200"}
GEMMA3_4B = shapes.model(
    shapes.attention(range(5, 34, 6), 4, 256),
    shapes.attention([i for i in range(34) if (i + 1) % 6], 4, 256, "sliding", 1024),
)
QWEN36_27B = shapes.model(
    shapes.attention(range(3, 64, 4), 4, 256),
    shapes.gated_delta([i for i in range(64) if (i + 1) % 4], 16, 48, 128, 128, 4),
)
QWEN3_NEXT_80B = shapes.model(
    shapes.gated_delta([i for i in range(48) if (i + 1) % 4], 16, 32, 128, 128, 4)
)
V3 = shapes.model(shapes.latent(61, 512, 64, 128, 128, 128))
GPT_OSS_20B = shapes.model(
    shapes.attention(range(1, 24, 2), 8, 64),
    shapes.attention(range(0, 24, 2), 8, 64, "sliding", 128),
)


def settings(**told):
    return {f"engine__settings__{key}": value for key, value in told.items()}


def cache(shape, tokens=1, sequences=1, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    nodes = MEMBER.cache(shape, load, where)
    return {each.id: each for node in nodes for each in walk(node)}


def kept(shape, *args, item="kv_cache", **told):
    node = cache(shape, *args, **told)[f"limit.{item}"]
    return node.low, node.high


def mib(value):
    return (Fraction(value) * MIB,) * 2


def test_gemma3_4b_at_131072():
    """ollama PR #17037: 2560 MiB and 174 MiB of sliding layers: 1536 cells of them."""
    told = {**NOW, **settings(n_ctx=131_072, n_seq_max=1)}
    assert kept(GEMMA3_4B, item="kv_cache.full", **told) == mib(2560)
    assert kept(GEMMA3_4B, item="kv_cache.sliding", **told) == mib(174)


def test_qwen36_27b_with_four_slots():
    """lmstudio #1862: 16384 MiB over 262 144 cells and 598.50 MiB of recurrent state."""
    told = {**NOW, **settings(n_ctx=262_144, n_seq_max=4)}
    assert kept(QWEN36_27B, **told) == mib(16_384)
    assert kept(QWEN36_27B, item="recurrent_state", **told) == mib("598.5")


def test_recurrent_state_of_qwen3_next():
    """kv-032: R 3.38 MiB and S 72.00 MiB in f32 for one sequence, whatever the context."""
    told = {**NOW, **settings(n_ctx=4096, n_seq_max=1)}
    found = cache(QWEN3_NEXT_80B, **told)
    assert found["limit.recurrent_state.gated_delta"].high == 72 * MIB
    assert found["limit.recurrent_state.gated_delta_convolution"].high == Fraction("3.375") * MIB


def test_copies_for_speculation():
    """truth.md 16: slots x (rs_seq + 1)."""
    told = {**NOW, **settings(n_ctx=4096, n_seq_max=2, n_rs_seq=3)}
    one = kept(QWEN3_NEXT_80B, item="recurrent_state", **NOW, **settings(n_ctx=4096, n_seq_max=1))
    assert kept(QWEN3_NEXT_80B, item="recurrent_state", **told)[0] == 8 * one[0]


@pytest.mark.parametrize(
    ("context", "types", "printed"),
    [(8192, "q8_0", "102.00"), (4096, "f16", "96.00")],
    ids=["kv-026", "kv-027"],
)
def test_full_layers_of_gpt_oss_20b(context, types, printed):
    told = {**NOW, **settings(n_ctx=context, n_seq_max=1, cache_type_k=types, cache_type_v=types)}
    assert kept(GPT_OSS_20B, item="kv_cache.full", **told) == mib(printed)


@pytest.mark.parametrize(
    ("told", "cells"),
    [
        ({"engine__version": "b7200"}, 768),
        ({"engine__version": "b6000", **settings(flash_attn="on")}, 768),
        ({"engine__version": "b6000", **settings(flash_attn="off")}, 640),
        ({"engine__version": "b5000", **settings(flash_attn="on")}, 8192),
        ({"engine__version": "b7200", **settings(swa_full="yes")}, 8192),
        ({"engine__version": "b7200", **settings(n_ubatch=2048)}, 2304),
    ],
)
def test_cells_of_sliding_layers_by_build(told, cells):
    """truth.md 11: a window of 128 and a micro-batch of 512 are 640, or 768 in steps of 256."""
    load = {**settings(n_ctx=8192, n_seq_max=1), **told}
    assert kept(GPT_OSS_20B, item="kv_cache.sliding", **load) == (12 * 2 * 8 * 64 * 2 * cells,) * 2


@pytest.mark.parametrize("version", ["b5450", "b5550"])
def test_builds_around_a_change_count_under_both_rules(version):
    """13194 took a whole batch beside the window, 13833 (b5554) a micro-batch: neither is assumed."""
    told = {"engine__version": version, **settings(n_ctx=8192, n_seq_max=1, flash_attn="on")}
    each = 12 * 2 * 8 * 64 * 2
    assert kept(GPT_OSS_20B, item="kv_cache.sliding", **told) == (each * 768, each * 8192)


def test_indexer_keys_are_between_none_and_all_layers():
    """Pull requests 23346 and 26474: in no layer, in some, or in all of them."""
    sparse = shapes.model(shapes.latent(61, 512, 64, 128, 192, 128, index=128))
    told = {"engine__version": "b9500", **settings(n_ctx=256, n_seq_max=1)}
    assert kept(sparse, item="kv_cache.indexer", **told) == (0, 61 * 256 * 128 * 2)


def test_slots_share_one_window_cache_or_have_one_each():
    """4 x 1024 + 512 = 4608 cells together (Gemma-4-12B log), 4 x 1536 apart."""
    load = {**NOW, **settings(n_ctx=65_536, n_seq_max=4)}
    one = 29 * 2 * 4 * 256 * 2
    for told, cells in (("yes", 4608), ("no", 4 * 1536)):
        got = kept(GEMMA3_4B, item="kv_cache.sliding", **load, **settings(kv_unified=told))
        assert got == (one * cells,) * 2
    assert kept(GEMMA3_4B, item="kv_cache.sliding", **load) == (one * 4608, one * 6144)


def test_cells_that_a_log_prints_are_taken_as_they_are():
    told = settings(n_ctx=8192, swa_cells=4608, cells=8192)
    assert kept(GEMMA3_4B, item="kv_cache.sliding", **told) == (29 * 4096 * 4608,) * 2
    assert kept(GEMMA3_4B, item="kv_cache.full", **told) == (5 * 4096 * 8192,) * 2


def test_an_untold_context_lies_between_the_case_and_the_trained_one():
    shape = shapes.replace(shapes.LLAMA_8B, positions=shapes.number("positions", 131_072, "tokens"))
    told = {**NOW, **settings(n_seq_max=1)}
    assert kept(shape, 8192, **told) == (8192 * 131_072, 131_072 * 131_072)
    assert kept(shapes.LLAMA_8B, 8192, **told) == (8192 * 131_072, None)


@pytest.mark.parametrize(
    ("version", "values"),
    [
        ("b8000", (576, 576)),
        ("b6000", (576 + 512, 576 + 512)),
        ("b4500", (40_960, 40_960)),
        ("", (576, 40_960)),
    ],
)
def test_latent_attention_by_build(version, values):
    """Pull requests 12801 (absorbed, values kept twice) and 19067 (once); before, every head."""
    shape = shapes.model(shapes.latent(61, 512, 64, 128, 128, 128))
    told = {"engine__version": version} if version else {}
    low, high = kept(shape, **told, **settings(n_ctx=4096, n_seq_max=1))
    assert (low, high) == tuple(61 * 4096 * 2 * each for each in values)


@pytest.mark.parametrize(
    ("context", "types", "flash", "mode", "printed"),
    [
        (32_768, "fp16", "1", "3", "2196.00"),
        (65_536, "q8_0", "1", "3", "2333.25"),
        (20_480, "fp16", "0", "2", "1372.50"),
        (163_840, "fp16", "0", "2", "10980.00"),
        (2048, "q8_0", "1", "3", "72.91"),
    ],
    ids=["kv-001", "kv-007", "kv-012", "kv-013", "kv-005"],
)
def test_latent_attention_of_ik_llama(context, types, flash, mode, printed):
    """DeepSeek V3 and R1 as ik_llama.cpp printed them (github-data of ikawrakow/ik_llama.cpp)."""
    told = settings(n_ctx=context, n_seq_max=1, flash_attn=flash, mla_attn=mode)
    low, high = kept(V3, engine__name="ik_llama.cpp", formats__cache=types, **told)
    assert low == high
    assert abs(low - Fraction(printed) * MIB) <= Fraction(MIB, 200) + 1


def test_mode_one_keeps_a_transposed_copy_without_flash_attention():
    load = {"engine__name": "ik_llama.cpp", **settings(n_ctx=4096, n_seq_max=1, mla_attn="1")}
    off = kept(V3, **load, **settings(flash_attn="off"))
    assert off == (61 * 4096 * 2 * (576 + 512),) * 2
    assert kept(V3, **load, **settings(flash_attn="on")) == (61 * 4096 * 2 * 576,) * 2


def test_mode_zero_may_still_be_compressed():
    """kv-019: the log prints mla_attn = 0, and a compressed cache of 1098 MiB all the same."""
    told = settings(n_ctx=16_384, n_seq_max=1, flash_attn="1", mla_attn="0")
    low, high = kept(V3, engine__name="ik_llama.cpp", **told)
    assert low == 1098 * MIB < high


def test_ik_llama_keeps_the_whole_context_in_sliding_layers():
    """truth.md 11."""
    told = settings(n_ctx=8192, n_seq_max=1, flash_attn="1")
    got = kept(GPT_OSS_20B, item="kv_cache.sliding", engine__name="ik_llama.cpp", **told)
    assert got == (12 * 2 * 8 * 64 * 2 * 8192,) * 2


@pytest.mark.parametrize(
    ("name", "block"), [("q8_0", 34), ("q5_1", 24), ("q4_0", 18), ("iq4_nl", 18), ("f32", 128)]
)
def test_types_of_keys_and_values_differ(name, block):
    told = {**NOW, **settings(n_ctx=256, n_seq_max=1, cache_type_k=name)}
    assert kept(shapes.LLAMA_8B, **told)[0] == 256 * 32 * 8 * 128 * (Fraction(block, 32) + 2)


def test_slots_that_are_untold_share_one_cache():
    """kv-025: 400 MB for 512 positions; four slots of a server share them."""
    llama_13b = shapes.model(shapes.attention(40, 40, 128))
    assert kept(llama_13b, 512, **settings(n_ctx=512)) == mib(400)


def test_an_encoder_is_read_anew_at_every_step():
    t5 = shapes.model(shapes.attention(12, 12, 64), shapes.cross(12, 12, 64))
    assert kept(t5, item="cross_attention_cache", **settings(n_ctx=512)) == (0, 0)


SHAPES = (shapes.LLAMA_8B, GEMMA3_4B, GPT_OSS_20B, V3, QWEN36_27B, shapes.NEMOTRON_H_8B)
BUILDS = st.sampled_from(["", "b4000", "b5450", "b6000", "b6900", "b7200", "b9500"])
FLASH = st.sampled_from(["", "on", "off"])


def totals(shape, tokens, sequences, member, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {node.id: node for node in member.cache(shape, load, where)}


def told_of(build, flash, **more):
    told = {"engine__version": build} if build else {}
    return told | (settings(flash_attn=flash) if flash else {}) | settings(**more)


@given(
    st.sampled_from(SHAPES),
    st.integers(1, 100_000),
    st.integers(1, 8),
    BUILDS,
    FLASH,
    st.booleans(),
)
def test_never_below_the_least_that_can_be_kept(shape, tokens, sequences, build, flash, ik):
    told = told_of(build, flash) | ({"engine__name": "ik_llama.cpp"} if ik else {})
    least = totals(shape, tokens, sequences, IDEAL, formats__cache="bf16")
    for name, node in totals(shape, tokens, sequences, MEMBER, **told).items():
        assert node.low >= least[name].low


@given(st.sampled_from(SHAPES), st.integers(1, 100_000), st.integers(1, 8), BUILDS, FLASH)
def test_more_tokens_or_sequences_never_need_less(shape, tokens, sequences, build, flash):
    told = told_of(build, flash)
    before = totals(shape, tokens, sequences, MEMBER, **told)
    for more in ((tokens + 500, sequences), (tokens, sequences + 1)):
        for name, node in totals(shape, *more, MEMBER, **told).items():
            assert node.low >= before[name].low


@given(st.sampled_from(SHAPES), st.sampled_from([1, 2, 4, 8]), BUILDS)
def test_shards_together_are_at_least_the_whole(shape, devices, build):
    told = told_of(build, "on", n_ctx=8192, n_seq_max=2)
    whole = totals(shape, 1, 1, MEMBER, **told)
    shard = totals(shape, 1, 1, MEMBER, placement__tensor_parallel=devices, **told)
    for name, node in shard.items():
        assert node.low * devices >= whole[name].low
