"""Activations of a prefill: a bound of one layer, never a truth (B6, truth.md 19 and 20)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import case, stated, workload

from fiche.estimators.prefill_activations import MEMBER
from fiche.kernel.model import Block, Model
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE


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
    """8192 x (2 x 4096 + 3 x 14336) x 2 bytes; at least nothing."""
    found = estimated(load(block()))
    assert (found.low, found.high) == (0, 838_860_800)


def test_a_context_may_be_a_prompt_as_a_whole():
    where = case("limit", context_tokens=8192, resident_sequences=1)
    (node,) = MEMBER.estimate(load(block()), where)
    assert node.high == 838_860_800


def test_attention_is_wider_where_the_feed_forward_is_narrow():
    found = estimated(load(block(inner=count("inner", 64))))
    assert found.high == 8192 * (2 * 4096 + 7 * 4096 + 3 * 1024 + 2 * 1024) * 2


def test_eager_attention_holds_its_scores():
    """32 heads x 8192 x 8192 scores: twice in 2 bytes, once in 4."""
    found = estimated(load(block(), attention="eager"))
    assert found.high == 8192 * (9 * 4096 + 5 * 1024) * 2 + 32 * 8192**2 * (2 * 2 + 4)


def test_a_norm_is_computed_in_fp32():
    found = estimated(load(block(inner=None, query=None)))
    assert found.high == 8192 * 2 * 4096 * (2 + 4)


def test_each_expert_that_sees_a_token_counts():
    experts = block(
        inner=count("inner", 768), experts_used=count("used", 8), shared_inner=count("shared", 512)
    )
    assert (
        estimated(load(experts)).high == 8192 * (2 * 4096 + 8 * (3 * 768 + 2 * 4096) + 3 * 512) * 2
    )


@pytest.mark.parametrize(
    "setting", ["max_num_batched_tokens", "prefill_chunk_size", "chunked_prefill_size", "n_ubatch"]
)
def test_chunks_bound_it(setting):
    told = {f"engine__settings__{setting}": 2048}
    assert estimated(load(block(), **told), sequences=4).high == 838_860_800 // 4


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
