"""Files that say one thing twice: the same text in another packing, or before and after its redaction."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from fiche.cli.attach_read import Received
from fiche.importers._opened import opened
from fiche.importers._redaction_check import figures
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Piece, Reading
from fiche.kernel.record import record

# Figures of a reading that make two files tell of one thing, if all of them and their lines are alike.
_TELLING = ("failures", "observations", "planned", "results", "runs", "capacities")


@record
class Alike:
    """The piece that says the same, and a sentence about it."""

    id: str
    told: str


class KnownTexts:
    """The texts of the pieces that a fiche has, and of those that are being added."""

    def __init__(self, pieces: tuple[Piece, ...], contents: Mapping[str, bytes]) -> None:
        self._texts: dict[str, str] = {}
        self._figures: dict[str, list[object]] = {}
        for piece in pieces:
            self._add(piece.id, _digest(contents.get(piece.file, b"")), piece.reading)

    def _add(self, name: str, digest: str, reading: Reading) -> None:
        self._texts.setdefault(digest, name)
        if _tells(reading):
            self._figures[name] = list(figures(reading))

    def alike(self, one: Received) -> Alike | None:
        """The piece that holds the same text, or says the same figures on the same lines."""
        name = self._texts.get(_digest(one.content))
        if name is not None:
            return Alike(
                id=name, told=f"same_text: piece '{name}' holds the same text, packed otherwise"
            )
        if not _tells(one.reading):
            return None
        own = list(figures(one.reading))
        name = next((known for known, told in self._figures.items() if told == own), None)
        if name is None:
            return None
        words = f"same_figures: piece '{name}' says the same figures on the same lines: is it the same run?"
        return Alike(id=name, told=words)

    def add(self, name: str, one: Received) -> None:
        """Keep in mind what is being added under a name."""
        self._add(name, _digest(one.content), one.reading)


def _tells(reading: Reading) -> bool:
    return any(getattr(reading, name) for name in _TELLING)


def _digest(content: bytes) -> str:
    """The digest of the text inside; of the bytes where they cannot be opened."""
    try:
        return hashlib.sha256(opened(content, "")).hexdigest()
    except Refused:
        return hashlib.sha256(content).hexdigest()
