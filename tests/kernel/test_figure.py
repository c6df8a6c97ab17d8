"""Figures: intervals whose arithmetic is their formula (law 1, B1, C2)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.condition import Condition
from fiche.kernel.figure import (
    Figure,
    Unknown,
    between,
    bounds,
    ceil,
    either,
    floor,
    larger,
    reapply,
    smaller,
    total,
    unit_of,
)
from fiche.kernel.origin import Assumed, Computed, Stated
from fiche.kernel.unit import BYTE, HOUR, ONE, count_of


def figure(low, high=..., unit=ONE, name=""):
    high = low if high is ... else high
    return Figure(low=low, high=high, unit=unit, origin=Stated(span=None), id=name)


def unknown(unit=ONE):
    return Unknown(condition=Condition(topic="t", text="say it"), unit=unit)


whole = st.integers(min_value=0, max_value=10**12)


@st.composite
def intervals(draw, least=0):
    low = draw(st.integers(min_value=least, max_value=10**6))
    high = draw(st.none() | st.integers(min_value=low, max_value=2 * 10**6))
    return figure(low, high)


# --- Hand-worked values -------------------------------------------------------------------------


def test_seven_billion_parameters_at_16_bits_are_14_gb():
    """B2: 7e9 x 16 / 8."""
    bytes_ = figure(7_000_000_000) * 16 / 8
    assert (bytes_.low, bytes_.high) == (14_000_000_000, 14_000_000_000)
    assert bytes_.exact


def test_the_cache_of_b5():
    """B5: 32 layers, 8 KV heads, 128, 8192 tokens, 2 bytes."""
    assert bounds(2 * figure(32) * 8 * 128 * 8192 * 2) == (1_073_741_824, 1_073_741_824)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (figure(2, 3) + figure(10, 20), (12, 23)),
        (figure(2, 3) + figure(10, None), (12, None)),
        (figure(10, 20) - figure(2, 3), (7, 18)),
        (5 - figure(2, 3), (2, 3)),
        (1 + figure(2, 3), (3, 4)),
        (figure(2, 3) * figure(10, None), (20, None)),
        (figure(0) * figure(10, None), (0, 0)),
        (figure(10, 20) / figure(2, 5), (2, 10)),
        (figure(10, 20) / figure(0, 5), (2, None)),
        (figure(10, 20) / figure(2, None), (0, 10)),
        (1 / figure(4), (Fraction(1, 4), Fraction(1, 4))),
        (floor(figure(Fraction(5, 2), Fraction(7, 2))), (2, 3)),
        (ceil(figure(Fraction(5, 2), None)), (3, None)),
        (smaller(figure(1, 9), figure(3, None)), (1, 9)),
        (larger(figure(1, 9), figure(3, 4)), (3, 9)),
        (larger(figure(1, 9), figure(3, None)), (3, None)),
        (either(figure(1), figure(5), "version untold"), (1, 5)),
        (total([figure(1, 2), 3, figure(4)]), (8, 9)),
        (total([], BYTE), (0, 0)),
    ],
)
def test_bounds_by_hand(node, expected):
    assert bounds(node) == expected


def test_whole_results_of_rounding_are_integers():
    """Law 2: bytes are integers."""
    assert type(ceil(figure(7) * 4 / 8).low) is int
    assert bounds(ceil(figure(7) * 4 / 8)) == (4, 4)


def test_the_hull_keeps_its_reason():
    assert either(figure(1), figure(2), "version untold").origin.because == "version untold"


# --- What is missing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda u: u + 3, lambda u: u * 3, lambda u: 3 * u, lambda u: total([3, u]), ceil]
)
def test_an_unknown_opens_the_high_end(make):
    """C2: a missing number is neither zero nor a guess."""
    node = make(unknown())
    assert node.high is None
    assert node.low in (0, 3)


def test_an_unknown_divisor_leaves_both_ends_open():
    assert bounds(10 / unknown()) == (0, None)


# --- Refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("node", [figure(0), figure(1), unknown(), figure(1) + 1])
def test_no_formula_branches_on_a_number(node):
    with pytest.raises(TypeError, match="truth value"):
        bool(node)


@pytest.mark.parametrize("value", [0.5, True, "1", None])
def test_floats_and_truth_values_are_refused(value):
    with pytest.raises(TypeError, match="not a number"):
        figure(1) + value


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ValueError, match="below low"):
        figure(3, 2)


def test_two_counts_of_different_things_do_not_add():
    with pytest.raises(ValueError, match="needs one unit, got tokens, heads"):
        figure(1, unit=count_of("tokens")) + figure(1, unit=count_of("heads"))


def test_bytes_and_hours_are_not_compared():
    with pytest.raises(ValueError, match="larger needs one unit"):
        larger(figure(1, unit=BYTE), figure(1, unit=HOUR))


def test_a_bare_number_is_no_amount_of_bytes():
    """B1: the unit is always said."""
    with pytest.raises(ValueError, match="needs one unit"):
        figure(1, unit=BYTE) + 1


def test_a_bare_number_stands_among_counts():
    assert unit_of(figure(1, unit=count_of("tokens")) + 1) == count_of("tokens")


def test_division_by_zero_is_refused():
    with pytest.raises(ZeroDivisionError):
        figure(1) / figure(0)


def test_products_of_negative_quantities_are_refused():
    with pytest.raises(ValueError, match="not negative"):
        (figure(1) - figure(2)) * 2


# --- Names --------------------------------------------------------------------------------------


def test_nodes_compare_by_identity():
    one, same = figure(1), figure(1)
    assert one != same
    assert len({one, same}) == 2


def test_a_name_changes_no_number():
    node = (figure(2) * 3).named("limit.kv_cache", "KV cache", left_out=("scales",))
    assert (node.low, node.id, node.label, node.left_out) == (
        6,
        "limit.kv_cache",
        "KV cache",
        ("scales",),
    )
    assert node.named("x", "y").left_out == ("scales",)
    assert isinstance(node.origin, Computed)


# --- Laws ---------------------------------------------------------------------------------------


def inside(value, node):
    low, high = bounds(node)
    return low <= value and (high is None or value <= high)


def pick(draw, node):
    return draw(
        st.integers(min_value=node.low, max_value=10**7 if node.high is None else node.high)
    )


@given(intervals(), intervals(least=1), st.data())
def test_arithmetic_on_points_stays_inside_arithmetic_on_intervals(left, right, data):
    """Containment: whatever the true values are, the true result is in the interval."""
    a, b = pick(data.draw, left), pick(data.draw, right)
    assert inside(a + b, left + right)
    assert inside(a * b, left * right)
    assert inside(Fraction(a, b), left / right)
    assert inside(min(a, b), smaller(left, right))
    assert inside(max(a, b), larger(left, right))
    assert inside(a + b, total([left, right]))
    assert inside(a, either(left, right, "?"))
    assert inside(b, either(left, right, "?"))


@given(intervals(), intervals())
def test_sums_and_products_commute(left, right):
    for make in (lambda a, b: a + b, lambda a, b: a * b, smaller, larger):
        assert bounds(make(left, right)) == bounds(make(right, left))


@given(intervals(), intervals())
def test_a_known_difference_is_as_wide_as_both(left, right):
    if left.high is not None and right.high is not None:
        node = left - right
        assert node.high - node.low == (left.high - left.low) + (right.high - right.low)


@given(st.lists(intervals(), max_size=6))
def test_a_total_is_a_chain_of_sums(parts):
    chained = figure(0)
    for part in parts:
        chained = chained + part
    assert bounds(total(parts)) == bounds(chained)


@given(st.fractions(min_value=0, max_value=10**6))
def test_floor_and_ceil_surround(value):
    node = figure(value)
    assert floor(node).low <= value <= ceil(node).low
    assert ceil(node).low - floor(node).low in (0, 1)


@given(intervals(), intervals(least=1))
def test_an_operation_applied_by_name_is_the_same(left, right):
    for operation, node in (("+", left + right), ("*", left * right), ("/", left / right)):
        assert bounds(reapply(operation, (left, right), "")) == bounds(node)


def test_what_a_search_ended_at_keeps_its_grounds_in_sight():
    """E2: the hull of two tried values, in their unit, resting on figures of any other."""
    ground = Figure(low=7, high=9, unit=BYTE, origin=Assumed(by="A", because="a guess", span=None))
    found = between(figure(1), figure(2), (ground,), "tried")
    assert (found.low, found.high, found.unit) == (1, 2, figure(1).unit)
    assert ground in found.origin.inputs
    assert found.origin.because == "tried"
