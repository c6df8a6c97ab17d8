"""What data-parallel ranks share in a training: only gradients, their states, or the weights too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement.asked import Placement

Made = Callable[[Iterable[Any]], Any]


def shared(
    model: Any, ledger: Ledger, placement: Placement, microbatches: int, made: Made
) -> tuple[Any, Any, Any]:
    """The model as its rank has it, its optimizer (None: the usual one over its parameters), and what shares.

    What shares has `around(backward)`, a backward pass with its own work before and behind; None where
    hooks of the model do all of it.

    Raises:
        NotSimulatedError: it cannot be shared so.
    """
    from fiche.simulate.placement import devices, fully_sharded, replicated, zero, zero3

    if placement.sharding == "fsdp":
        return fully_sharded.share_out(model, ledger, placement, microbatches), None, None
    if placement.sharding == "zero3":
        return zero3.share_out(model, ledger, placement, microbatches, made)
    if placement.sharding in ("zero1", "zero2"):
        return zero.share_out(model, ledger, placement, microbatches, made)
    model = devices.on_device(model, ledger)
    if placement.shares:
        return model, None, replicated.Buckets(model, ledger, placement, microbatches)
    return model, None, None
