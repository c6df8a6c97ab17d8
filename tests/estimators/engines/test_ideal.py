"""The least that can be kept, against ten public shapes and published figures."""

from fractions import Fraction

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, case, workload

from fiche.estimators.engines.ideal import MEMBER
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions, walk

MIB = 2**20


def cache(shape, tokens, sequences=1, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, **{"formats__cache": "bf16", **told}), shape)
    return {node.id: node for node in MEMBER.cache(shape, load, where)}


def kept(shape, tokens, item="kv_cache", sequences=1):
    node = cache(shape, tokens, sequences)[f"limit.{item}"]
    assert node.exact
    return node.low


@pytest.mark.parametrize(
    ("shape", "at_8k", "at_128k"),
    [
        (shapes.LLAMA_8B, "1.000", "16.0"),
        (shapes.QWEN25_7B, "0.438", "7.0"),
        (shapes.QWEN3_4B, "1.125", "18.0"),
        (shapes.MISTRAL_V01, "0.500", "0.5"),
        (shapes.MIXTRAL, "1.000", "16.0"),
        (shapes.DEEPSEEK_V3, "0.536", "8.58"),
        (shapes.GEMMA3_27B, "1.031", "10.41"),
        (shapes.GPT_OSS_120B, "0.286", "4.50"),
        (shapes.QWEN3_NEXT, "0.188", "3.0"),
        (shapes.NEMOTRON_H_8B, "0.125", "2.0"),
    ],
)
def test_ten_architectures_at_two_contexts(shape, at_8k, at_128k):
    """peers_run.md section 3: ground truth, GiB in bf16."""
    for tokens, printed in ((8192, at_8k), (131_072, at_128k)):
        half = Fraction(1, 2 * 10 ** len(printed.split(".")[1]))
        assert abs(Fraction(kept(shape, tokens), GIB) - Fraction(printed)) <= half


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (shapes.LLAMA_8B, 131_072),
        (shapes.QWEN3_4B, 147_456),
        (shapes.QWEN25_7B, 57_344),
        (shapes.DEEPSEEK_V3, 70_272),
        (shapes.model(shapes.latent(27, 512, 64, 16, 128, 128)), 31_104),
        (shapes.QWEN3_NEXT, 24_576),
    ],
)
def test_bytes_of_one_token(shape, expected):
    """estimators.md 2.2; 31 104 is DeepSeek-V2-Lite."""
    assert kept(shape, 1) == expected


def test_thirty_two_sequences_of_gpt_oss():
    """gpt-oss-20b at 8192 x 32: 6.09 GiB, 12.00 GiB if every layer kept every token."""
    windowed = shapes.model(
        shapes.attention(12, 8, 64), shapes.attention(12, 8, 64, "sliding", 128)
    )
    assert round(Fraction(kept(windowed, 8192, sequences=32), GIB), 2) == Fraction("6.09")
    assert kept(shapes.model(shapes.attention(24, 8, 64)), 8192, sequences=32) == 12 * GIB


@pytest.mark.parametrize(
    ("shape", "state"),
    [(shapes.QWEN3_NEXT, "37.7"), (shapes.NEMOTRON_H_8B, "49.4")],
)
def test_states_do_not_grow_with_the_context(shape, state):
    """peers_run.md section 3: MiB a sequence in bf16, K - 1 columns."""
    held = kept(shape, 8192, "recurrent_state")
    assert abs(Fraction(held, MIB) - Fraction(state)) <= Fraction(1, 20)
    assert kept(shape, 131_072, "recurrent_state") == held
    assert kept(shape, 8192, "recurrent_state", sequences=3) == 3 * held


@pytest.mark.parametrize(("dim", "tokens"), [(64, 1500), (128, 1500)])
def test_cross_attention_has_the_encoder_s_positions(dim, tokens):
    shape = shapes.model(shapes.attention(4, 6, dim), shapes.cross(4, 6, dim, tokens=tokens))
    assert kept(shape, 10, "cross_attention_cache") == 2 * 4 * 6 * dim * tokens * 2


def test_an_untold_format_is_asked_for():
    where = case(context_tokens=8192, resident_sequences=1)
    (node,) = MEMBER.cache(shapes.LLAMA_8B, workload(where), where)
    assert node.high is None
    assert [c.topic for c in conditions(node)] == ["cache_format"]


@pytest.mark.parametrize(
    ("name", "num_bytes", "values"),
    [("q8_0", 34, 32), ("q4_0", 18, 32), ("iq4_nl", 18, 32), ("q5_1", 24, 32), ("f16", 2, 1)],
)
def test_block_types_carry_their_scales(name, num_bytes, values):
    """truth README "How to compare" 2: q8_0 is 34 bytes per 32 values, q4_0 and iq4_nl 18 per 32."""
    found = cache(shapes.LLAMA_8B, 8192, formats__cache=name)["limit.kv_cache"]
    assert found.low == found.high == 2 * 32 * 8 * 128 * 8192 * num_bytes // values


def test_keys_and_values_may_have_types_of_their_own():
    told = {"formats__cache_key": "q8_0", "formats__cache_value": "q4_0"}
    found = cache(shapes.LLAMA_8B, 8192, **told)["limit.kv_cache"]
    assert found.low == 32 * 8 * 128 * 8192 * (34 + 18) // 32


def test_groups_of_one_kind_have_a_step_each():
    """Two shapes of full layers (Gemma-4's kinds, Nemotron-Ultra's layers) stay apart."""
    shape = shapes.model(shapes.attention(8, 1, 512), shapes.attention(40, 8, 256))
    node = cache(shape, 100)["limit.kv_cache"]
    named = {each.id: each.low for each in walk(node) if ".kv_cache." in each.id}
    assert named == {
        "limit.kv_cache.full": 8 * 2 * 512 * 2 * 100,
        "limit.kv_cache.full_2": 40 * 2 * 8 * 256 * 2 * 100,
    }


def test_a_cut_load_leaves_each_device_at_least_its_part():
    told = {"placement__tensor_parallel": 2, "placement__pipeline_parallel": 2}
    assert cache(shapes.LLAMA_8B, 8192, **told)["limit.kv_cache"].low == GIB // 4


@pytest.mark.parametrize(
    ("images", "dimensions", "tokens"),
    [
        (shapes.images("fixed", tokens=256), {}, 256),
        (shapes.images("grid", patch=14, side=336), {}, 576),
        (shapes.images("grid", patch=14, side=336, extra=1), {}, 577),
        (shapes.images("grid", patch=16), {"image_width": 640, "image_height": 490}, 40 * 30),
        (
            shapes.images("merged", patch=14, merge=2),
            {"image_width": 1280, "image_height": 720},
            46 * 26,
        ),
        # Pixtral: 64 rows of 64 patches at 1024 x 1024, each ended by a token of its own.
        (
            shapes.images("rows", patch=16, side=1024),
            {"image_width": 1024, "image_height": 1024},
            64 * 64 + 64,
        ),
        # Half the size on the longest side: 1024 x 512; then 500 / 16 rows, the last in part.
        (
            shapes.images("rows", patch=16, side=1024),
            {"image_width": 2048, "image_height": 1000},
            32 * 64 + 32,
        ),
        # Mistral Small 3.1 merges 2 x 2 patches of 14 pixels.
        (
            shapes.images("rows", patch=14, merge=2, side=1540),
            {"image_width": 280, "image_height": 57},
            3 * 10 + 3,
        ),
    ],
)
def test_images_become_tokens_of_the_prompt(images, dimensions, tokens):
    """estimators.md 2.2: Gemma3 256 an image, LLaVA 576 at 336 / 14, Qwen2-VL sides of 28 pixels."""
    shape = shapes.model(shapes.attention(32, 8, 128), images=images)
    where = case(prompt_tokens=100, new_tokens=10, resident_sequences=1, images=3, **dimensions)
    load = shapes.of(workload(where, formats__cache="bf16"), shape)
    (node,) = MEMBER.cache(shape, load, where)
    assert node.low == node.high == 131_072 * (110 + 3 * tokens)
    counted = {"engine__settings__image_tokens": "counted", "formats__cache": "bf16"}
    (node,) = MEMBER.cache(shape, shapes.of(workload(where, **counted), shape), where)
    assert node.low == 131_072 * 110


def test_an_image_cut_by_its_shape_is_an_interval_with_its_rule():
    """InternVL: 256 tokens a tile, one to twelve of them and an overview."""
    cut = replace(shapes.images("tiled", least=256, most=13 * 256), rule="tiles by shape")
    shape = shapes.model(shapes.attention(32, 8, 128), images=cut)
    where = case(prompt_tokens=100, new_tokens=10, resident_sequences=1, images=3)
    (node,) = MEMBER.cache(shape, shapes.of(workload(where, formats__cache="bf16"), shape), where)
    assert node.low == 131_072 * (110 + 3 * 256)
    assert node.high == 131_072 * (110 + 3 * 13 * 256)
    reasons = {getattr(each.origin, "because", "") for each in walk(node)}
    assert "tiles by shape" in reasons


counts = st.integers(min_value=1, max_value=64)


@given(counts, counts, counts, st.integers(min_value=1, max_value=4096))
def test_fewer_kv_heads_never_keep_more_than_every_head(layers, groups, heads, tokens):
    """Grouped queries against multi-head, and one latent vector against what it expands to."""
    grouped = kept(shapes.model(shapes.attention(layers, groups, 64)), tokens)
    every = kept(shapes.model(shapes.attention(layers, groups * heads, 64)), tokens)
    assert grouped * heads == every
    latent = kept(shapes.model(shapes.latent(layers, 32, 16, heads + 1, 16, 32)), tokens)
    assert latent <= kept(
        shapes.model(shapes.attention(layers, heads + 1, 32, value_dim=32)), tokens
    )


@given(counts, counts, st.integers(min_value=1, max_value=4096), counts)
def test_a_window_never_keeps_more_than_every_token(layers, heads, tokens, window):
    slides = shapes.model(shapes.attention(layers, heads, 64, "sliding", window))
    chunks = shapes.model(shapes.attention(layers, heads, 64, "chunked", window))
    full = shapes.model(shapes.attention(layers, heads, 64))
    assert kept(slides, tokens) == kept(chunks, tokens) <= kept(full, tokens)
    assert kept(slides, tokens + 1) >= kept(slides, tokens)
    assert kept(slides, tokens, sequences=2) == 2 * kept(slides, tokens)
