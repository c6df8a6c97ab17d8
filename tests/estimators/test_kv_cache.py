"""KV cache, dense: 2 x layers x KV heads x head dimension x tokens x bytes x sequences (B5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, LLAMA, case, workload

from fiche.estimators.kv_cache import MEMBER
from fiche.kernel.trace import conditions, formula, reevaluate
from fiche.kernel.unit import BYTE


def cache(where, **told):
    (node,) = MEMBER.estimate(workload(where, **{**LLAMA, **told}), where)
    return node


def limit(tokens=8192, sequences=1):
    return case(prompt_tokens=tokens - 292, new_tokens=292, resident_sequences=sequences)


@pytest.mark.parametrize(("sequences", "expected"), [(1, GIB), (4, 4 * GIB)])
def test_one_sequence_is_one_gib_and_four_are_four(sequences, expected):
    """B5: 32, 8, 128, 8192, 2 bytes = 1 073 741 824 bytes."""
    node = cache(limit(sequences=sequences))
    assert (node.id, node.low, node.high, node.unit) == ("limit.kv_cache", expected, expected, BYTE)


def test_the_formula_names_each_dimension():
    assert formula(cache(limit())) == (
        "ceil(2 x model.layers x model.kv_heads x model.head_dim x "
        "(formats.cache.bits / bits_per_byte) x limit.tokens_kept x limit.resident_sequences)"
    )


def test_query_heads_are_never_read():
    """B5: KV heads, never query heads."""
    assert cache(limit(), model__heads=32).low == GIB
    assert cache(limit(), model__kv_heads=32).low == 4 * GIB


def test_requests_that_wait_hold_no_cache():
    """A4."""
    where = case(context_tokens=8192, resident_sequences=1, concurrent_requests=16)
    assert cache(where).low == GIB


@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        ({"context_tokens": 8192}, GIB),
        ({"prompt_tokens": 8000, "new_tokens": 192}, GIB),
        ({"prompt_tokens": 100, "new_tokens": 100, "context_tokens": 8192}, GIB),
        ({"prompt_tokens": 8192, "new_tokens": 8192, "context_tokens": 8192}, 2 * GIB),
    ],
)
def test_tokens_are_those_to_hold(dimensions, expected):
    assert cache(case(**dimensions, resident_sequences=1)).low == expected


@pytest.mark.parametrize(
    ("cache_format", "expected"), [("fp16", GIB), ("fp8_e4m3", GIB // 2), ("fp32", 2 * GIB)]
)
def test_the_width_is_that_of_the_cache_format(cache_format, expected):
    """B4, B5: a field of its own, not the format of the weights."""
    assert cache(limit(), formats__cache=cache_format).low == expected


def test_a_quantised_cache_names_its_scales_as_left_out():
    assert any("quantised cache" in text for text in cache(limit(), formats__cache="int8").left_out)
    assert not any("quantised" in text for text in cache(limit()).left_out)


def test_images_are_named_as_left_out():
    """A2: a multimodal load keeps both dimensions."""
    where = case(prompt_tokens=1, new_tokens=1, resident_sequences=1, images=2)
    assert any("image tokens" in text for text in cache(where).left_out)


@pytest.mark.parametrize(
    ("missing", "topic"),
    [
        ("prompt_tokens", "context"),
        ("new_tokens", "context"),
        ("resident_sequences", "concurrency"),
        ("model__layers", "architecture"),
        ("model__kv_heads", "architecture"),
        ("model__head_dim", "architecture"),
        ("formats__cache", "cache_format"),
    ],
)
def test_each_missing_dimension_asks_its_own_question(missing, topic):
    """C2, D9: the high end opens and the condition says what to state."""
    told = {key: value for key, value in LLAMA.items() if key != missing}
    dimensions = {"prompt_tokens": 8000, "new_tokens": 192, "resident_sequences": 1}
    dimensions.pop(missing, None)
    where = case(**dimensions)
    (node,) = MEMBER.estimate(workload(where, **told), where)
    assert node.high is None
    assert [condition.topic for condition in conditions(node)] == [topic]


def test_without_any_case_the_context_and_the_concurrency_are_asked():
    """D9: what a bare parameter count leaves to confirm."""
    (node,) = MEMBER.estimate(workload(**LLAMA), None)
    assert node.id == "kv_cache"
    assert [c.topic for c in conditions(node)] == ["context", "concurrency"]


def test_only_a_generation_holds_a_cache():
    assert MEMBER.applies(workload(operation="generation"))
    assert not MEMBER.applies(workload(operation="training"))
    assert not MEMBER.applies(workload())


counts = st.integers(min_value=1, max_value=4096)


@given(counts, counts, counts, counts, counts)
def test_doubling_any_dimension_doubles_the_cache(layers, heads, width, tokens, sequences):
    told = {**LLAMA, "model__layers": layers, "model__kv_heads": heads, "model__head_dim": width}
    where = case(context_tokens=tokens, resident_sequences=sequences)
    (node,) = MEMBER.estimate(workload(where, **told), where)
    assert node.low == 2 * layers * heads * width * tokens * sequences * 2
    for name in ("model.layers", "limit.context_tokens", "limit.resident_sequences"):
        named = workload(where, **told).figures | {
            f"limit.{k}": v for k, v in where.dimensions.items()
        }
        assert reevaluate(node, {name: named[name] * 2}).low == 2 * node.low


@pytest.mark.parametrize(
    ("layers", "kv_heads", "tokens", "expected"),
    [
        (32, 8, 1, 131_072),
        (36, 8, 1, 147_456),
        (28, 4, 1, 57_344),
        (94, 4, 32_768, 6016 * 2**20),
        (48, 4, 32_768, 3072 * 2**20),
    ],
)
def test_published_caches_of_dense_models(layers, kv_heads, tokens, expected):
    """Llama-3.1-8B, Qwen3-4B and Qwen2.5-7B per token; two Qwen3 caches as llama.cpp printed them."""
    where = case(context_tokens=tokens, resident_sequences=1)
    assert cache(where, model__layers=layers, model__kv_heads=kv_heads).low == expected
