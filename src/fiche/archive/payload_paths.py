"""Paths in bags that anybody may have written (RFC 8493, 2.1.3), and how they are told."""

from __future__ import annotations

_ESCAPES = {"%0A": "\n", "%0a": "\n", "%0D": "\r", "%0d": "\r", "%25": "%"}


def decoded(path: str) -> str:
    """The path as it is on the disk: line ends and the per cent sign are escaped in a manifest."""
    if "%" not in path:
        return path
    parts, rest = [], path
    while "%" in rest:
        before, _, rest = rest.partition("%")
        code = "%" + rest[:2]
        parts += [before, _ESCAPES.get(code, "%")]
        rest = rest[2:] if code in _ESCAPES else rest
    return "".join([*parts, rest])


def unsafe(path: str) -> str:
    """Why a path of a manifest is none below `data/`; empty for one that is."""
    parts = path.split("/")
    if path.startswith(("/", "~")) or path[1:2] == ":" or "\\" in path:
        return "it leads out of the bag"
    if ".." in parts or "." in parts or "" in parts or "\0" in path:
        return "it leads out of the bag"
    if parts[0] != "data" or len(parts) < 2:
        return "it is not below data/"
    return ""


def plain_place(folder: str, name: str) -> str:
    """The place of something that anybody may have named."""
    return f"{folder}/{name if name.isprintable() and len(name) <= 80 else shown(name)}"


def shown(text: str) -> str:
    """A name from a hostile bag, short and on one line."""
    kept = "".join(c if c.isprintable() else "?" for c in text)
    return repr(kept if len(kept) <= 80 else f"{kept[:77]}...")
