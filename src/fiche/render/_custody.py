"""How a thing may be kept, as decision.json writes it: each key only where it is told."""

from __future__ import annotations

from typing import Any

from fiche.kernel.custody import Citation, Custody


def custody(told: Custody) -> dict[str, Any]:
    """The keys of a fiche or a piece."""
    keys: dict[str, Any] = {
        "rights": told.rights,
        "confidentiality": told.confidentiality,
        "keep_until": told.keep_until,
        "identifier": told.identifier,
        "supersedes": list(told.supersedes),
    }
    return {key: value for key, value in keys.items() if value}


def citation(told: Citation | None) -> dict[str, Any]:
    """The key of a piece that was taken from an archive; nothing for any other."""
    if told is None:
        return {}
    return {"cites": {"archive": told.archive, "entry": told.entry, "file": told.file}}
