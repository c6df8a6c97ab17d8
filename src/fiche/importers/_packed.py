"""Compressed evidence, unpacked piece by piece: gzip, zstd, xz and lzma, bzip2.

Members and frames may follow each other, zero bytes may stand behind and between them. What an unpacker
needs for itself is bounded: a frame that asks for more is refused before the memory is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fiche.importers._refusal import refused
from fiche.kernel.lazy import lazy

STEP = 1024 * 1024
# A member may be tiny, and every end of one copies the rest of its portion.
PORTION = 16 * 1024
# What xz may use for its dictionary; its strongest preset takes 65 MiB. zstd keeps its own bound, 128 MiB.
_XZ_MEMORY = 192 * 1024 * 1024
_LONGEST_MAGIC = 13
# Members or frames that hold nothing, in a row: programs write one at the end, and one a file that was joined.
_MOST_EMPTY = 10_000
_TOO_LARGE = lazy(r"(?i)memory")


class Packing(NamedTuple):
    """One way to pack bytes: its name for people, how it begins, and what makes its unpackers.

    `tools` returns a maker of unpackers and the errors that they raise; ImportError where this Python
    was built without.
    """

    name: str
    begins: re.Pattern[bytes]
    tools: Callable[[], tuple[Callable[[], Any], tuple[type[Exception], ...]]]


class _Gunzip:
    """zlib's unpacker with the manners of the others: what it was given is kept until it is used."""

    def __init__(self) -> None:
        import zlib

        self._engine = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._engine.eof

    @property
    def needs_input(self) -> bool:
        return not self._engine.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._engine.unused_data

    def decompress(self, held: bytes, most: int) -> bytes:
        return self._engine.decompress(held or self._engine.unconsumed_tail, most)


def _gzip() -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    import zlib

    return _Gunzip, (zlib.error,)


def _zstd() -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    import sys
    from importlib import import_module

    tools = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return tools.ZstdDecompressor, (tools.ZstdError,)


def _xz() -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    import lzma

    return lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY), (lzma.LZMAError,)


def _bzip2() -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    import bz2

    return bz2.BZ2Decompressor, (OSError, ValueError)


PACKINGS = (
    Packing("gzip", lazy(rb"\x1f\x8b"), _gzip),
    Packing("zstd", lazy(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _zstd),
    Packing("xz", lazy(rb"\xfd7zXZ\x00"), _xz),
    # The older form has no magic: its usual properties, a dictionary of whole KiB, a length below 2**40.
    Packing(
        "lzma",
        lazy(rb"\x5d\x00\x00.[\x00-\x04](?:\xff{8}|.{5}\x00{3})", re.DOTALL),
        _xz,
    ),
    Packing("bzip2", lazy(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)"), _bzip2),
)


def packing_of(content: bytes) -> Packing | None:
    """How the bytes are packed, by their first ones; None for anything else."""
    head = content[:_LONGEST_MAGIC]
    for packing in PACKINGS:
        if packing.begins.match(head):
            return packing
    return None


def portions(content: bytes) -> Iterator[bytes]:
    """The bytes in portions that an unpacker takes."""
    for at in range(0, len(content), PORTION):
        yield content[at : at + PORTION]


def unpacked(source: Iterator[bytes], packing: Packing, sha256: str) -> Iterator[bytes]:
    """What the members hold, one after another, in parts of at most `STEP` bytes.

    Raises:
        Refused: the data is cut, broken or followed by something else (F426), needs more memory than an
            unpacker may take (F473), or this Python cannot unpack it (F421).
    """
    try:
        make, errors = packing.tools()
    except ImportError:
        hint = "this Python was built without it: unpack the file first"
        message = f"format not supported yet: {packing.name} data"
        raise refused("F421", message, sha256, hint=hint) from None
    empty = 0
    try:
        held = b""
        while True:
            engine = make()
            empty += 1
            for part in _member(engine, source, held, packing, sha256):
                empty = 0
                yield part
            if empty > _MOST_EMPTY:
                words = f"there are more than {_MOST_EMPTY} empty parts in a row"
                raise refused("F426", f"the {packing.name} data is broken: {words}", sha256)
            held = _next_member(engine.unused_data, source)
            if not packing.begins.match(held[:_LONGEST_MAGIC]):
                break
    except errors as error:
        raise _broken(packing, str(error), sha256) from None
    if held:
        raise refused("F426", f"there is more data behind the {packing.name} data", sha256)


def _member(
    engine: Any,  # noqa: ANN401 - four libraries, one manner
    source: Iterator[bytes],
    held: bytes,
    packing: Packing,
    sha256: str,
) -> Iterator[bytes]:
    while not engine.eof:
        if not held and engine.needs_input:
            held = next(source, b"")
            if not held:
                raise _cut(packing, sha256)
        part = engine.decompress(held, STEP)
        held = b""
        if part:
            yield part


def _next_member(held: bytes, source: Iterator[bytes]) -> bytes:
    """What follows a member, without the zero bytes that tapes and block devices leave."""
    held = held.lstrip(b"\x00")
    while len(held) < _LONGEST_MAGIC:
        more = next(source, b"")
        if not more:
            break
        held = (held + more).lstrip(b"\x00")
    return held


def _broken(packing: Packing, error: str, sha256: str) -> Exception:
    if _TOO_LARGE.search(error):
        message = f"unpacking this {packing.name} data needs more memory than fiche gives it"
        return refused("F473", message, sha256, hint="unpack the file first")
    return refused("F426", f"the {packing.name} data is broken ({error})", sha256)


def _cut(packing: Packing, sha256: str) -> Exception:
    hint = "a cut archive may lack the lines that matter; copy the file again, or unpack it first"
    return refused("F426", f"the {packing.name} data breaks off", sha256, hint=hint)
