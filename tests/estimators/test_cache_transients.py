"""Copies of one layer's cache in transformers: growth, expansion, and what a quantised cache brings back."""

import cache_shapes as shapes
import pytest
from workloads import LLAMA, case, workload

from fiche.estimators import envelope, load_items
from fiche.estimators.cache_transients import MEMBER
from fiche.kernel.doors import Estimator
from fiche.kernel.trace import formula
from fiche.registry import members

MIB = 2**20


def copies(shape, tokens=8192, **told):
    where = case(context_tokens=tokens, resident_sequences=1)
    told = {"operation": "generation", "engine__name": "transformers", **told}
    told = {"engine__version": "5.24.0", "formats__compute": "bf16", **told}
    return MEMBER.estimate(shapes.of(workload(where, **told), shape), where)


def one(shape, **told):
    (node,) = copies(shape, **told)
    assert node.id == "limit.cache_transients"
    return node.low, node.high


def test_a_growing_cache_stands_twice_for_one_layer():
    """cache_utils.py of 5.24.0: a step joins keys and drops the old, then values; a prefill holds both."""
    layer = 2 * 8 * 128 * 2 * 8192
    assert one(shapes.LLAMA_8B) == (layer // 2, layer)
    assert one(shapes.GEMMA3_27B) == (layer, 2 * layer)


def test_latent_attention_expands_one_layer():
    """DeepSeek-V3 at 8192 tokens: 640 MiB of keys and values, 896 MiB with the projection behind them."""
    assert one(shapes.DEEPSEEK_V3) == (640 * MIB, 896 * MIB)
    keys, both = 128 * 192 * 8192 * 2, 128 * (192 + 128) * 8192 * 2
    assert one(shapes.DEEPSEEK_V3, engine__version="5.0.0") == (keys, both)  # joined one by one


def test_a_quantised_cache_brings_a_layer_back_and_joins_it():
    told = {"engine__settings__cache_implementation": "quantized"}
    layer = 2 * 8 * 128 * 2 * 8192
    assert one(shapes.LLAMA_8B, **told) == (2 * layer, 2 * layer)


def test_a_static_cache_grows_nothing():
    told = {"engine__settings__cache_implementation": "static"}
    assert copies(shapes.LLAMA_8B, **told) == ()
    window = 2 * 16 * 128 * 2 * 1024
    assert one(shapes.GEMMA3_27B, **told) == (window // 2, window)


def test_recurrent_layers_copy_in_place():
    assert copies(shapes.model(shapes.mamba2(4, 8, 64, 1, 128, 4))) == ()


@pytest.mark.parametrize(
    "told", [{"engine__name": "vllm"}, {"operation": "training"}, {"engine__name": "transformers"}]
)
def test_it_is_of_generations_of_transformers_with_the_model_s_files(told):
    load = workload(**{**LLAMA, **told})
    assert not MEMBER.applies(load)
    stands = told.get("operation") is None and told.get("engine__name") == "transformers"
    assert MEMBER.applies(shapes.of(load, shapes.LLAMA_8B)) == stands


def test_it_is_no_floor():
    assert not MEMBER.resident
    assert set(MEMBER.phases) >= {"prefill", "decode"}


def test_an_envelope_that_holds_the_copies_does_not_say_that_it_leaves_them_out():
    """B8: what one item leaves to another of the same sum is no gap of that sum."""
    where = case(context_tokens=8192, resident_sequences=1)
    told = {"operation": "generation", "engine__name": "transformers", "engine__version": "5.24.0"}
    shape = shapes.LLAMA_8B
    load = shapes.of(workload(where, **told, formats__compute="bf16"), shape)
    items = load_items(load, where, members("fiche.estimators", Estimator))
    sum_ = envelope(load, where, items)
    assert "limit.cache_transients" in formula(sum_)
    assert not any("cache_transients" in words for words in sum_.left_out)
    cached = next(item.node for item in items if item.name == "kv_cache")
    assert any("cache_transients" in words for words in cached.left_out)
