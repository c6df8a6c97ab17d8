"""What an entry says that it supersedes, and where that leads: in words, and for programs."""

from __future__ import annotations

from typing import Any

from fiche.archive.index_found import Statement
from fiche.cli.archive_search_text import said


def statement_text(one: Statement) -> str:
    """The entries that are meant, by the name that was told; or why there is none."""
    if one.entries == (one.told,):
        return one.told
    if one.entries:
        return f"{said(one.told)}: {', '.join(one.entries)}"
    if one.why == "ambiguous":
        candidates = ", ".join(one.candidates)
        return f"{said(one.told)}: several are called so and none is taken ({candidates})"
    nothing = "nothing in this archive is called so" if one.why else "nothing but itself"
    return f"{said(one.told)}: {nothing}"


def statement_json(one: Statement) -> dict[str, Any]:
    """The same, with what there is to say alone."""
    told: dict[str, Any] = {"told": one.told, "entries": list(one.entries)}
    if one.why:
        told["why"] = one.why
    if one.candidates:
        told["candidates"] = list(one.candidates)
    return told
