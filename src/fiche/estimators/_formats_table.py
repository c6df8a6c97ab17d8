"""The formats table: one reserve, 32, 16, 8 and 4 bits, to show the arithmetic effect only (B3)."""

from __future__ import annotations

from fiche.estimators._constants import BITS_PER_BYTE, OTHER_MODULES, QUANTISATION_METADATA
from fiche.kernel.figure import Figure, ceil, total
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

WIDTHS = (32, 16, 8, 4)
NO_PEAK = "arithmetic only: no line is a peak, and at 4 bits least of all"


@record
class FormatRow:
    """One width in bits: the weights alone, and with the same reserve."""

    bits: int
    weights: Figure
    with_reserve: Figure


def formats_table(workload: Workload) -> tuple[FormatRow, ...]:
    """One row a width; empty where no count of parameters is stated."""
    if "model.parameters" not in workload.figures:
        return ()
    return tuple(_row(workload, bits) for bits in WIDTHS)


def _row(workload: Workload, bits: int) -> FormatRow:
    weights = ceil(workload.figures["model.parameters"] * bits / BITS_PER_BYTE).named(
        f"formats_table.{bits}.weights",
        tell("weights at {bits} bits a value", bits=bits),
        left_out=(QUANTISATION_METADATA, OTHER_MODULES),
    )
    summed = total((weights, *workload.reserve), BYTE).named(
        f"formats_table.{bits}.with_reserve",
        tell(
            "weights at {bits} bits a value, with the same reserve ({what})",
            bits=bits,
            what=NO_PEAK,
        ),
        left_out=(QUANTISATION_METADATA, OTHER_MODULES),
    )
    return FormatRow(bits=bits, weights=weights, with_reserve=summed)
