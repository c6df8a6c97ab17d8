"""Where a number comes from: a closed list, because a reader must never have to guess (law 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fiche.kernel.address import Address, Pointer, Span

if TYPE_CHECKING:
    from fiche.kernel.figure import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """Defines the question (a dimension, a threshold, a margin): firm, and evidence of nothing."""

    span: Span | None
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Computed:
    """Made by one operation from other nodes; plain integers and fractions are the formula's own."""

    operation: str
    inputs: tuple[Node | int | Fraction, ...]
    because: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Read from a measurement piece: the counter's own name, its scope and statistic stay with it."""

    pointer: Pointer
    counter: str
    scope: str
    stat: str
    printed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Said by a maker, a seller or a provider: firm for what it attests, never admits on memory."""

    address: Address
    by: str
    printed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """Stands in for a measurement: somebody's guess, with a reason; never firm."""

    by: str
    because: str
    span: Span | None


Origin = Stated | Computed | Observed | Declared | Assumed
