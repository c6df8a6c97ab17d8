"""The least that must be in memory together: resident items that are computed and firm (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable

from fiche.kernel import trace
from fiche.kernel.comparison import LoadItem
from fiche.kernel.figure import Figure, total
from fiche.kernel.unit import BYTE


def firm_floor(items: Iterable[LoadItem]) -> Figure | None:
    """The sum in bytes of the resident items that rest on no guess; None where there is none."""
    firm = [item.node for item in items if item.resident and trace.firm(item.node)]
    return total(firm, BYTE) if firm else None
