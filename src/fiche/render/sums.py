"""The digests of a folder's files, in the form that `sha256sum -c` reads: any machine can check them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

NAME = "SHA256SUMS"


def sums_bytes(files: Mapping[str, bytes]) -> bytes:
    """One line a file, sorted by name; names are our own, so none needs escaping."""
    lines = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return "".join(lines).encode("ascii")
