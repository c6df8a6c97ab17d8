"""whisper.cpp: padded positions of both caches, against what its logs print."""

import cache_shapes as shapes
import pytest
from workloads import case, workload

from fiche.estimators.engines.whisper_cpp import MEMBER
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions, walk


def whisper(layers, heads):
    shape = shapes.model(
        shapes.attention(layers, heads, 64), shapes.cross(layers, heads, 64, tokens=1500)
    )
    return replace(shape, positions=shapes.number("max_target_positions", 448, "tokens"))


def steps(shape, sequences=1, **told):
    where = case(prompt_tokens=4, new_tokens=200, resident_sequences=sequences)
    load = workload(
        where, **{"engine__version": "1.7.4", "engine__settings__beam_size": "1", **told}
    )
    found = MEMBER.cache(shape, shapes.of(load, shape), where)
    return {each.id.removeprefix("limit."): each for node in found for each in walk(node)}


def in_megabytes(node):
    assert node.exact
    return round(node.low / 10**6, 2)


@pytest.mark.parametrize(
    ("layers", "heads", "own", "cross", "pad"),
    [(6, 8, 6.29, 18.87, 3.15), (24, 16, 50.33, 150.99, 6.29)],
)
def test_sizes_that_its_logs_print(layers, heads, own, cross, pad):
    """base and medium: kv self, kv cross and kv pad size, in MB of 10^6."""
    found = steps(whisper(layers, heads))
    assert in_megabytes(found["kv_cache"]) == own
    assert in_megabytes(found["cross_attention_cache.encoder"]) == cross
    assert in_megabytes(found["cross_attention_cache.pad"]) == pad


def test_more_decoders_keep_the_positions_again():
    """whisper_full: decoders + 2 times 512 positions, and it never shrinks."""
    alone = steps(whisper(6, 8))["kv_cache"].low
    assert steps(whisper(6, 8), engine__settings__beam_size=5)["kv_cache"].low == 7 * alone
    untold = steps(whisper(6, 8), engine__settings__beam_size="untold")["kv_cache"]
    assert (untold.low, untold.high) == (alone, 10 * alone)


def test_builds_before_flash_attention_pad_nothing():
    """truth.md 17: older builds keep 448 or 1344 positions, and 1500 of the encoder."""
    found = steps(whisper(6, 8), engine__version="1.5.5")
    assert (found["kv_cache"].low, found["kv_cache"].high) == (
        2 * 6 * 448 * 512 * 2,
        2 * 6 * 1344 * 512 * 2,
    )
    assert found["cross_attention_cache.encoder"].low == 2 * 6 * 1500 * 512 * 2
    assert found["cross_attention_cache.pad"].high == 0


def test_each_state_has_caches_of_its_own():
    alone, three = (steps(whisper(6, 8), sequences=n)["kv_cache"].low for n in (1, 3))
    assert three == 3 * alone


def test_it_runs_no_other_model():
    assert steps(shapes.LLAMA_8B) == {}


def test_untold_positions_are_asked_for():
    found = steps(replace(whisper(6, 8), positions=None))["kv_cache"]
    assert found.high is None
    assert "max_target_positions" in conditions(found)[0].text
