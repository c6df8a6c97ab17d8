"""Compiled templates, kept between runs where the system keeps what can be made again.

Compiling the page's template takes longer than filling it. jinja's own bytecode cache checks the
template's text and the versions, so a stale entry is never used; without a writable folder, or with
`FICHE_NO_CACHE` set, the template is compiled each time. The pages are the same to the byte.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from jinja2 import BytecodeCache, FileSystemBytecodeCache

_PATTERN = "%s.template"


def bytecode_cache() -> BytecodeCache | None:
    """Where compiled templates are kept; None where nothing can be kept."""
    if os.environ.get("FICHE_NO_CACHE"):
        return None
    try:
        folder = _folder() / "fiche" / "templates"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _own(folder):
            return None
    except (OSError, RuntimeError):
        return None
    return FileSystemBytecodeCache(str(folder), _PATTERN)


def _folder() -> Path:
    """The system's folder for such files (XDG, macOS, Windows)."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        return Path(named)
    home = Path.home()
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def _own(folder: Path) -> bool:
    """Only a folder of this user's that nobody else can write: bytecode is a program."""
    if not hasattr(os, "getuid"):
        return True
    state = folder.stat()
    return state.st_uid == os.getuid() and not state.st_mode & 0o022
