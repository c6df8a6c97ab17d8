"""Every number of a decision under one name (DESIGN 1: one id all the way)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render import decisions
from render.pages import NAMES, decision

from fiche.kernel import trace
from fiche.kernel.figure import Figure, larger, total
from fiche.kernel.ledger import Ledger, Root, ledger
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.unit import BYTE


def stated(value, id=""):
    return Figure(low=value, high=value, unit=BYTE, origin=Stated(span=None), id=id)


def entered(*roots):
    book = Ledger()
    for owner, name, node in roots:
        book.enter(Root(owner=owner, name=name, node=node))
    return book


def test_a_number_keeps_the_name_it_has():
    weights = stated(7, "weights")
    book = entered(("", "x", weights))
    assert book.of(weights) is book.figures["weights"]


def test_what_nobody_named_is_named_by_its_place():
    margin = stated(9) - stated(7, "need")
    book = entered(("rent", "rent/memory.margin", margin))
    assert set(book.figures) == {"need", "rent/memory.margin"}
    assert book.of(margin).id == "rent/memory.margin"


def test_one_number_twice_is_listed_once():
    first, again = stated(7, "weights"), stated(7, "weights")
    book = entered(("a", "", first), ("b", "", again))
    assert book.of(first) is book.of(again)
    assert list(book.figures) == ["weights"]


def test_two_numbers_of_one_name_are_told_apart_in_formulas_too():
    """The same item of two candidates: the later is qualified, and so is all that is computed of it."""
    one, other = stated(7, "cache"), stated(8, "cache")
    sums = [total([n, stated(1, "rest")], BYTE).named("need", "") for n in (one, other)]
    book = entered(("a", "", sums[0]), ("b", "", sums[1]))
    assert set(book.figures) == {"cache", "rest", "need", "b/cache", "b/need"}
    assert trace.formula(book.figures["b/need"]) == "b/cache + rest"
    assert trace.formula(book.figures["need"]) == "cache + rest"
    assert book.of(sums[1]).low == 9


def test_a_third_number_of_one_name_is_counted():
    nodes = [stated(n, "x") for n in (1, 2, 3)]
    book = entered(*(("b", "", node) for node in nodes))
    assert set(book.figures) == {"x", "b/x", "b/x~2"}


def test_a_sum_shows_what_it_rests_on():
    guess = Figure(
        low=1, high=1, unit=BYTE, origin=Assumed(by="A", because="b", span=None), id="guess"
    )
    need = total([stated(7, "weights"), guess], BYTE).named("need", "")
    book = entered(("", "", need))
    assert book.rests_on(book.of(need)) == ("assumed", "stated")
    assert book.rests_on(book.of(guess)) == ("assumed",)


def test_a_long_chain_needs_no_recursion():
    node = stated(0, "n0")
    for n in range(1, 3000):
        node = larger(node, stated(n, f"n{n}"))
    book = entered(("", "peak", node))
    assert len(book.figures) == 3001


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_names_are_unique_and_no_value_is_lost(values):
    nodes = [stated(value, "same") for value in values]
    book = entered(*((f"c{n}", "", node) for n, node in enumerate(nodes)))
    assert [book.of(node).low for node in nodes] == values
    assert len(book.figures) >= len(set(values))


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_decision_is_listed(name):
    made = decision(name)
    book = ledger(made)
    for found in made.findings:
        for node in (found.need, found.have, found.margin):
            if node is not None:
                listed = book.figures[book.of(node).id]
                assert (listed.low, listed.high, listed.unit) == (node.low, node.high, node.unit)
    assert all(name == node.id for name, node in book.figures.items())


def test_the_price_of_an_offer_is_one_figure_for_two_candidates():
    book = ledger(decisions.rich())
    prices = {n: f.low for n, f in book.figures.items() if n.startswith("offer-01")}
    assert prices == {"offer-01.price": Fraction("47.14"), "offer-01.hours": 72}


def test_a_number_that_nobody_keeps_is_not_mistaken_for_the_next():
    """Nodes are known by identity: one that is gone leaves its address to another."""
    book, peak = Ledger(), stated(9, "peak")
    for n in range(200):
        book.enter(
            Root(owner="", name="", node=(peak - stated(n, f"estimate{n}")).named(f"gap{n}", ""))
        )
    for n in range(200):
        assert trace.formula(book.figures[f"gap{n}"]) == f"peak - estimate{n}"
