"""Intel: support is what the catalog states; no rule by architecture was found for the others.

The OpenCL runtime declares 95 to 98 % of a card's memory, and one benchmark multiplies it back: a
printed total of that benchmark is not what a program can rely on (`catalog/sources.yaml`).
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.doors import Vendor
from fiche.kernel.fact import Fact
from fiche.vendors._support import family, stated


def supports(facts: Mapping[str, Fact], feature: str) -> str:
    """`yes`, `no` or `unknown` for a format on a card with these facts."""
    return stated(facts, family(feature))


MEMBER = Vendor(name="intel", title="Intel", supports=supports)
