"""Where a number comes from: a closed list, because a reader must never have to guess (law 1)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from fiche.kernel.address import Address, Pointer, Span
from fiche.kernel.record import record

if TYPE_CHECKING:
    from fiche.kernel.figure import Node


@record
class Stated:
    """Defines the question (a dimension, a threshold, a margin): firm, and evidence of nothing."""

    span: Span | None
    because: str = ""


@record(eq=False)
class Computed:
    """Made by one operation from other nodes; plain integers and fractions are the formula's own."""

    operation: str
    inputs: tuple[Node | int | Fraction, ...]
    because: str = ""
    source: str = ""


@record
class Observed:
    """Read from a measurement piece: the counter's own name, its scope and statistic stay with it."""

    pointer: Pointer
    counter: str
    scope: str
    stat: str
    printed: str = ""


@record
class Declared:
    """Said by a maker, a seller or a provider: firm for what it attests, never admits on memory."""

    address: Address
    by: str
    printed: str = ""


@record
class Assumed:
    """Stands in for a measurement: somebody's guess, with a reason; never firm."""

    by: str
    because: str
    span: Span | None


@record
class Simulated:
    """Read from a simulation's document: computed by a program, whose formula nobody can walk; never firm."""

    pointer: Pointer
    counter: str
    stat: str
    printed: str
    by: str


Origin = Stated | Computed | Observed | Declared | Assumed | Simulated
