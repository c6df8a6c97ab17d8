"""Whether a benchmark's figures are of all its requests: a part of them is no measurement of the whole."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.piece import Piece, Result

_LOST = ("requests_failed:", "run_incomplete:")


def lost(piece: Piece, result: Result) -> Iterator[str]:
    """Why a benchmark's figures are of a part of its requests only, by the words of its importer."""
    for text in piece.reading.warnings:
        named = "(" in text and result.label and result.label not in text
        if text.startswith(_LOST) and not named:
            yield text.partition(": ")[2]
