"""What transformers holds between a prefill and the next step: whole prompts, and logits."""

from fractions import Fraction

import cache_shapes as shapes
import pytest
from workloads import GIB, LLAMA, case, workload

from fiche.estimators.engines.transformers import MEMBER as ENGINE
from fiche.estimators.prefill_retention import MEMBER
from fiche.kernel.record import replace


def found(shape, prompt=131_072, new=0, sequences=1, **told):
    where = case(prompt_tokens=prompt, new_tokens=new, resident_sequences=sequences)
    told = {"operation": "generation", "engine__name": "transformers", **told}
    told = {"engine__version": "5.24.0", "formats__compute": "bf16", **told}
    load = shapes.of(workload(where, **told), shape)
    nodes = (*MEMBER.estimate(load, where), *ENGINE.cache(shape, load, where))
    return {node.id.removeprefix("limit."): node for node in nodes}


def test_a_prefill_needs_every_layer_s_whole_prompt():
    """Gemma3-27B at 131 072 tokens: 62.0 GiB at the peak, 10.4 GiB while it decodes."""
    nodes = found(shapes.GEMMA3_27B)
    whole = nodes["prefill_retention"].low + nodes["kv_cache"].low
    assert whole == 62 * GIB
    assert round(Fraction(nodes["kv_cache"].low, GIB), 1) == Fraction("10.4")


def test_the_measured_sizes_of_a_tiny_model():
    """peers_run.md section 5: 20 480 bytes after a prefill of 40 tokens, 8 192 one step later."""
    shape = shapes.model(shapes.attention(2, 2, 16, "sliding", 16))
    nodes = found(shape, prompt=40, sequences=2)
    assert nodes["kv_cache"].low == 8192
    assert nodes["prefill_retention"].low + nodes["kv_cache"].low == 20_480


def test_chunks_bound_what_is_held():
    nodes = found(shapes.GEMMA3_27B, engine__settings__prefill_chunk_size=2048)
    assert nodes["prefill_retention"].low == 52 * 2 * 16 * 128 * 2 * 2048


@pytest.mark.parametrize(
    "told",
    [
        {"engine__settings__cache_implementation": "static"},
        {"engine__settings__cache_without_config": "yes"},
    ],
)
def test_nothing_is_held_beyond_a_cache_that_never_drops(told):
    assert "prefill_retention" not in found(shapes.GEMMA3_27B, **told)


def test_before_layers_were_told_apart_nothing_was_dropped():
    assert found(shapes.GEMMA3_27B, engine__version="4.50.0")["prefill_retention"].high == 0
    untold = found(shapes.GEMMA3_27B, engine__version="main")["prefill_retention"]
    assert untold.low == 0 < untold.high


def test_a_prompt_within_the_window_holds_no_more():
    assert found(shapes.GEMMA3_27B, prompt=1000)["prefill_retention"].high == 0


def test_an_untold_prompt_holds_anything_from_nothing_on():
    """A context alone (`--tokens`) may be a prompt as a whole: 52 layers x 8192 bytes x 130 048 tokens."""
    where = case(context_tokens=131_072, resident_sequences=1)
    told = {"operation": "generation", "engine__name": "transformers", "engine__version": "5.24.0"}
    load = shapes.of(workload(where, formats__compute="bf16", **told), shapes.GEMMA3_27B)
    kept = next(node for node in MEMBER.estimate(load, where) if "retention" in node.id)
    assert (kept.low, kept.high) == (0, 52 * 8192 * (131_072 - 1024))


def test_full_layers_hold_what_they_keep():
    assert "prefill_retention" not in found(shapes.LLAMA_8B)


def test_logits_of_the_last_token_or_of_the_whole_prompt():
    """Llama-3 at 8192 tokens: 1.96 GiB for a plain forward pass; generate computes one token's."""
    vocabulary = shapes.number("vocab_size", 128_256)
    shape = replace(shapes.LLAMA_8B, vocabulary=vocabulary)
    last = found(shape, prompt=8192)["logits"]
    assert last.low == last.high == 128_256 * (2 + 4)
    plain = found(shape, prompt=8192, engine__settings__logits_to_keep="all")["logits"]
    assert plain.low == 8192 * 128_256 * 2
    assert round(Fraction(plain.low, GIB), 2) == Fraction("1.96")


def test_it_is_of_prefills_and_no_floor():
    assert MEMBER.phases == ("prefill",)
    assert not MEMBER.resident
    assert not MEMBER.applies(workload(**{**LLAMA, "engine__name": "transformers"}))
