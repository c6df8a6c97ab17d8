"""What a file is called in a bag: plain ASCII that every file system takes, and apart from every other one.

The name that it had stands in `fiche-entry.json`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_UNSAFE = re.compile(r"[^A-Za-z0-9._+=@,() -]")
_LONGEST = 120
_DEEPEST = 16
# Names of devices, on Windows, whatever their ending.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{a}{n}" for a in ("com", "lpt") for n in range(10))}


def safe_paths(names: Iterable[str]) -> dict[str, str]:
    """The path of each name below `data/`; no two are the same, also where capitals count for nothing."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names)):
        path = _safe(name)
        if not _fits(path, taken):
            path = _apart(path, name)
        taken.update(_every(path))
        found[name] = path
    return found


def _every(path: str) -> Iterable[str]:
    """The path of the file; what stands in its place as a folder would take it, too."""
    folded = path.casefold()
    yield folded
    parts = folded.split("/")
    yield from ("/".join(parts[:depth]) + "/" for depth in range(1, len(parts)))


def _fits(path: str, taken: set[str]) -> bool:
    """True where no file is there, no folder, and no file where one of its folders would be."""
    folded = path.casefold()
    parts = folded.split("/")
    above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return folded not in taken and f"{folded}/" not in taken and not any(a in taken for a in above)


def _apart(path: str, name: str) -> str:
    """The same, in a folder of its own name."""
    return f"{_digest(name)}/{_part(path.replace('/', '_'))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _safe(name: str) -> str:
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..")]
    if len(parts) > _DEEPEST:
        parts = [*parts[: _DEEPEST - 2], _digest(name), parts[-1]]
    return "/".join(_part(part) for part in parts) or "file"


def _part(part: str) -> str:
    """One name of a path: no sign that means something to a system, no device, and not too long."""
    plain = _UNSAFE.sub("_", part).rstrip(". ").lstrip(" ") or "_"
    if plain.split(".")[0].lower() in _DEVICES:
        plain = f"_{plain}"
    if len(plain) > _LONGEST:
        stem, dot, ending = plain.rpartition(".")
        ending = f".{ending}" if dot and len(ending) <= 12 else ""
        plain = f"{(stem or plain)[: _LONGEST - 30]}-{_digest(part)}{ending}"
    return plain
