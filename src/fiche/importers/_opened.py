"""Evidence as bytes of UTF-8 text, whatever wrapping it came in: gzip, UTF-16, a byte order mark.

Line numbers count LF in the text that comes out; invalid bytes stay where they are.
"""

from __future__ import annotations

import zlib

from fiche.importers._refusal import refused

# Evidence is a log or a record, not an archive: what unpacks to more is a bomb or a mistake.
MAX_BYTES = 512 * 1024 * 1024
_STEP = 1024 * 1024
_PORTION = 16 * 1024
_GZIP = b"\x1f\x8b"
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def opened(content: bytes, sha256: str) -> bytes:
    """The text inside `content`; plain bytes come back as they are.

    Raises:
        Refused: it is a broken or cut gzip (F426), or unpacks to more than `MAX_BYTES` (F425).
    """
    plain = _gunzipped(content, sha256) if is_gzip(content) else content
    return _transcoded(plain)


def opened_head(head: bytes) -> bytes:
    """As much as the first bytes of a file tell; never raises."""
    if not is_gzip(head):
        return _transcoded(head)
    try:
        return _transcoded(zlib.decompressobj(wbits=31).decompress(head, _STEP))
    except zlib.error:
        return b""


def is_gzip(content: bytes) -> bool:
    """True for a gzip member at the start."""
    return content.startswith(_GZIP)


def _transcoded(plain: bytes) -> bytes:
    for mark, encoding in _MARKS:
        if plain.startswith(mark):
            return plain.decode(encoding, errors="replace").encode("utf-8", errors="replace")
    return plain


def _gunzipped(content: bytes, sha256: str) -> bytes:
    """Every member, one after another; a member may be tiny, so each is fed in small portions."""
    parts: list[bytes] = []
    total = at = 0
    try:
        while content.startswith(_GZIP, at):
            engine = zlib.decompressobj(wbits=31)
            held: bytes | memoryview = b""
            while not engine.eof:
                if not held:
                    held = memoryview(content)[at : at + _PORTION]
                    at += len(held)
                if not held:
                    raise _cut(sha256)
                part = engine.decompress(held, _STEP)
                held = engine.unconsumed_tail
                total += len(part)
                _within(total, sha256)
                parts.append(part)
            at -= len(engine.unused_data)
    except zlib.error as error:
        raise refused("F426", f"the gzip data is broken ({error})", sha256) from None
    if content[at:].strip(b"\x00"):
        raise refused("F426", "there is more data behind the gzip data", sha256)
    return b"".join(parts)


def _within(total: int, sha256: str) -> None:
    if total > MAX_BYTES:
        message = f"the file unpacks to more than {MAX_BYTES} bytes"
        raise refused("F425", message, sha256, hint="keep the part around the failure")


def _cut(sha256: str) -> Exception:
    hint = "a cut archive may lack the lines that matter; copy the file again, or unpack it first"
    return refused("F426", "the gzip data breaks off", sha256, hint=hint)
