"""The few numbers that are definitions, and the words for what a computed total leaves out."""

from __future__ import annotations

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.unit import Unit

BITS_PER_BYTE = Figure(
    low=8,
    high=8,
    unit=Unit((("B", -1),)),
    origin=Stated(span=None, because="a byte is 8 bits"),
    id="bits_per_byte",
    label="bits in a byte",
)

QUANTISATION_METADATA = "quantisation metadata (scales, zero points)"
OTHER_MODULES = "modules kept in another format"

WORKING_MEMORY = "working memory beyond the reserve"
TRANSIENT_LOADING = "transient loading"
OUTSIDE_THE_PROCESS = "uses outside the process"
NO_OPERATION = (
    "KV cache, or gradients, optimizer states and activations: no operation is stated to need them"
)
