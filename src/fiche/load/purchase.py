"""The buyer's side of every cost, as a fiche states it."""

from __future__ import annotations

from fiche.kernel.purchase import Purchase
from fiche.load.node import Mapping
from fiche.load.values import fact

# What is no word about the buyer, and read as a number elsewhere.
_NUMBERS = ("tax_recovery",)


def purchase(root: Mapping) -> Purchase:
    """Who buys, in words; a fiche that names no buyer has none."""
    told = root.mapping("buyer")
    words = {key: fact(told.scalar(key)) for key in told.entries if key not in _NUMBERS}
    return Purchase(facts=words)
