"""NVIDIA: a format's support follows the compute capability, unless the catalog states it.

Rules and their documents: half precision from 5.3 and bfloat16 from 8.0 (CUDA C++ Programming Guide,
features by compute capability), fp8 from 8.9 (TensorRT for RTX support matrix), fp32 on every device.
A "no" is the hardware's: software may emulate, so it never excludes (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.doors import Vendor
from fiche.kernel.fact import Fact
from fiche.vendors._support import UNKNOWN, family, stated

_FROM: Mapping[str, tuple[int, int]] = {
    "fp32": (0, 0),
    "fp16": (5, 3),
    "bf16": (8, 0),
    "fp8": (8, 9),
}


def supports(facts: Mapping[str, Fact], feature: str) -> str:
    """`yes`, `no` or `unknown` for a format on a card with these facts."""
    asked = family(feature)
    said = stated(facts, asked)
    capability = _capability(facts)
    if said != UNKNOWN or capability is None or asked not in _FROM:
        return said
    return "yes" if capability >= _FROM[asked] else "no"


def _capability(facts: Mapping[str, Fact]) -> tuple[int, int] | None:
    fact = facts.get("compute_capability")
    major, dot, minor = ("", "", "") if fact is None else fact.value.partition(".")
    if not (dot and major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        return None
    return int(major), int(minor)


MEMBER = Vendor(name="nvidia", title="NVIDIA", supports=supports)
