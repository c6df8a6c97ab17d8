"""Evidence as bytes of UTF-8 text, whatever wrapping it came in: compressed, UTF-16, a byte order mark.

Line numbers count LF in the text that comes out; invalid bytes stay where they are. One wrapping is taken
off: a packed file inside a packed file is refused, for no program writes its log so.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.importers._excerpt import Excerpt
from fiche.importers._packed import STEP, packing_of, portions, unpacked
from fiche.importers._refusal import refused
from fiche.importers._text import encoding_of, transcoded
from fiche.kernel.diagnostic import Refused
from fiche.kernel.said import tell

# Evidence is a log or a record, not an archive: what unpacks to more is a bomb or a mistake.
MAX_BYTES = 512 * 1024 * 1024


def opened(content: bytes, sha256: str) -> bytes:
    """The text inside `content`; plain bytes come back as they are.

    Raises:
        Refused: it is packed and broken or cut (F426), unpacks to more than `MAX_BYTES` (F425), needs too
            much memory to unpack (F473), or holds another packed file (F474).
    """
    packing = None if isinstance(content, Excerpt) else packing_of(content)
    if packing is None:
        return _as_utf8(content)
    parts = unpacked(portions(content), packing, sha256)
    return _as_utf8(b"".join(_within(packed_once(parts, sha256), sha256)))


def opened_head(head: bytes) -> bytes:
    """As much as the first bytes of a file tell; never raises."""
    packing = None if isinstance(head, Excerpt) else packing_of(head)
    if packing is None:
        return _as_utf8(head)
    found = bytearray()
    try:
        for part in packed_once(unpacked(portions(head), packing, ""), ""):
            found += part
            if len(found) >= STEP:
                break
    except Refused:
        pass  # the head of a file is cut by nature
    return _as_utf8(bytes(found))


def unpacked_note(content: bytes) -> tuple[str, ...]:
    """What a reader of the lines of a packed file should know."""
    packing = None if isinstance(content, Excerpt) else packing_of(content)
    if packing is None:
        return ()
    return (
        tell("unpacked: lines are counted in the text inside the {name} data", name=packing.name),
    )


def packed_once(parts: Iterator[bytes], sha256: str) -> Iterator[bytes]:
    """The same parts.

    Raises:
        Refused: F474, they begin as packed data themselves.
    """
    first = next(parts, b"")
    inner = packing_of(first)
    if inner is not None:
        message = f"the file is packed twice: there is {inner.name} data inside"
        raise refused("F474", message, sha256, hint="unpack the outer packing first")
    yield first
    yield from parts


def _as_utf8(plain: bytes) -> bytes:
    encoding = None if isinstance(plain, Excerpt) else encoding_of(plain)
    if encoding is None:
        return plain
    view = memoryview(plain)
    parts = (bytes(view[at : at + STEP]) for at in range(0, len(plain), STEP))
    return b"".join(transcoded(parts, encoding))


def _within(parts: Iterator[bytes], sha256: str) -> Iterator[bytes]:
    total = 0
    for part in parts:
        total += len(part)
        if total > MAX_BYTES:
            message = f"the file unpacks to more than {MAX_BYTES} bytes"
            raise refused("F425", message, sha256, hint="keep the part around the failure")
        yield part
