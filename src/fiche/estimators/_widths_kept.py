"""How wide the values are that a step keeps for its backward pass."""

from __future__ import annotations

from fiche.estimators._amounts import each
from fiche.estimators._formats import plain_bits, value_bits
from fiche.estimators._learned import (
    base_is_quantised,
    setting,
    unquantised_bits,
    weight_bits,
)
from fiche.estimators._reading import word
from fiche.kernel.figure import Figure, Node, either, larger
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload


@record(eq=False)
class Widths:
    """Bytes of one value: in the format that is computed in, and in the widest that stands beside it.

    `bits` are those of the format of logits, an interval where either may be.
    """

    least: Figure
    most: Figure
    bits: Node


def widths(workload: Workload) -> Widths:
    """The formats of a step: autocast, compute, or that of the weights; the residual stream may be wider."""
    computed = _computed(workload)
    base = unquantised_bits(workload) if base_is_quantised(workload) else weight_bits(workload)
    most = larger(computed, base)
    if may_be_cast(workload):
        most = larger(
            most,
            plain_bits("fp32", tell("a base prepared for k-bit training computes norms in fp32")),
        )
    because = tell("the format of computing, or the wider one beside it")
    return Widths(least=each(computed), most=each(most), bits=either(computed, most, because))


def may_be_cast(workload: Workload) -> bool:
    """True where prepare_model_for_kbit_training may have cast embeddings and norms to fp32."""
    prepared = setting(workload, "prepare_for_kbit")
    return prepared == "yes" or (base_is_quantised(workload) and prepared != "no")


def _computed(workload: Workload) -> Node:
    autocast = word(workload, "training.autocast")
    if autocast not in ("", "none"):
        return plain_bits(autocast, "autocast")
    told = word(workload, "formats.compute")
    if told in ("", "tf32"):  # tf32 is a way to compute: values stay as they are stored
        return unquantised_bits(workload)
    return value_bits(workload, "compute", "compute_format")
