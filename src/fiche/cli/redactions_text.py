"""What was replaced in a file, in words: how many things of each kind, never what."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.cli.evidence import Redactions
from fiche.importers._redacted import KINDS


def redactions(found: Redactions) -> str:
    """`2 users (14 places), 1 token (1 place)`, or that nothing was replaced."""
    return ", ".join(_each(found)) or "nothing was replaced"


def _each(found: Redactions) -> Iterator[str]:
    for kind, count in found.counts.items():
        word = KINDS[kind]
        many = word if count == 1 else f"{word}{'es' if word.endswith('s') else 's'}"
        places = found.places.get(kind, count)
        yield f"{count} {many} ({places} {'place' if places == 1 else 'places'})"
