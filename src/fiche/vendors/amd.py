"""AMD: support is what the catalog states, for no rule by gfx target was found for the others.

fp8 has two encodings that differ by generation (FNUZ and OCP). The catalog's `fp8: yes` does not say
which, so a question about one encoding stays unknown; its "no" holds for both.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.doors import Vendor
from fiche.kernel.fact import Fact
from fiche.vendors._support import UNKNOWN, family, stated


def supports(facts: Mapping[str, Fact], feature: str) -> str:
    """`yes`, `no` or `unknown` for a format on a card with these facts."""
    said = stated(facts, family(feature))
    one_encoding = feature != family(feature)
    return UNKNOWN if one_encoding and said == "yes" else said


MEMBER = Vendor(name="amd", title="AMD", supports=supports)
