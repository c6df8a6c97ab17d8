"""How many bits one value takes in a named format: never its scales or zero points.

A format that stores blocks of values with their scales (GGUF types, for instance) has no bits of
its own here: a file mixes several of them, so its tensors are read, never its name.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.estimators._reading import missing, word
from fiche.kernel.address import Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node, Unknown, either
from fiche.kernel.origin import Stated
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of
from fiche.kernel.workload import Workload

BITS: Mapping[str, int] = {
    "fp64": 64,
    "fp32": 32,
    "bf16": 16,
    "fp16": 16,
    "fp8_e4m3": 8,
    "fp8_e5m2": 8,
    "int8": 8,
    "fp4": 4,
    "int4": 4,
    "mxfp4": 4,
    "nf4": 4,
    "nvfp4": 4,
}

_UNQUANTISED = 16


def quantised(name: str) -> bool:
    """True unless the name is a known format of 16 bits or more: an untold one may be."""
    return BITS.get(name, 0) < _UNQUANTISED


def value_bits(workload: Workload, key: str, topic: str) -> Node:
    """Bits of one value, from `formats.<key>_bits` and the name in `formats.<key>`.

    Where the fiche states both, the hull of the two: nothing here chooses between them.
    """
    stated = workload.figures.get(f"formats.{key}_bits")
    named = named_bits(workload, key, topic)
    if stated is None:
        return named
    if isinstance(named, Unknown):
        return stated
    return either(
        stated, named, tell("formats.{key} and formats.{key}_bits are both stated", key=key)
    )


def named_bits(workload: Workload, key: str, topic: str) -> Node:
    """Bits of one value of the format named in `formats.<key>`, or an unknown with its question."""
    fact = workload.facts.get(f"formats.{key}")
    name = f"formats.{key}.bits"
    if fact is None:
        return missing(
            name,
            count_of("bits"),
            topic,
            tell("state formats.{key}: {known}", key=key, known=_known()),
        )
    if fact.value not in BITS:
        return missing(name, count_of("bits"), topic, _unread(key, fact.value))
    return _defined(name, fact)


def _defined(name: str, fact: Fact) -> Figure:
    bits = BITS[fact.value]
    span = fact.address if isinstance(fact.address, Span) else None
    origin = Stated(
        span=span, because=tell("{value} holds {bits} bits a value", value=fact.value, bits=bits)
    )
    return Figure(
        low=bits,
        high=bits,
        unit=count_of("bits"),
        origin=origin,
        id=name,
        label=tell("bits of {value}", value=fact.value),
    )


def _unread(key: str, value: str) -> str:
    if value == "tf32":
        return tell(
            "formats.{key}: tf32 is a way to compute, stored as fp32: state the stored format",
            key=key,
        )
    if key == "loaded":  # what was loaded has a name that a program printed, and no bits of its own
        return tell(
            "write formats.loaded as one of {known}: '{value}' is not known here",
            known=_known(),
            value=value,
        )
    return tell(
        "state formats.{key}_bits: the bits of '{value}' are not known here ({known} are)",
        key=key,
        value=value,
        known=_known(),
    )


def _known() -> str:
    return ", ".join(BITS)


def loaded_format(workload: Workload) -> str:
    """The word for what is really loaded, else for what is stored; empty where neither is told (A1)."""
    return word(workload, "formats.loaded") or word(workload, "formats.storage")


def is_plain(name: str) -> bool:
    """True for a format of 16 bits or more a value, with nothing beside its values."""
    return BITS.get(name, 0) >= _UNQUANTISED


def plain_bits(name: str, because: str) -> Figure:
    """Bits of one value of a plain format, where something other than a line of the fiche names it.

    Raises:
        KeyError: no format of that name is known here.
    """
    bits = BITS[name]
    origin = Stated(
        span=None,
        because=tell(
            "{because}: {name} holds {bits} bits a value", because=because, name=name, bits=bits
        ),
    )
    return Figure(
        low=bits,
        high=bits,
        unit=count_of("bits"),
        origin=origin,
        label=tell("bits of {name}", name=name),
    )
