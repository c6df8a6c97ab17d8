"""The header of a `.gguf` file: counts, keys and values, a table of tensors, then their bytes.

Versions 1 to 3 and both byte orders, as ggml's `gguf.cpp` reads them: offsets are aligned, and tensors
follow each other in the order of the table with nothing but padding between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from fiche.checkpoints._gguf_cursor import Cursor
from fiche.checkpoints._gguf_types import TYPES
from fiche.checkpoints._gguf_values import metadata
from fiche.checkpoints._refusal import counted, refused, short
from fiche.checkpoints._tensors import MAX_TENSORS, Shard, Tensor
from fiche.checkpoints.source import Source
from fiche.kernel.checkpoint import CheckpointFile
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

MAGIC = b"GGUF"
_VERSIONS = (1, 2, 3)
_ALIGNMENT = "general.alignment"
_DEFAULT_ALIGNMENT = 32
_MAX_SIDES = 8
_MAX_NAME = 65_535
_COPY = "the file is cut or damaged: copy it again and compare its digest"


def tensors_of_gguf(source: Source) -> Shard:
    """The tensors of one file, shapes in row-major order, and its metadata. Reads its header only.

    Long arrays and texts are kept by their length. `header_bytes` ends where the table of tensors
    ends, before the padding.

    Raises:
        Refused: F816 cut or a header too long, F817 no GGUF of a version that is read, F818 a value that
            the format does not allow, F813 unknown number format, F814 offsets or shapes that do not
            fit, F815 a name twice, F824 too many tensors, or what the source refuses.
    """
    cursor = Cursor(source)
    num_tensors, num_values = _preamble(cursor)
    values = metadata(cursor, num_values)
    alignment = _alignment(values, source.name)
    table = _table(cursor, num_tensors, alignment)
    file = CheckpointFile(
        name=source.name,
        num_bytes=source.length(),
        header_bytes=cursor.at,
        sha256=cursor.digest(),
    )
    start = _padded(cursor.at, alignment)
    doubts = _check_end(start, table, alignment, source)
    return Shard(format="gguf", file=file, tensors=table, metadata=values, doubts=doubts)


def _preamble(cursor: Cursor) -> tuple[int, int]:
    """The counts of tensors and of values, once version and byte order are known."""
    if cursor.take(4) != MAGIC:
        raise refused("F817", cursor.source.name, "it does not start with GGUF", _NO_GGUF)
    word = cursor.take(4)
    version = int.from_bytes(word, "little")
    if version & 0xFFFF == 0:
        cursor.order, version = ">", int.from_bytes(word, "big")
    if version not in _VERSIONS:
        message = f"its version is {version}; 1, 2 and 3 are read"
        raise refused("F817", cursor.source.name, message, _NO_GGUF, at=4)
    cursor.long = "I" if version == 1 else "Q"
    num_tensors, num_values = cursor.count(), cursor.count()
    if num_tensors > MAX_TENSORS:
        message = f"it lists {num_tensors} tensors"
        raise refused("F824", cursor.source.name, message, f"at most {MAX_TENSORS} are read", at=8)
    return num_tensors, num_values


_NO_GGUF = "name a GGUF file; convert older formats with a present version of llama.cpp"


def _alignment(values: Mapping[str, Json], file: str) -> int:
    found = values.get(_ALIGNMENT, _DEFAULT_ALIGNMENT)
    if not isinstance(found, int) or isinstance(found, bool) or found <= 0 or found & (found - 1):
        message = f"{_ALIGNMENT} is {short(str(found))}, no power of two"
        raise refused("F818", file, message, _COPY)
    return found


def _padded(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _table(cursor: Cursor, count: int, alignment: int) -> dict[str, Tensor]:
    """Every tensor by name; each must start where the one before it ends, padding included."""
    tensors: dict[str, Tensor] = {}
    shared: dict[tuple[int, tuple[int, ...]], Tensor] = {}
    expected = 0
    for _ in range(count):
        at = cursor.at
        name = _name(cursor)
        shape, number, offset = _shape(cursor), cursor.whole("I"), cursor.whole("Q")
        tensor = shared.get((number, shape)) or _tensor(name, number, shape, cursor, at)
        shared[number, shape] = tensor
        if name in tensors:
            hint = "write the file again: which one counts?"
            raise refused("F815", cursor.source.name, f"tensor '{name}' stands twice", hint, at=at)
        if offset != expected:
            message = f"tensor '{name}' lies at offset {offset}, expected {expected}"
            raise refused("F814", cursor.source.name, message, _COPY, at=at)
        expected = _padded(offset + tensor.num_bytes, alignment)
        tensors[name] = tensor
    return tensors


def _name(cursor: Cursor) -> str:
    length = cursor.count()
    if length > _MAX_NAME:
        message = f"a tensor's name of {length} bytes"
        raise refused("F818", cursor.source.name, message, _COPY, at=cursor.at)
    raw = cursor.take(length)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        message = "a tensor's name is not UTF-8"
        raise refused("F818", cursor.source.name, message, _COPY, at=cursor.at) from None


def _shape(cursor: Cursor) -> tuple[int, ...]:
    """The sides, outermost first: GGUF writes the one of neighbouring values first."""
    num_sides = cursor.whole("I")
    if num_sides > _MAX_SIDES:
        message = f"a tensor of {num_sides} sides"
        raise refused("F818", cursor.source.name, message, _COPY, at=cursor.at)
    return tuple(cursor.count() for _ in range(num_sides))[::-1]


def _tensor(name: str, number: int, shape: tuple[int, ...], cursor: Cursor, at: int) -> Tensor:
    kind = TYPES.get(number)
    if kind is None:
        message = f"tensor '{short(name)}' has the unknown number format {number}"
        hint = "it was removed from ggml, or is newer than gguf 0.19"
        raise refused("F813", cursor.source.name, message, hint, at=at)
    row = shape[-1] if shape else 1
    values = prod(shape)
    if row % kind.values or values >= 2**63:
        raise _misshapen(name, kind.name, shape, cursor, at)
    return Tensor(kind.name, shape, values // kind.values * kind.num_bytes)


def _misshapen(name: str, kind: str, shape: tuple[int, ...], cursor: Cursor, at: int) -> Refused:
    message = f"tensor '{short(name)}' of {kind} cannot have the shape {list(shape)}"
    return refused("F814", cursor.source.name, message, _COPY, at=at)


def _check_end(
    start: int, table: Mapping[str, Tensor], alignment: int, source: Source
) -> tuple[str, ...]:
    """The last tensor must end in the file; more than its padding behind it is doubtful."""
    end = full = start
    for tensor in table.values():
        end = full + tensor.num_bytes
        full = _padded(end, alignment)
    length = source.length()
    if table and end > length:
        message = f"its tensors end at byte {end}, the file at {length}"
        raise refused("F816", source.name, message, _COPY)
    if length > full:
        return (
            f"{source.name}: {counted(length - full, 'byte')} behind the last tensor belong to none",
        )
    return ()
