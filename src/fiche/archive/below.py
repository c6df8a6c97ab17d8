"""What lies below the paths of an import: files, folders of reports, other archives; links are not followed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fiche.archive.refusals import refused
from fiche.archive.store import MARKER, is_remote
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record

_DECISION = "decision.json"
_FICHES = re.compile(r".*\.ya?ml", re.IGNORECASE)
_PACKED = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".7z", ".rar")
_DEEPEST = 40
# What a program keeps for itself; no evidence lies there.
_OWN = ("__pycache__", "node_modules")


@record(kw_only=False)
class Lying:
    """One thing to take: `what` is file, report (a folder), archive or refused; `where` begins as typed."""

    what: str
    where: str
    why: Refused | None = None

    @property
    def path(self) -> Path:
        """Where it lies; of an archive behind a URL there is no path."""
        return Path(self.where)


def below(paths: Iterable[str]) -> Iterator[Lying]:
    """Everything to take, in the order of names; what is named and not there is refused."""
    for where in paths:
        path = Path(where)
        if is_remote(where):
            yield Lying("archive", where)
        elif path.is_dir():
            yield from _folder(where, 0)
        elif path.exists():
            yield _file(where)
        else:
            hint = "name a file, a folder or an archive"
            yield Lying("refused", where, refused("F318", f"{where}: nothing is there", hint))


def _folder(where: str, depth: int) -> Iterator[Lying]:
    try:
        entries = sorted(os.scandir(where), key=lambda one: one.name)
    except OSError as error:
        yield Lying("refused", where, _unreadable(where, error))
        return
    if depth > _DEEPEST:
        why = refused("F963", f"{where}: folders are nested too deep", "name the folder in it")
        yield Lying("refused", where, why)
        return
    names = {one.name for one in entries}
    if MARKER in names:
        yield Lying("archive", where)
    elif _DECISION in names and not any(map(_FICHES.fullmatch, names)):
        yield Lying("report", where)
    else:
        for one in entries:
            yield from _one(one, names, depth)


def _one(one: os.DirEntry[str], names: set[str], depth: int) -> Iterator[Lying]:
    if one.is_symlink():
        hint = "links are not followed: name what it leads to"
        yield Lying("refused", one.path, refused("F963", f"{one.path} is a link", hint))
    elif one.name.startswith(".") or one.name in _OWN or _is_spare(one.name, names):
        return
    elif one.is_dir():
        yield from _folder(one.path, depth + 1)
    elif one.is_file():
        yield _file(one.path)


def _is_spare(name: str, names: set[str]) -> bool:
    """A journal whose document lies beside it, which says all of it."""
    return name.endswith(".journal") and name.removesuffix(".journal") in names


def _file(where: str) -> Lying:
    if where.lower().endswith(_PACKED):
        hint = "unpack it into a folder of its own, look at what is in it, and import that"
        why = refused("F962", f"{where} is packed: an archive keeps files, not packages", hint)
        return Lying("refused", where, why)
    return Lying("file", where)


def _unreadable(where: str, error: OSError) -> Refused:
    hint = "check that it exists, and who may read it"
    return refused("F318", f"{where}: {error.strerror or error}", hint)
