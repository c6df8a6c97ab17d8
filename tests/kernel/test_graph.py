"""Traces as a list of entries: the same figures, each part once, inputs first."""

from fractions import Fraction

from hypothesis import given
from kernel.graphs import graphs

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown, bounds, reapply, total
from fiche.kernel.graph import Graph
from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE, ONE


def figure(name, low, high=..., unit=ONE):
    high = low if high is ... else high
    return Figure(low=low, high=high, unit=unit, origin=Stated(span=None), id=name)


def read(entry, values):
    """One entry as the kernel's own operations would have it."""
    if isinstance(entry, str):
        return Fraction(entry)
    if isinstance(entry[-1], int):
        return reapply(entry[0], tuple(values[place] for place in entry[1:]), "")
    low, high = entry
    return figure("", Fraction(low), None if high is None else Fraction(high))


@given(graphs())
def test_entries_rebuild_every_figure(made):
    """Inputs stand before what is computed of them; the operations give the same bounds."""
    graph = Graph()
    place = graph.enter(made.top)
    values = []
    for entry in graph.entries:
        values.append(read(entry, values))
    assert bounds(values[place]) == bounds(made.top)
    assert set(graph.leaves) <= set(made.leaves)


def test_what_is_shared_stands_once():
    tokens = figure("tokens", 8192)
    graph = Graph()
    one, other = graph.enter(tokens * 2), graph.enter(tokens * 2 + tokens)
    assert graph.entries == [["8192", "8192"], "2", ["*", 0, 1], ["+", 2, 0]]
    assert (one, other) == (2, 3)
    assert graph.named("tokens") == [0]


def test_figures_of_one_id_and_other_values_keep_apart():
    """A what-if sets both."""
    graph = Graph()
    graph.enter(total([figure("bits", 16), figure("bits", 8), figure("bits", 16)]))
    assert graph.named("bits") == [0, 1]
    assert graph.entries[-1] == ["total", 0, 1, 0]


def test_open_ends_and_unknowns_are_null():
    graph = Graph()
    unknown = Unknown(condition=Condition(topic="need", text="state it"), unit=BYTE, id="workspace")
    graph.enter(figure("x", 3, None, BYTE) + unknown)
    assert graph.entries == [["3", None], ["0", None], ["+", 0, 1]]
    assert graph.leaves["workspace"] is unknown


def test_a_sum_of_nothing_is_a_leaf():
    graph = Graph()
    graph.enter(total((), BYTE))
    assert graph.entries == [["0", "0"], ["total", 0]]


def test_fractions_are_written_in_full():
    graph = Graph()
    graph.enter(figure("x", 1) * Fraction(7, 2))
    assert graph.entries[1] == "7/2"
