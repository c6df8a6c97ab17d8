"""decision.json: numbers that a report prints and that are of no decision: units, and what labels come to (B1).

A page says how many bytes a GiB is; so that each of its numbers is found here, this says it too.
"""

from __future__ import annotations

from typing import Any

from fiche.report import numbers

_UNITS = {
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}
# Labels of cards that the glossary converts, in the unit that makers use.
_LABELS = {"24 GB": 24 * 10**9, "48 GB": 48 * 10**9}


def constants() -> dict[str, Any]:
    """The keys of this part."""
    return {
        "report": {
            "units": [{"unit": unit, "bytes": count} for unit, count in _UNITS.items()],
            "labels": [
                {"label": label, "bytes": count, "text": numbers.memory(count)}
                for label, count in _LABELS.items()
            ],
            "powers": [{"base": 10, "exponent": 9}, {"base": 2, "exponent": 30}],
        }
    }
