"""RecurrentGemma: a published count, a window, and a state as wide as the recurrence (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import only

from fiche.kernel.model import AttentionCache, StateCache


def test_2b():
    found = model("recurrent_gemma", num_key_value_heads=1, intermediate_size=15360)
    assert parameters(found) == 2_682_862_080


def test_two_recurrences_to_one_window():
    found = model("recurrent_gemma")
    local, state = only(found, AttentionCache), only(found, StateCache)
    assert local.layers == tuple(range(2, 26, 3))
    assert (local.reach, exact(local.window)) == ("sliding", 2048)
    assert (exact(state.channels), exact(state.kernel), exact(state.state)) == (2560, 4, 2560)


def test_a_block_that_is_not_known_is_asked_for():
    assert model("recurrent_gemma", block_types=["recurrent", "lattice"]).open
