"""A formula asked many times gives what its figures give (law 1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import stated

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Unknown, ceil, either, floor, larger, rule, smaller, total
from fiche.kernel.replay import Replay
from fiche.kernel.trace import reevaluate
from fiche.kernel.unit import ONE

LEAVES = ("a", "b", "c")
MISSING = Unknown(condition=Condition(topic="need", text="say it"), unit=ONE, id="d")


def leaf(name, value):
    return stated(name, value, ONE)


@st.composite
def formulas(draw, depth=4):
    """A formula of named leaves, with shared parts."""
    made = [leaf(name, draw(st.integers(0, 50))) for name in LEAVES] + [MISSING]
    for _ in range(draw(st.integers(1, 12))):
        left, right = draw(st.sampled_from(made)), draw(st.sampled_from([*made, 3]))
        made.append(draw(st.sampled_from(OPERATIONS))(left, right))
    return made


OPERATIONS = (
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a / 7 + b,
    lambda a, b: ceil(a / 16) * b,
    lambda a, b: floor(a / 3),
    smaller,
    larger,
    lambda a, b: either(a, b, "untold"),
    lambda a, b: total([a, b, a]),
    lambda a, b: larger(a - b, 0),
)


@given(formulas(), st.dictionaries(st.sampled_from(LEAVES), st.integers(0, 10**6)))
def test_a_replay_gives_the_bounds_of_the_figures(made, values):
    changed = {name: leaf(name, value) for name, value in values.items()}
    replay = Replay(made, LEAVES)
    found = replay.at({name: (value, value) for name, value in values.items()})
    for node, bounds in zip(made, found, strict=True):
        again = reevaluate(node, changed)
        assert bounds == (again.low, again.high)
    assert replay.at({}) == tuple((node.low, node.high) for node in made)


def test_it_says_whether_anything_depends_on_a_leaf():
    a, b = leaf("a", 2), leaf("b", 3)
    replay = Replay([a * 2], ["a", "b"])
    assert replay.moves("a")
    assert not replay.moves("b")
    assert replay.at({"a": (5, 7), "b": (1, 1)}) == ((10, 14),)
    with pytest.raises(TypeError):
        rule(b)
