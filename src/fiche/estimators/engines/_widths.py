"""Bytes of one cached value: a plain format by its bits, a block type with its scales.

Block types are stored as whole blocks, `bytes` for every so many values (ggml's quantisation table;
truth.md "How to compare" 2): q8_0 is 34 bytes per 32 values, one 16-bit scale and 32 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.estimators._constants import BITS_PER_BYTE
from fiche.estimators._formats import BITS, named_bits, quantised, value_bits
from fiche.estimators._reading import word
from fiche.kernel.address import Span
from fiche.kernel.figure import Figure, Node
from fiche.kernel.origin import Stated
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE, ONE, Unit
from fiche.kernel.workload import Workload

# Type: bytes of a block, values of a block.
BLOCKS: Mapping[str, tuple[int, int]] = {
    "f32": (4, 1),
    "f16": (2, 1),
    "q8_0": (34, 32),
    "q8_1": (36, 32),
    "q6_0": (26, 32),
    "q5_1": (24, 32),
    "q5_0": (22, 32),
    "q4_1": (20, 32),
    "q4_0": (18, 32),
    "iq4_nl": (18, 32),
}


@record(eq=False)
class Widths:
    """Bytes of one cached value of a key and of a value."""

    key: Node
    value: Node


def widths(workload: Workload, untold: Node | None = None) -> Widths:
    """Widths by `formats.cache_key` and `formats.cache_value`, else by `formats.cache`.

    `untold` is the width in bytes that an engine takes where the fiche names no format at all; without
    it, an unknown whose condition asks for the format.
    """
    key = _width(workload, "cache_key", untold)
    own = any(f"formats.cache_{kind}" in workload.facts for kind in ("key", "value"))
    return Widths(key=key, value=_width(workload, "cache_value", untold) if own else key)


def computed_width(workload: Workload) -> Node:
    """Bytes of one value as layers compute it: what an unquantised cache and most states hold.

    `formats.compute`, else what was loaded or stored where that is no quantised format, else what the
    model's files name; otherwise an unknown that asks for `formats.compute`.
    """
    for key in ("compute", "loaded", "storage"):
        if _computes(word(workload, f"formats.{key}")):
            return named_bits(workload, key, "compute_format") / BITS_PER_BYTE
    model = workload.model
    if model is not None and _computes(model.storage):
        because = tell("the model's files name {storage}", storage=model.storage)
        bits = fixed(
            "model.storage.bits",
            tell("bits of {storage}", storage=model.storage),
            BITS[model.storage],
            because,
        )
        return bits / BITS_PER_BYTE
    return named_bits(workload, "compute", "compute_format") / BITS_PER_BYTE


def _computes(name: str) -> bool:
    return name in BITS and not quantised(name)


def cache_format(workload: Workload, kind: str = "") -> str:
    """The word for the cache's format: of `key` or `value` where it differs, empty where untold."""
    own = word(workload, f"formats.cache_{kind}") if kind else ""
    return own or word(workload, "formats.cache")


def block_width(name: str, key: str = "formats.cache", span: Span | None = None) -> Node:
    """Bytes of one value of a block type, as a quotient that names both sides.

    Raises:
        KeyError: no block type of this name.
    """
    num_bytes, values = BLOCKS[name]
    because = tell(
        "{name} stores {num_bytes} bytes for every {values} values",
        name=name,
        num_bytes=num_bytes,
        values=values,
    )
    if values == 1:
        return fixed(
            f"{key}.value_bytes",
            tell("bytes of a {name} value", name=name),
            num_bytes,
            because,
            BYTE,
            span,
        )
    block = fixed(
        f"{key}.block_bytes",
        tell("bytes of a {name} block", name=name),
        num_bytes,
        because,
        BYTE,
        span,
    )
    held = fixed(
        f"{key}.block_values",
        tell("values of a {name} block", name=name),
        values,
        because,
        ONE,
        span,
    )
    return block / held


def _width(workload: Workload, key: str, untold: Node | None) -> Node:
    told = key if f"formats.{key}" in workload.facts else "cache"
    fact = workload.facts.get(f"formats.{told}")
    stated_bits = f"formats.{told}_bits" in workload.figures
    if fact is None and untold is not None and not stated_bits:
        return untold
    if fact is not None and fact.value in BLOCKS and fact.value not in BITS and not stated_bits:
        span = fact.address if isinstance(fact.address, Span) else None
        return block_width(fact.value, f"formats.{told}", span)
    return value_bits(workload, told, "cache_format") / BITS_PER_BYTE


def fixed(
    id: str, label: str, value: int, because: str, unit: Unit = ONE, span: Span | None = None
) -> Figure:
    """A number that a program's own definition fixes, as a figure that says why."""
    origin = Stated(span=span, because=because)
    return Figure(low=value, high=value, unit=unit, origin=origin, id=id, label=label)
