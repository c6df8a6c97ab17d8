"""Making an archive in a folder, and knowing one again."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from fiche.archive.refusals import newer, no_archive
from fiche.archive.store import FORMAT, MARKER
from fiche.archive.texts import ROOT_README

BAGS, INCOMING = "bags", "incoming"
# What may lie in a folder that counts as empty.
_NOTHING = (".DS_Store", "lost+found", "desktop.ini")


def found_in(root: Path) -> bool:
    """Make an archive in a folder, unless something else is there; what it is recognised by comes last."""
    if root.exists() and not (root.is_dir() and _is_empty(root)):
        return False
    for folder in (root / BAGS, root / INCOMING):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("README.txt", ROOT_README), (MARKER, marker_bytes())):
        partial = root / INCOMING / f"{name}.{os.urandom(4).hex()}"
        try:
            partial.write_bytes(content)
            with contextlib.suppress(FileExistsError):  # another one made it meanwhile: it is that
                _put(partial, root / name)
        finally:
            partial.unlink(missing_ok=True)
    return True


def _is_empty(root: Path) -> bool:
    """True where nothing is, or what somebody left who was killed while making an archive."""
    return all(each.name in _NOTHING or _is_begun(each) for each in root.iterdir())


def _is_begun(path: Path) -> bool:
    if path.name == "README.txt":
        return path.is_file() and path.read_bytes() == ROOT_README
    is_folder = path.is_dir() and not path.is_symlink()
    return is_folder and (path.name == INCOMING or (path.name == BAGS and not any(path.iterdir())))


def _put(partial: Path, path: Path) -> None:
    """Give the file its name, where nothing has it."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        partial.rename(path)


def marker_bytes() -> bytes:
    """A new `fiche-archive.json`, with an id of its own."""
    import uuid

    return json.dumps({"format": FORMAT, "id": str(uuid.uuid4())}).encode("ascii") + b"\n"


def marked(content: bytes, where: str) -> str:
    """The id in a `fiche-archive.json`.

    Raises:
        Refused: F930 it is none; F931 a newer one.
    """
    try:
        told = json.loads(content)
        form, id = told["format"], told["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise no_archive(where) from None
    if not isinstance(form, str) or not form.startswith("fiche-archive/"):
        raise no_archive(where)
    if form != FORMAT:
        raise newer(where, form)
    return str(id)
