"""How far one dimension can go: what the floor excludes, and what the envelope fits (D6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, LLAMA, case, reserve, workload

from fiche.evaluate.inverse import TOP, inverse
from fiche.evaluate.varied import varied
from fiche.kernel.doors import Estimator
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
PER_TOKEN = 2 * 32 * 8 * 128 * 2
WEIGHTS = 14_000_000_000


def asked(leaf="limit.context_tokens", **dimensions):
    told = {"context_tokens": 1, "resident_sequences": 1, **dimensions}
    limit = case("limit", **told)
    load = workload(limit, reserve=[reserve("context", GIB)], **LLAMA)
    return varied(load, limit, ESTIMATORS, leaf)


def test_both_ends_by_hand():
    """24 GiB: (24 GiB - weights) / 131072 bytes a token, and one GiB of reserve less for what fits."""
    found = inverse(asked(), 24 * GIB, 23 * GIB)
    assert found.not_excluded.value == (24 * GIB - WEIGHTS) // PER_TOKEN
    assert found.fits.value == (22 * GIB - WEIGHTS) // PER_TOKEN
    assert found.not_excluded.limited_by == "weights"
    assert inverse(asked(), 80 * GIB, None).not_excluded.limited_by == "limit.kv_cache"


@given(st.integers(15 * GIB, 200 * GIB), st.integers(1, 64))
def test_the_answer_holds_and_the_next_value_does_not(most, sequences):
    question = asked(resident_sequences=sequences)
    found = inverse(question, most, most)
    value = found.not_excluded.value
    assert question.at(value).floor[0] <= most < question.at(value + 1).floor[0]
    assert found.fits.value <= value


@pytest.mark.parametrize("room", [0, 10 * GIB])
def test_what_not_even_one_fits_is_none(room):
    found = inverse(asked(), room, room)
    assert (found.not_excluded.value, found.fits.value) == (0, 0)


def test_an_unknown_room_is_not_answered():
    found = inverse(asked(), None, None)
    assert (found.not_excluded, found.fits) == (None, None)


def test_what_nothing_depends_on_has_no_end():
    question = asked("limit.microbatch")
    assert not question.moves
    assert inverse(question, 80 * GIB, 80 * GIB).fits.value is None
    assert question.at(TOP).floor == question.at(1).floor
