"""The few numbers that are definitions, and the words for what a computed total leaves out."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.said import tell
from fiche.kernel.unit import Unit

BITS_PER_BYTE = Figure(
    low=8,
    high=8,
    unit=Unit((("B", -1),)),
    origin=Stated(span=None, because=tell("a byte is 8 bits")),
    id="bits_per_byte",
    label=tell("bits in a byte"),
)

QUANTISATION_METADATA = tell("quantisation metadata (scales, zero points)")
OTHER_MODULES = tell("modules kept in another format")

WORKING_MEMORY = tell("working memory beyond the reserve")
TRANSIENT_LOADING = tell("transient loading")
OUTSIDE_THE_PROCESS = tell("uses outside the process")
NO_OPERATION = tell(
    "KV cache, or gradients, optimizer states and activations: no operation is stated to need them"
)
