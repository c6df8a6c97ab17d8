"""Random expression graphs with every operation: intervals, open ends, unknowns, shared parts."""

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Unknown, between, reapply
from fiche.kernel.origin import Stated
from fiche.kernel.unit import ONE

OPERATIONS = (
    "+",
    "-",
    "*",
    "/",
    "floor",
    "ceil",
    "smaller",
    "larger",
    "total",
    "either",
    "bare",
    "between",
)
_ONE_INPUT = ("floor", "ceil", "bare")


@dataclass
class Made:
    """A figure, and the leaves below it by id."""

    top: object
    leaves: dict


def numbers():
    whole = st.integers(0, 10**12) | st.integers(0, 3)
    return whole | st.builds(Fraction, st.integers(0, 10**6), st.integers(1, 999))


@st.composite
def leaf_values(draw):
    """(low, high) of a leaf; high may be open."""
    low = draw(numbers())
    kind = draw(st.sampled_from(("exact", "exact", "interval", "open")))
    return low, low if kind == "exact" else None if kind == "open" else low + draw(numbers())


def leaf(name, value):
    low, high = value
    return Figure(low=low, high=high, unit=ONE, origin=Stated(span=None), id=name)


def unknown(name):
    return Unknown(condition=Condition(topic="need", text=f"state {name}"), unit=ONE, id=name)


@st.composite
def graphs(draw):
    """A graph of up to a score of operations; one that the kernel refuses is left out on the way."""
    leaves = {f"x{n}": leaf(f"x{n}", draw(leaf_values())) for n in range(draw(st.integers(1, 4)))}
    if draw(st.booleans()):
        leaves["u"] = unknown("u")
    nodes = [*leaves.values(), draw(numbers())]
    for _ in range(draw(st.integers(1, 20))):
        operation = draw(st.sampled_from(OPERATIONS))
        count = (
            1 if operation in _ONE_INPUT else draw(st.integers(1, 4)) if operation == "total" else 2
        )
        parts = tuple(draw(st.sampled_from(nodes)) for _ in range(count))
        try:
            made = applied(operation, parts)
        except (ValueError, ZeroDivisionError, AttributeError):
            continue
        nodes.append(made.named(f"n{len(nodes)}", "") if draw(st.booleans()) else made)
    figures = [node for node in nodes if isinstance(node, Figure)]
    return Made(top=figures[-1], leaves=leaves)


def applied(operation, parts):
    if operation != "between":
        return reapply(operation, parts, "")
    return between(*parts, [parts[0]], "")
