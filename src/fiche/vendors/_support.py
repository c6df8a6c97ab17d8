"""Support of a format as the catalog states it: yes, no, or unknown, which is never a no."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.fact import Fact

UNKNOWN = "unknown"
_ANSWERS = ("yes", "no")


def stated(facts: Mapping[str, Fact], feature: str) -> str:
    """The catalog's own answer about `feature`; any other word, or none, is unknown."""
    fact = facts.get(feature)
    return fact.value if fact is not None and fact.value in _ANSWERS else UNKNOWN


def family(feature: str) -> str:
    """The catalog's name of a format's family: both encodings of fp8 are one hardware feature."""
    return "fp8" if feature.startswith("fp8") else feature
