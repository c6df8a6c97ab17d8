"""vLLM: pages that resident sequences pin, against published anchors and by properties."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.vllm import MEMBER
from fiche.kernel.trace import conditions, walk

MIB = 2**20
BLOCK = {"engine__settings__block_size": 16}
RELEASE = {"engine__version": "0.11.0", "engine__settings__max_num_batched_tokens": 8192, **BLOCK}
NANO_9B = shapes.model(shapes.attention(4, 8, 128), shapes.mamba2(27, 128, 80, 8, 128, 4))
V2_LITE = shapes.model(shapes.latent(27, 512, 64, 16, 128, 128))


def cache(shape, tokens, sequences=1, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    nodes = MEMBER.cache(shape, load, where)
    return {each.id: each for node in nodes for each in walk(node)}


def kept(shape, tokens, sequences=1, item="kv_cache", **told):
    node = cache(shape, tokens, sequences, **told)[f"limit.{item}"]
    return node.low, node.high


@pytest.mark.parametrize(
    ("shape", "per_token"), [(shapes.LLAMA_8B, 131_072), (V2_LITE, 31_104)], ids=["8B", "V2-Lite"]
)
def test_bytes_a_token(shape, per_token):
    """Published for vLLM by ridgepoint (estimators.md 2.2): Llama-3-8B and DeepSeek-V2-Lite."""
    assert kept(shape, 8192) == (8192 * per_token, 8192 * per_token)


def test_a_page_is_whole():
    """Full: ceil(S / 16) pages; one token pins 16."""
    assert kept(shapes.LLAMA_8B, 1, **BLOCK) == (16 * 131_072,) * 2
    assert kept(shapes.LLAMA_8B, 17, 3, **BLOCK) == (3 * 32 * 131_072,) * 2


def test_an_untold_block_is_one_block_throughout():
    """16 or 128: 130 tokens are 144 or 256, never 9 pages of 128."""
    assert kept(shapes.LLAMA_8B, 130) == (144 * 131_072, 256 * 131_072)


def test_a_window_of_128_may_cost_8336_tokens():
    """estimators.md 2.3: ceil((127 + 8192) / 16) + 1 = 521 pages with 8192 tokens batched."""
    each = 18 * 2 * 8 * 64 * 2
    assert kept(shapes.GPT_OSS_120B, 131_072, item="kv_cache.sliding", **RELEASE) == (
        each * 128,
        each * 8336,
    )


def test_the_newest_token_is_part_of_its_own_window():
    """A window of 129 reaches 128 tokens back: 128 + 8192 are 520 whole pages, and one more."""
    shape = shapes.model(shapes.attention(4, 8, 64), shapes.attention(4, 8, 64, "sliding", 129))
    _, high = kept(shape, 131_072, item="kv_cache.sliding", **RELEASE)
    assert high == 4 * 2 * 8 * 64 * 2 * 16 * 521


def test_a_window_never_costs_more_than_a_full_layer():
    full = kept(shapes.GPT_OSS_120B, 4096, item="kv_cache.full", **RELEASE)
    assert kept(shapes.GPT_OSS_120B, 4096, item="kv_cache.sliding", **RELEASE)[1] == full[1]


def test_tokens_in_flight_are_shared_by_all_sequences():
    """100 sequences: their windows and 8192 tokens in flight once, not a hundred times."""
    _, high = kept(shapes.GPT_OSS_120B, 131_072, 100, item="kv_cache.sliding", **RELEASE)
    assert high == 18 * 2 * 8 * 64 * 2 * 16 * (100 * (8 + 2) + 512)


def test_asynchronous_scheduling_doubles_what_is_in_flight():
    """0.26.0: every concurrent batch may hold max_num_batched_tokens."""
    told = {**RELEASE, "engine__version": "0.33.0"}
    each = 18 * 2 * 8 * 64 * 2
    pages = -(-(127 + 2 * 8192) // 16) + 1
    assert kept(shapes.GPT_OSS_120B, 131_072, item="kv_cache.sliding", **told)[1] == (
        each * 16 * pages
    )
    off = {**told, "engine__settings__async_scheduling": "no"}
    assert kept(shapes.GPT_OSS_120B, 131_072, item="kv_cache.sliding", **off)[1] == each * 8336


@pytest.mark.parametrize("version", ["0.12.0", "0.25.1", ""])
def test_releases_around_a_change_count_under_both_rules(version):
    """0.26.0 counts overlapping batches; which release was the first is not known here."""
    told = {**RELEASE, "engine__version": version or "unreadable"}
    high = kept(shapes.GPT_OSS_120B, 8000, item="kv_cache.sliding", **told)[1]
    assert high == kept(shapes.GPT_OSS_120B, 8000, item="kv_cache.full", **told)[1]
    far = kept(shapes.GPT_OSS_120B, 131_072, item="kv_cache.sliding", **told)[1]
    assert far >= 18 * 2048 * 16 * (-(-(127 + 2 * 8192) // 16) + 1)


def test_the_hybrid_manager_is_not_assumed_where_releases_are_unclear():
    """0.8 keeps all tokens in every layer; 0.9 and 0.10 may; 0.11 does not."""
    each = 18 * 2048
    for version, ends in (("0.8.5", (8192, 8192)), ("0.10.0", (128, 8192))):
        told = {**RELEASE, "engine__version": version}
        got = kept(shapes.GPT_OSS_120B, 8192, item="kv_cache.sliding", **told)
        assert got == tuple(each * end for end in ends)


@pytest.mark.parametrize("version", ["", "0.8.1", "nightly"])
def test_every_block_counts_where_a_release_may_be_of_the_first_engine(version):
    """0.8.0 to 0.8.2 keep every block of a model whose layers all slide; an untold release may be one."""
    shape = shapes.model(shapes.attention(32, 8, 128, "sliding", 4096))
    low, high = kept(shape, 131_072, engine__version=version, **BLOCK)
    assert low == 32 * 4096 * 4096
    assert high == 32 * 131_072 * 4096
    assert kept(shape, 131_072, engine__version="0.33.0", **BLOCK)[1] < high


def test_without_the_hybrid_manager_every_layer_is_full():
    told = {**RELEASE, "engine__settings__disable_hybrid_kv_cache_manager": "yes"}
    assert kept(shapes.GPT_OSS_120B, 8192, 32, **told) == (12 * 3 * GIB // 2,) * 2


def test_gpt_oss_under_tensor_parallelism():
    """truth.md 14: 18 432 bytes a token and card at TP4, as if all 36 layers were full."""
    told = {**RELEASE, "engine__settings__disable_hybrid_kv_cache_manager": "yes"}
    assert (
        kept(shapes.GPT_OSS_120B, 4096, placement__tensor_parallel=4, **told)
        == (4096 * 18_432,) * 2
    )


def test_a_block_grows_until_a_state_fits():
    """vLLM #24280: 672 tokens for Nemotron-Nano-9B-v2 in bf16."""
    told = {**BLOCK, "engine__settings__mamba_ssm_cache_dtype": "bfloat16"}
    assert kept(NANO_9B, 1, **told) == (4 * 672 * 4096,) * 2
    assert kept(NANO_9B, 672, **told) == (4 * 672 * 4096,) * 2
    assert kept(NANO_9B, 673, **told) == (2 * 4 * 672 * 4096,) * 2


def test_qwen3_next_grows_to_544():
    """(8192 x 3 + 32 x 128 x 128) x 2 bytes over 2048 bytes a token is 536, in blocks of 16: 544."""
    assert kept(shapes.QWEN3_NEXT, 1, **BLOCK) == (12 * 544 * 2048,) * 2


def test_twelve_tokens_pin_whole_pages_with_padding_layers():
    """27 states in groups of 4 are 28 layers of 672 tokens each, beside one page of attention."""
    told = {
        **BLOCK,
        "engine__settings__mamba_ssm_cache_dtype": "bfloat16",
        "engine__settings__mamba_cache_mode": "none",
    }
    found = cache(NANO_9B, 12, **told)
    page = 672 * 4096
    assert found["limit.recurrent_state"].high == 28 * page
    assert "1 more as padding" in found["limit.recurrent_state"].label
    pinned = found["limit.kv_cache"].high + found["limit.recurrent_state"].high
    assert pinned == 32 * page > 400 * 12 * 4 * 4096


@pytest.mark.parametrize(
    ("mode", "pages"), [("none", (1, 1)), ("align", (2, 3)), ("all", (1, 13)), ("", (1, 3))]
)
def test_states_by_cache_mode(mode, pages):
    told = {**BLOCK, "engine__settings__mamba_ssm_cache_dtype": "bfloat16"}
    told |= {"engine__settings__mamba_cache_mode": mode} if mode else {}
    low, high = kept(NANO_9B, 8192, item="recurrent_state", **told)
    assert (low, high) == tuple(28 * 672 * 4096 * each for each in pages)


def test_states_alone_are_not_padded():
    mamba = shapes.model(shapes.states(48, "mamba", 3072, 4, 3072 * 16))
    told = {"engine__settings__mamba_cache_mode": "none"}
    assert kept(mamba, 100, item="recurrent_state", **told) == (48 * 2 * 3072 * (3 + 16),) * 2


@pytest.mark.parametrize(
    ("dtype", "head"),
    [
        ("bfloat16", 2 * 256),
        ("fp8", 256),
        ("fp8_e5m2", 256),
        ("int8_per_token_head", 256 + 8),
        ("fp8_per_token_head", 256 + 8),
        ("int4_per_token_head", 128 + 8),
        ("nvfp4", 2 * (64 + 8)),
    ],
)
def test_scales_stand_beside_quantised_values(dtype, head):
    """Two fp32 scales a token and head; NVFP4 has d / 2 + d / 16 bytes."""
    told = {**BLOCK, "engine__settings__kv_cache_dtype": dtype}
    assert kept(shapes.LLAMA_8B, 16, **told) == (32 * 8 * head * 16,) * 2


def test_a_cache_format_without_a_known_layout_opens_the_high_end():
    node = cache(shapes.LLAMA_8B, 16, engine__settings__kv_cache_dtype="turboquant_k8v4")
    assert node["limit.kv_cache"].high is None
    assert [c.topic for c in conditions(node["limit.kv_cache"])] == ["cache_format"]


def test_sparse_latent_attention_packs_656_bytes_and_an_indexer():
    """fp8_ds_mla (estimators.md 2.2) and one key of 128 fp8 values with an fp32 scale."""
    sparse = shapes.model(shapes.latent(61, 512, 64, 128, 192, 128, index=128))
    found = cache(sparse, 64, engine__settings__kv_cache_dtype="fp8_ds_mla", **BLOCK)
    assert found["limit.kv_cache.latent"].high == 61 * 64 * 656
    assert found["limit.kv_cache.indexer"].high == 61 * 64 * 132


def test_a_compressed_vector_is_whole_on_each_device():
    """kaito PR #2139: MLA is replicated under tensor parallelism."""
    alone = kept(shapes.DEEPSEEK_V3, 4096, **BLOCK)
    assert kept(shapes.DEEPSEEK_V3, 4096, placement__tensor_parallel=8, **BLOCK) == alone


def test_heads_fewer_than_devices_stay_on_each():
    assert kept(shapes.LLAMA_8B, 16, placement__tensor_parallel=16, **BLOCK)[1] == 16 * 32 * 512


def test_an_encoder_is_kept_for_the_request():
    """Whisper: ceil(1500 / 16) = 94 pages of the encoder."""
    whisper = shapes.model(shapes.attention(4, 6, 64), shapes.cross(4, 6, 64, 1500))
    assert (
        kept(whisper, 100, item="cross_attention_cache", **RELEASE)
        == (94 * 16 * 4 * 2 * 6 * 64 * 2,) * 2
    )


def test_a_chunk_is_kept_with_the_tokens_in_flight():
    """Chunked-local: ceil((chunk + in flight) / 16), no page more."""
    shape = shapes.model(
        shapes.attention(12, 8, 128), shapes.attention(36, 8, 128, "chunked", 8192)
    )
    each = 36 * 2 * 8 * 128 * 2
    assert kept(shape, 131_072, item="kv_cache.chunked", **RELEASE) == (each * 8192, each * 16_384)


def test_layers_of_other_widths_fill_the_shared_page_with_more_tokens():
    """Gemma-4-12B: 8 full layers of 1 x 512 get blocks of 64 beside 40 sliding ones of 8 x 256."""
    shape = shapes.model(shapes.attention(8, 1, 512), shapes.attention(40, 8, 256, "sliding", 1024))
    page = 16 * 8 * 256 * 2 * 2
    assert kept(shape, 64, item="kv_cache.full", **RELEASE)[1] == 8 * page
    assert kept(shape, 65, item="kv_cache.full", **RELEASE)[1] == 8 * 2 * page
    assert kept(shape, 16, item="kv_cache.sliding", **RELEASE)[1] == 40 * page


def test_a_width_that_does_not_divide_the_shared_page_is_padded():
    """A page of 3 heads in one of 4: 16 tokens still, and the rest of the page is lost."""
    shape = shapes.model(shapes.attention(4, 3, 128), shapes.attention(4, 4, 128, "sliding", 64))
    page = 16 * 4 * 128 * 2 * 2
    assert kept(shape, 17, item="kv_cache.full", **RELEASE)[1] == 4 * 2 * page


def test_layers_beyond_a_whole_group_are_padded_too():
    """12 and 13 layers: groups of 13, for 13 is less than half as many again."""
    shape = shapes.model(shapes.attention(13, 8, 64), shapes.attention(12, 8, 64, "sliding", 128))
    assert kept(shape, 16, item="kv_cache.sliding", **RELEASE)[1] == 13 * 16 * 8 * 64 * 2 * 2
    shape = shapes.model(shapes.attention(10, 8, 64), shapes.attention(25, 8, 64, "sliding", 128))
    assert kept(shape, 16, item="kv_cache.sliding", **RELEASE)[1] == 30 * 16 * 8 * 64 * 2 * 2


def test_without_a_case_the_context_and_the_concurrency_are_asked():
    """C2, D9."""
    (node,) = MEMBER.cache(shapes.LLAMA_8B, shapes.of(workload(), shapes.LLAMA_8B), None)
    assert (node.id, node.high) == ("kv_cache", None)
    assert {c.topic for c in conditions(node)} == {"context", "concurrency"}


def test_the_pool_is_no_need_of_a_load():
    texts = cache(shapes.LLAMA_8B, 16)["limit.kv_cache"].left_out
    assert any("gpu_memory_utilization" in text for text in texts)


SHAPES = (
    *(shapes.LLAMA_8B, shapes.GEMMA3_27B, shapes.GPT_OSS_120B, shapes.DEEPSEEK_V3),
    *(shapes.MISTRAL_V01, shapes.QWEN3_NEXT, shapes.NEMOTRON_H_8B, NANO_9B),
)
VERSIONS = st.sampled_from(["", "0.6.6", "0.9.2", "0.11.0", "0.33.0"])
DEVICES = st.sampled_from([1, 2, 4, 8, 16])


def totals(shape, tokens, sequences, member=MEMBER, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **told), shape)
    return {node.id: node for node in member.cache(shape, load, where)}


def named(version):
    return {"engine__version": version} if version else {}


@given(st.sampled_from(SHAPES), st.integers(1, 200_000), st.integers(1, 300), VERSIONS)
def test_never_below_the_least_that_can_be_kept(shape, tokens, sequences, version):
    least = totals(shape, tokens, sequences, IDEAL, formats__cache="bf16")
    for name, node in totals(shape, tokens, sequences, **named(version)).items():
        assert node.low >= least[name].low


@given(st.sampled_from(SHAPES), st.integers(1, 100_000), st.integers(1, 50), VERSIONS)
def test_more_tokens_or_sequences_never_need_less(shape, tokens, sequences, version):
    before = totals(shape, tokens, sequences, **named(version))
    for more in ((tokens + 1000, sequences), (tokens, sequences + 1)):
        for name, node in totals(shape, *more, **named(version)).items():
            assert node.low >= before[name].low
            assert node.high >= before[name].high


@given(st.sampled_from(SHAPES), st.integers(1, 100_000), DEVICES, VERSIONS)
def test_shards_together_are_at_least_the_whole(shape, tokens, devices, version):
    told = {**BLOCK, **named(version)}
    for each in ({}, {"engine__settings__mamba_ssm_cache_dtype": "bfloat16"}):
        least = totals(shape, tokens, 1, IDEAL, formats__cache="bf16")
        shard = totals(shape, tokens, 1, placement__tensor_parallel=devices, **told, **each)
        for name, node in shard.items():
            assert node.low * devices >= least[name].low
