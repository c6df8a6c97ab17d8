"""What a fiche says about a file that was attached: its digest then, what was replaced in it, secrets in it."""

from __future__ import annotations

import zlib

from fiche.kernel import secrets
from fiche.load.fault import Faults
from fiche.load.node import Mapping

_GZIP = b"\x1f\x8b"
_MOST_UNPACKED = 64 * 2**20
_WIDE = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SHORT = 12


def check_digest(piece: Mapping, sha256: str, faults: Faults) -> None:
    """Note (F480) that a file has other bytes than when it was attached."""
    if "sha256" not in piece or piece.text("sha256") == sha256:
        return
    stated = piece.scalar("sha256")
    message = (
        f"'{piece.text('file')}' is not the file that was attached: its sha256 is "
        f"{sha256[:_SHORT]}…, not {stated.text[:_SHORT]}…"
    )
    hint = "put the file back as it was, or import the new one as a further piece"
    faults.add("F480", message, stated.span, hint)


def replaced(piece: Mapping) -> dict[str, int]:
    """How many things of each kind were replaced before the file was stored."""
    node = piece.mapping("redacted")
    return {kind: int(node.text(kind)) for kind in node.entries}


def suspicions(content: bytes) -> tuple[str, ...]:
    """A warning where a file holds what looks like secrets; never what they are."""
    return secrets.warnings(_text(content))


def _text(content: bytes) -> bytes:
    """The text of a file, as far as it can be had: packed or wide text is opened, and never refused here."""
    if content.startswith(_GZIP):
        try:
            content = zlib.decompressobj(wbits=31).decompress(content, _MOST_UNPACKED)
        except zlib.error:
            return b""
    wide = _WIDE.get(content[:2])
    return content.decode(wide, "replace").encode("utf-8", "replace") if wide else content
