"""The files that a report was made of, under the names that its fiche uses: to be compiled again."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from fiche.verify.bounds import refused
from fiche.verify.container import Container
from fiche.verify.manifest import BUILT_IN, listed


def extracted_files(container: Container) -> dict[str, bytes]:
    """Bytes by safe name below a folder; what comes with fiche stays out, for a fiche names none of it.

    Raises:
        Refused: F904 a name leads out of the folder, or two names are one on some systems.
    """
    files = listed(container).files(container)
    own = {name: content for name, content in files.items() if not name.startswith(BUILT_IN)}
    taken: dict[str, str] = {}
    for name in own:
        _take(name, taken)
    return own


def _take(name: str, taken: dict[str, str]) -> None:
    """Every folder on the way is a name too: one cannot be a file and a folder."""
    path = PurePosixPath(name)
    for part in (path, *path.parents):
        if str(part) == ".":
            continue
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(part)).casefold())
        kind = "file" if part == path else "folder"
        told = f"{kind} {part}"
        if kind == "file" and taken.get(key) == told:
            raise refused("F904", f"{told} stands there twice", "ask for the file again")
        if taken.setdefault(key, told) != told:
            hint = "take the files out one by one, each to a name of your own"
            raise refused("F904", f"{told} and {taken[key]} are one name on some systems", hint)
