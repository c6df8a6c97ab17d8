"""How many values a group of alike parameters holds."""

from __future__ import annotations

from fiche.kernel.figure import Node
from fiche.kernel.model import Parameters


def elements(group: Parameters) -> Node:
    """Values of all tensors of a group: copies x the product of one tensor's shape."""
    product = group.copies
    for side in group.shape:
        product = product * side
    return product
