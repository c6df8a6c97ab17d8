"""Activations of a prefill: a bound of one layer, never a truth (B6, truth.md 19 and 20)."""

from fractions import Fraction

import pytest
from cache_shapes import GEMMA3_27B as SLIDING
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, case, stated, workload

from fiche.estimators.prefill_activations import MEMBER
from fiche.kernel.model import Block, Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE

# 8192 tokens of a layer of Llama-3.1-8B in bf16, with positions, sines and cosines.
LAYER = 8192 * ((4 * 4096 + 3 * 14336) * 2 + 2 * 128 * 4 + 8)


def count(name, value):
    return stated(name, value, ONE)


def block(**changes):
    told = {
        "layers": tuple(range(32)),
        "count": count("layers", 32),
        "hidden": count("hidden", 4096),
        "heads": count("heads", 32),
        "query": count("query", 4096),
        "key": count("key", 1024),
        "value": count("value", 1024),
        "inner": count("inner", 14336),
    }
    return Block(**{**told, **changes})


def load(*blocks, **told):
    model = Model(family="llama", model_type="llama", architecture="", blocks=blocks)
    base = {"operation": "generation", "formats__storage": "bf16", "formats__compute": "bf16"}
    return replace(workload(**{**base, **told}), model=model)


def estimated(workload_, tokens=8192, sequences=1):
    where = case("limit", prompt_tokens=tokens, new_tokens=0, resident_sequences=sequences)
    (node,) = MEMBER.estimate(workload_, where)
    return node


def test_the_widest_point_of_a_gated_layer_by_hand():
    """8192 x ((4 x 4096 + 3 x 14336) x 2 + 2 x 128 x 4 + 8) bytes; at least nothing."""
    found = estimated(load(block()))
    assert (found.low, found.high) == (0, LAYER)


def test_it_is_no_less_than_what_the_memory_tracker_counts():
    """peers_run.md 1, Llama-3.1-8B at 8192 tokens: 16.868 GiB, of them 14.958 weights and 1.000 cache."""
    transient = Fraction("16.868") - Fraction("14.958") - 1
    assert transient <= Fraction(estimated(load(block())).high, GIB) < transient + Fraction("0.01")


def test_a_context_may_be_a_prompt_as_a_whole():
    where = case("limit", context_tokens=8192, resident_sequences=1)
    (node,) = MEMBER.estimate(load(block()), where)
    assert node.high == LAYER


def test_attention_is_wider_where_the_feed_forward_is_narrow():
    found = estimated(load(block(inner=count("inner", 64))))
    assert found.high == 8192 * ((3 * 4096 + 7 * 4096 + 3 * 1024 + 2 * 1024) * 2 + 1032)


def test_eager_attention_holds_its_scores():
    """32 heads x 8192 x 8192 scores, twice in 4 bytes and once in 2, and a mask in 2."""
    found = estimated(load(block(), attention="eager"))
    held = 8192 * ((10 * 4096 + 5 * 1024) * 2 + 1032)
    assert found.high == held + 8192**2 * (32 * (2 + 2 * 4) + 2)


@pytest.mark.parametrize("engine", ["", "transformers"])
def test_windows_are_a_mask_of_all_pairs_of_tokens(engine):
    """1 byte a pair while the layers run, and 2 values as a fused kernel adds it; vLLM makes none."""
    sliding = replace(load(block()).model, caches=SLIDING.caches)

    def most(**told):
        return estimated(replace(load(block(), **told), model=sliding)).high

    assert most(engine__name=engine) >= most(engine__name="vllm") + 8192**2
    flash = most(engine__name=engine, attention="flash_attention_2")
    assert flash == most(engine__name="vllm") == LAYER


def test_a_type_without_a_fused_kernel_is_eager_until_another_one_is_told():
    gemma = replace(load(block()).model, model_type="gemma2")
    eager = replace(load(block(), attention="eager"), model=gemma)
    untold = replace(load(block(), engine__name="transformers"), model=gemma)
    assert estimated(untold).high == estimated(eager).high
    assert estimated(replace(load(block(), engine__name="vllm"), model=gemma)).high == LAYER


def test_other_types_are_open():
    other = replace(load(block()), model=replace(load(block()).model, model_type="cohere"))
    assert estimated(other).high is None


def test_a_norm_is_computed_in_fp32():
    found = estimated(load(block(inner=None, query=None)))
    assert found.high == 8192 * (3 * 4096 * 2 + 2 * 4096 * 4 + 8)


def test_each_expert_that_sees_a_token_counts():
    experts = block(
        inner=count("inner", 768), experts_used=count("used", 8), shared_inner=count("shared", 512)
    )
    each = max(4096 + 4 * 768, 6 * 4096) * 2 + 6 * 8
    inner = 8 * each + 4 * 512 * 2
    assert estimated(load(experts)).high == 8192 * (4 * 4096 * 2 + inner + 1032)


def test_gate_and_up_in_one_matrix_are_held_with_their_product():
    joined = Parameters(
        name="model.layers.*.mlp.gate_up_proj.weight",
        role="linear",
        shape=(count("out", 28672), count("in", 4096)),
        copies=count("copies", 32),
    )
    fused = replace(load(block()), model=replace(load(block()).model, parameters=(joined,)))
    assert estimated(fused).high == LAYER + 8192 * 14336 * 2


@pytest.mark.parametrize(
    "setting", ["max_num_batched_tokens", "prefill_chunk_size", "chunked_prefill_size", "n_ubatch"]
)
def test_chunks_bound_it(setting):
    told = {f"engine__settings__{setting}": 2048}
    assert estimated(load(block(), **told), sequences=4).high == LAYER // 4


@pytest.mark.parametrize("kind", ["mamba2", "encoder", "cross"])
def test_a_layer_without_a_rule_opens_it(kind):
    assert estimated(load(block(), block(kind=kind))).high is None
    assert estimated(load()).high is None


def test_it_is_asked_of_generations_with_model_files_only():
    assert MEMBER.applies(load(block()))
    assert not MEMBER.applies(workload(operation="generation"))
    assert not MEMBER.applies(load(block(), operation="training"))


@given(st.integers(1, 10**5), st.integers(1, 64), st.integers(1, 10**5))
def test_it_grows_with_tokens_and_sequences(tokens, sequences, more):
    here = estimated(load(block()), tokens, sequences).high
    assert estimated(load(block()), tokens + more, sequences).high > here
    assert estimated(load(block()), tokens, sequences + 1).high > here
