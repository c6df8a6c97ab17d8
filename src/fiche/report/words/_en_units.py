"""English words of what is counted: `one|many` by the word that a unit has."""

from __future__ import annotations

_COUNTED = (
    *(
        "accumulations",
        "bits",
        "blocks",
        "cards",
        "cells",
        "devices",
        "experts",
        "frames",
        "groups",
        "heads",
    ),
    *(
        "images",
        "layers",
        "months",
        "nodes",
        "parameters",
        "quotes",
        "requests",
        "samples",
        "sequences",
    ),
    *("steps", "tokens", "ways", "years", "days"),
)
_RATES = ("tokens", "requests", "samples", "steps", "images")

UNITS: dict[str, str] = {
    **{word: f"{word[:-1]}|{word}" for word in _COUNTED},
    **{f"{word}/s": f"{word}/s|{word}/s" for word in _RATES},
    # What a fiche names by the last word of its path.
    "accumulation": "accumulation|accumulation",
    "batch": "batch|batch",
    "context": "context|context",
    "dim": "dim|dim",
    "microbatch": "microbatch|microbatch",
    "parameter": "parameter|parameters",
    "rank": "rank|rank",
    "size": "size|size",
    "vocabulary": "vocabulary|vocabulary",
    "width": "width|width",
    "year": "year|year",
}
