"""Skip lists: names, parts of names, and patterns that cannot run away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.estimators.quantisation._patterns import named, patterns

UP = "model.layers.*.mlp.up_proj"


def hit(found, layer=3, module=UP):
    return bool(named(module, (layer,), found))


@pytest.mark.parametrize(
    ("written", "is_hit"),
    [
        ("up_proj", True),
        ("mlp", True),
        ("model.layers.3", True),
        ("layers.3.mlp.up_proj", True),
        ("model.layers.1", False),
        ("model.layers.30", False),
        ("lm_head", False),
        ("gate", False),
        ("language_model.model.layers.3", True),
        ("re:.*up_proj", True),
        ("re:model.layers.3.*", True),
        ("re:.*mlp.gate$", False),
        ("model.layers.[0-3].mlp", True),
        ("model.layers.[4-9].mlp", False),
    ],
)
def test_a_module_is_named(written, is_hit):
    assert hit(patterns([written])) is is_hit


def test_a_shell_pattern():
    assert hit(patterns(["*.mlp.up*"], shell=True))
    assert not hit(patterns(["*.mlp.down*"], shell=True))


@pytest.mark.parametrize("written", ["re:(a*)*b", "re:(x+)+", "re:.*.*.*.*y", "re:a{1,99}", "re:["])
def test_what_may_run_away_is_refused_not_tried(written):
    found = patterns([written])
    assert (found.tried, found.refused) == ((), (written,))


@given(st.lists(st.text("ab.*+?()|[]{}^$\\", max_size=30), max_size=5))
def test_no_list_breaks_it_or_takes_long(written):
    """Law 7: a configuration may be hostile."""
    named("a." * 60 + "ab", (0, 1), patterns(written))


def test_a_long_list_is_looked_up_not_walked():
    many = patterns(f"model.layers.{number}.mlp.gate" for number in range(100_000))
    assert named(UP, range(1000), many) == frozenset()
    assert len(named("model.layers.*.mlp.gate", range(1000), many)) == 1000


def test_layers_are_told_apart():
    found = patterns(["model.layers.1.mlp", "layers.3.mlp.up_proj", "re:.*layers.5.*", "lm_head"])
    assert named(UP, range(8), found) == {1, 3, 5}
