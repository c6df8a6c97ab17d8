"""Traces: one formula, written once, walked for text, leaves, firmness and what-if (law 1, E2)."""

import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.address import Pointer, Span
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown, bounds, ceil, either, floor, larger, smaller, total
from fiche.kernel.origin import Assumed, Declared, Observed, Stated
from fiche.kernel.trace import (
    assumptions,
    basis,
    conditions,
    expression,
    firm,
    formula,
    inputs,
    leaves,
    reevaluate,
    rests_on,
    walk,
)
from fiche.kernel.unit import BYTE, ONE

POINTER = Pointer(sha256="0" * 64, line=3)
ORIGINS = {
    "stated": Stated(span=Span(file="chat.yaml", line=1, column=1)),
    "observed": Observed(pointer=POINTER, counter="c", scope="process", stat="peak"),
    "declared": Declared(address=POINTER, by="maker"),
    "assumed": Assumed(by="A. Martin", because="seen once", span=None),
}


def figure(name, low=1, high=..., kind="stated", unit=ONE):
    high = low if high is ... else high
    return Figure(low=low, high=high, unit=unit, origin=ORIGINS[kind], id=name)


def unknown(name="", topic="context"):
    return Unknown(condition=Condition(topic=topic, text="say it"), unit=ONE, id=name)


A, B, C = figure("a", 6), figure("b", 2), figure("c", 3)


# --- Formula ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (2 * A * B / C, "2 x a x b / c"),
        (A - (B + C), "a - (b + c)"),
        (A - (B - C), "a - (b - c)"),
        (A / (B * C), "a / (b x c)"),
        (A * (B / C), "a x (b / c)"),
        ((A + B) * C, "(a + b) x c"),
        (A + (B + C), "a + b + c"),
        (total([A * B, C, A - B]), "a x b + c + (a - b)"),
        (floor(A + B) * C, "floor(a + b) x c"),
        (smaller(A + B, C), "smaller(a + b, c)"),
        (A * Fraction(1, 3), "a x (1/3)"),
        (either(A, B, "untold"), "either(a, b)"),
        (total([A]), "a"),
        (total([]), "0"),
        (figure("", 5) + A, "5 + a"),
        (figure("", 5, None) + A, "5 to open + a"),
        (figure("", 5, unit=BYTE), "5 B"),
        (unknown() + A, "unknown + a"),
        (unknown("q") + A, "q + a"),
        (A, "6"),
    ],
)
def test_a_formula_reads_as_it_computes(node, text):
    assert formula(node) == text


def test_a_named_step_stands_by_its_id():
    """Law 1: no formula is written twice."""
    step = (A * B).named("step", "a step")
    assert formula(step) == "a x b"
    assert formula(step + C) == "step + c"
    assert expression(step + C) == ["+", "step", "c"]


def test_an_expression_is_json_that_a_page_can_evaluate():
    node = ceil(A * Fraction(1, 3)) + total([B, 4]) + figure("", 5, None) + unknown()
    assert json.loads(json.dumps(expression(node))) == [
        "+",
        ["+", ["+", ["ceil", ["*", "a", ["/", 1, 3]]], ["total", "b", 4]], ["5", None]],
        None,
    ]


# --- Leaves, conditions, firmness ---------------------------------------------------------------


def test_walking_meets_each_node_once_itself_first():
    shared = A + B
    node = shared * shared
    assert list(walk(node)) == [node, shared, A, B]
    assert leaves(node) == (A, B)
    assert inputs(A) == ()


def test_conditions_come_once_in_the_order_of_the_formula():
    """C2: what is missing is carried along."""
    node = unknown(topic="context") * unknown(topic="concurrency") * unknown(topic="context")
    assert [condition.topic for condition in conditions(node)] == ["context", "concurrency"]


@pytest.mark.parametrize(
    ("kind", "is_firm"),
    [("stated", True), ("observed", True), ("declared", True), ("assumed", False)],
)
def test_a_number_is_as_firm_as_its_weakest_leaf(kind, is_firm):
    leaf = figure("leaf", kind=kind)
    assert firm(leaf + A) is is_firm
    assert basis(leaf) == kind
    assert basis(leaf + A) == "computed"
    assert kind in rests_on(leaf + A)


def test_an_unknown_is_never_firm():
    assert not firm(A + unknown())
    assert basis(unknown()) == "unknown"


def test_a_sum_names_its_guesses_weakest_first():
    """B7, E2."""
    guess = figure("guess", kind="assumed")
    node = figure("seen", kind="observed") + guess + unknown() + figure("label", kind="declared")
    assert rests_on(node) == ("unknown", "assumed", "declared", "observed")
    assert assumptions(node) == (guess,)


# --- What-if ------------------------------------------------------------------------------------


def grown(parts):
    """The same structure over any named leaves: what reevaluate must agree with."""
    a, b, c = parts
    tokens = larger(a, smaller(b, c)).named("tokens", "tokens")
    return total([ceil(2 * tokens * c / 8), either(a + 1, b, "untold"), floor(c / 3)])


values = st.tuples(*[st.integers(min_value=0, max_value=10**6)] * 3)


@given(values, values)
def test_reevaluating_equals_rebuilding(before, after):
    names = ("a", "b", "c")
    old = [figure(name, value) for name, value in zip(names, before, strict=True)]
    new = [figure(name, value) for name, value in zip(names, after, strict=True)]
    changed = dict(zip(names, new, strict=True))
    again = reevaluate(grown(old), changed)
    assert bounds(again) == bounds(grown(new))
    assert expression(again) == expression(grown(new))


def test_what_no_change_reaches_stays_the_same_node():
    node = (A * B).named("step", "a step") + C
    again = reevaluate(node, {"c": figure("c", 100)})
    assert again.origin.inputs[0] is node.origin.inputs[0]
    assert reevaluate(node, {"nothing": A}) is node


def test_a_named_step_may_be_replaced_whole():
    node = (A * B).named("step", "a step") + C
    assert bounds(reevaluate(node, {"step": figure("step", 100)})) == (103, 103)


def test_reevaluation_keeps_names_labels_and_what_is_left_out():
    node = (A * B).named("step", "a step", left_out=("scales",))
    again = reevaluate(node, {"a": figure("a", 10)})
    assert (again.low, again.id, again.label, again.left_out) == (
        20,
        "step",
        "a step",
        ("scales",),
    )


def test_an_unknown_may_be_filled():
    node = unknown("q") * A
    assert bounds(node) == (0, None)
    assert bounds(reevaluate(node, {"q": B})) == (12, 12)
    assert bounds(reevaluate(A * B, {"a": unknown("a")})) == (0, None)


# --- Large graphs -------------------------------------------------------------------------------

NODES = 40_000


def deep():
    """A chain in which each step uses the one before twice: exponential unless shared."""
    node = A
    for step in range(NODES // 2):
        node = smaller(node + B, node + C).named(f"step{step}", "")
    return node


def test_a_shared_graph_of_40_000_nodes_is_walked_once_each():
    """Linear: twice the nodes takes about twice the time, and no recursion limit is met."""
    node = deep()
    start = time.process_time()
    assert sum(1 for _ in walk(node)) == 3 * (NODES // 2) + 3
    assert leaves(node) == (A, B, C)
    assert firm(node)
    assert formula(node) == f"smaller(step{NODES // 2 - 2} + b, step{NODES // 2 - 2} + c)"
    again = reevaluate(node, {"b": figure("b", 1)})
    assert again.low == A.low + NODES // 2
    # Exponential or quadratic walking would take minutes; this takes about a second.
    assert time.process_time() - start < 30


def test_a_long_sum_and_a_deep_one_print():
    long = total(figure(f"p{n}") for n in range(NODES))
    assert formula(long).count(" + ") == NODES - 1
    node = A
    for _ in range(NODES):
        node = node + B
    assert formula(node).count(" + ") == NODES
    assert expression(node)[0] == "+"


def test_many_readings_are_one_list():
    """A hull of eight programs is read as one, not as seven of two."""
    one, two, three = (figure(name) for name in "abc")
    assert formula(either(either(one, two, "x"), three, "y")) == "either(a, b, c)"
    assert formula(larger(one, larger(two, three))) == "larger(a, b, c)"
    assert formula(smaller(larger(one, two), three)) == "smaller(larger(a, b), c)"
    kept = either(one, two, "x").named("both", "both")
    assert formula(either(kept, three, "y")) == "either(both, c)"
