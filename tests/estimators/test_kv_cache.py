"""What a generation keeps: the dense formula on stated counts (B5), engines on the model's files."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, LLAMA, case, workload

from fiche.estimators import figures
from fiche.estimators.engines._lookup import engines
from fiche.estimators.kv_cache import MEMBER
from fiche.kernel.condition import Condition
from fiche.kernel.origin import Computed
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions, formula, reevaluate, walk
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


# --- With the model's files: engines ----------------------------------------------------------

ENGINES = tuple(engine for engine in engines() if engine.name != "whisper.cpp")


def of_model(shape, tokens=8192, sequences=1, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    told = {"operation": "generation", "formats__cache": "bf16", **told}
    load = shapes.of(workload(where, **told), shape)
    return {node.id: node for node in MEMBER.estimate(load, where)}


@pytest.mark.parametrize("name", ["transformers", "Transformers", "hf", "llama.cpp", "llama-cpp"])
def test_an_engine_is_found_by_any_of_its_words(name):
    found = of_model(shapes.LLAMA_8B, engine__name=name, engine__version="5.24.0")
    assert found["limit.kv_cache"].low >= GIB
    assert not any("no rule" in c.text for c in conditions(found["limit.kv_cache"]))


def test_the_files_of_a_model_count_before_stated_counts():
    """A1: dimensions come from the configuration where the fiche names it."""
    told = {"model__layers": 1, "model__kv_heads": 1, "model__head_dim": 1}
    told |= {"engine__name": "transformers", "engine__version": "5.24.0"}
    assert of_model(shapes.LLAMA_8B, **told)["limit.kv_cache"].low == GIB


def test_an_untold_engine_is_the_hull_of_all_known_rules():
    """The lower end is what no engine can go below; `explain` names the rule between the ends."""
    node = of_model(shapes.GEMMA3_27B, tokens=131_072)["limit.kv_cache"]
    assert node.low == 11_173_625_856
    assert node.high is None or node.high >= 62 * GIB
    said = {step.origin.because for step in walk(node) if isinstance(step.origin, Computed)}
    assert any("engine.name is not told" in because for because in said)


@pytest.mark.parametrize(
    "shape",
    [
        shapes.LLAMA_8B,
        shapes.GEMMA3_27B,
        shapes.DEEPSEEK_V3,
        shapes.QWEN3_NEXT,
        shapes.GPT_OSS_120B,
    ],
)
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_the_hull_contains_each_engine_and_ideal_is_the_least(shape, engine):
    hull = of_model(shape)
    mine = of_model(shape, engine__name=engine.name)
    assert mine
    for name, node in mine.items():
        assert hull[name].low <= node.low
        assert hull[name].high is None or node.high <= hull[name].high
        assert of_model(shape, engine__name="ideal")[name].low <= node.low


@pytest.mark.parametrize("shape", [shapes.GEMMA3_27B, shapes.QWEN3_NEXT, shapes.DEEPSEEK_V3])
def test_no_id_stands_for_two_figures_when_engines_are_side_by_side(shape):
    where = [case(name, context_tokens=4096, resident_sequences=2) for name in ("usual", "limit")]
    load = shapes.of(workload(*where, operation="generation", formats__cache="fp16"), shape)
    named = figures(load, (MEMBER,))
    assert {"usual.kv_cache", "limit.kv_cache"} <= named.keys()
    assert "ideal.limit.kv_cache" in named


def test_an_engine_without_a_known_rule_opens_the_high_end():
    node = of_model(shapes.LLAMA_8B, engine__name="tinyserve")["limit.kv_cache"]
    assert (node.low, node.high) == (GIB, None)
    assert [c.topic for c in conditions(node)] == ["engine"]
    assert "no rule is known here for what tinyserve keeps" in conditions(node)[0].text
    assert "rules are known of llama_cpp, lmdeploy, " in conditions(node)[0].text


def test_an_engine_that_runs_no_such_model_opens_the_high_end():
    assert of_model(shapes.LLAMA_8B, engine__name="whisper.cpp")["limit.kv_cache"].high is None


def test_a_model_that_was_not_understood_is_unknown_never_zero():
    """C2: fail closed."""
    asked = Condition(topic="architecture", text="give its tensors")
    strange = replace(shapes.model(), open=(asked,))
    assert of_model(strange)["limit.kv_cache"].high is None
    partly = replace(shapes.LLAMA_8B, open=(asked,))
    node = of_model(partly, engine__name="transformers")["limit.kv_cache"]
    assert (node.low, node.high) == (GIB, None)
    assert conditions(node) == (asked,)


def test_a_strange_model_with_stated_counts_is_dense():
    asked = Condition(topic="architecture", text="give its tensors")
    strange = replace(shapes.model(), open=(asked,))
    told = {"model__layers": 32, "model__kv_heads": 8, "model__head_dim": 128}
    assert of_model(strange, **told)["limit.kv_cache"].low == GIB


def test_an_encoder_keeps_nothing():
    assert of_model(shapes.model()) == {}


def test_states_and_cross_attention_are_items_of_their_own():
    told = {"engine__name": "transformers", "engine__version": "5.24.0"}
    assert list(of_model(shapes.QWEN3_NEXT, **told)) == ["limit.kv_cache", "limit.recurrent_state"]
    whisper = shapes.model(shapes.attention(6, 8, 64), shapes.cross(6, 8, 64, tokens=1500))
    assert list(of_model(whisper, **told)) == ["limit.kv_cache", "limit.cross_attention_cache"]


def test_stated_counts_follow_the_blocks_of_an_engine_that_has_them():
    """vLLM holds whole pages of 16 tokens: 8193 tokens take 8208."""
    told = {"engine__name": "vllm", "engine__version": "0.28.0", "engine__settings__block_size": 16}
    node = cache(limit(8193), **told)
    assert node.low == node.high == 131_072 * 8208
