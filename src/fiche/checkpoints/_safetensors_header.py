"""The JSON of a safetensors header, entry by entry: it may have 100 MB, its entries are all alike."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from math import prod
from operator import sub
from typing import NamedTuple

from fiche.checkpoints._refusal import refused, short
from fiche.checkpoints._safetensors_dtypes import BITS
from fiche.checkpoints._safetensors_usual import usual_entries
from fiche.checkpoints._tensors import MAX_TENSORS, Tensor
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

_BLANK = rb"[ \t\n\r]*+"
_STRING = rb'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
_KEY = re.compile(_BLANK + b"(" + _STRING + b")" + _BLANK + b":" + _BLANK)
_VALUE = re.compile(b"(" + _STRING + b")")
_COMMA = re.compile(_BLANK + b"([,}])")
_OPEN = re.compile(rb"\{" + _BLANK)
_REST = re.compile(_BLANK)
_DAMAGED = "the file is damaged, or its writer does not follow the format: write it again"
_METADATA = "__metadata__"
_FIRST = b'"__metadata__"'
_MAX_ENTRY = 64 * 1024
_MAX_SIDES = 64
_MAX_METADATA = 10_000
_LONGEST = 4096


class Entries(NamedTuple):
    """All that a header says: tensors by name, in this order their offsets, texts beside them."""

    tensors: dict[str, Tensor]
    starts: list[int]
    ends: list[int]
    metadata: dict[str, Json]


def entries(header: bytes, file: str) -> Entries:
    """The tensors of a header in the order written, and its metadata (long texts by their length).

    Raises:
        Refused: F812 it is not what the format says, F813 an unknown number format, F814 offsets that
            are not as wide as the tensor, F815 a name twice, F824 it lists too many tensors.
    """
    return _Reader(header, file).read()


class _Reader:
    """Walks over a header once; `at` is the byte that comes next."""

    def __init__(self, header: bytes, file: str) -> None:
        self.header, self.file = header, file
        self.at = 0
        self.found = Entries({}, [], [], {})
        self.metadata_seen = False

    def read(self) -> Entries:
        self.limit(self.header.count(b'"data_offsets"'))
        opening = _OPEN.match(self.header)
        if opening is None:
            raise self.odd("the header does not start with {")
        self.at = opening.end()
        more = not self.header.startswith(b"}", self.at)
        self.at += not more
        if more and self.header.startswith(_FIRST, self.at):
            more = self.entry()
        more = more and not self.usual()
        while more:
            more = self.entry()
        rest = _REST.match(self.header, self.at)
        if rest is None or rest.end() != len(self.header):
            raise self.odd("something else than blanks follows the last entry")
        return self.found

    def usual(self) -> bool:
        """Take all entries that are left at once, if the library wrote them; False: none taken."""
        columns = usual_entries(self.header, self.at)
        if columns is None:
            return False
        kinds = {raw: self.kind(raw) for raw in sorted(set(columns.kinds))}
        tensors = list(map(kinds.__getitem__, columns.kinds))
        by_name = dict(zip(columns.names, tensors, strict=True))
        if len(by_name) < len(tensors) or _METADATA in by_name:
            return False
        widths = {raw: tensor.num_bytes for raw, tensor in kinds.items()}
        told = map(sub, columns.ends, columns.starts)
        if list(told) != list(map(widths.__getitem__, columns.kinds)):
            return False
        self.found.tensors.update(by_name)
        self.found.starts.extend(columns.starts)
        self.found.ends.extend(columns.ends)
        self.at = columns.stop
        return True

    def entry(self) -> bool:
        """Take one entry, however it is written; True where another one must follow."""
        name = self.key()
        if name == _METADATA:
            self.metadata()
        else:
            self.tensor(name)
        self.limit(len(self.found.tensors))
        return self.comma()

    def add(self, name: str, tensor: Tensor, start: int, end: int) -> None:
        """Take a tensor that spans these offsets."""
        if end - start != tensor.num_bytes:
            message = (
                f"tensor '{short(name)}' of {tensor.dtype} {list(tensor.shape)} has "
                f"{tensor.num_bytes} bytes, its offsets [{start}, {end}] span {end - start}"
            )
            raise self.odd(message, "F814")
        if name in self.found.tensors or name == _METADATA:
            raise self.odd(f"tensor '{short(name)}' stands twice", "F815")
        self.found.tensors[name] = tensor
        self.found.starts.append(start)
        self.found.ends.append(end)

    def limit(self, count: int) -> None:
        if count > MAX_TENSORS:
            message = f"it lists more than {MAX_TENSORS} tensors"
            raise refused("F824", self.file, message, "no published model has so many")

    def key(self) -> str:
        match = _KEY.match(self.header, self.at)
        if match is None:
            raise self.odd("a name and a colon should stand here")
        name = self.unquoted(match[1])
        self.at = match.end()
        return name

    def comma(self) -> bool:
        match = _COMMA.match(self.header, self.at)
        if match is None:
            raise self.odd("a comma or } should stand here")
        self.at = match.end()
        return match[1] == b","

    def tensor(self, name: str) -> None:
        """A tensor's object ends at the first }: it holds no other one."""
        end = self.header.find(b"}", self.at, self.at + _MAX_ENTRY) + 1
        try:
            told = _DECODER.decode(self.header[self.at : end or self.at].decode("utf-8"))
        except (ValueError, RecursionError):
            raise self.odd(f"tensor '{short(name)}' is not described as the format says") from None
        if not _is_tensor(told):
            raise self.odd(f"tensor '{short(name)}' lacks its dtype, shape or data_offsets")
        self.add(name, self.of_shape(told["dtype"], told["shape"]), *told["data_offsets"])
        self.at = end

    def metadata(self) -> None:
        """Texts by name, or null."""
        if self.metadata_seen:
            raise self.odd("__metadata__ stands twice")
        self.metadata_seen = True
        if self.header.startswith(b"null", self.at):
            self.at += 4
            return
        opening = _OPEN.match(self.header, self.at)
        if opening is None:
            raise self.odd("__metadata__ is no object")
        self.at = opening.end()
        if self.header.startswith(b"}", self.at):
            self.at += 1
            return
        while self.pair():
            pass

    def pair(self) -> bool:
        """One text of the metadata; True where another one must follow."""
        key = self.key()
        match = _VALUE.match(self.header, self.at)
        if match is None:
            raise self.odd("a text should stand here: metadata holds nothing else")
        if key in self.found.metadata:
            raise self.odd(f"'{short(key)}' stands twice in the metadata")
        if len(self.found.metadata) >= _MAX_METADATA:
            raise self.odd(f"the metadata hold more than {_MAX_METADATA} texts")
        value = self.unquoted(match[1])
        self.found.metadata[key] = kept(value)
        self.at = match.end()
        return self.comma()

    def kind(self, raw: bytes) -> Tensor:
        """The tensor of a dtype and a shape as the library writes them, one behind the other."""
        try:
            told = json.loads(b'{"dtype":' + raw + b"}")
        except ValueError:
            told = {"shape": None}
        if not _is_shape(told["shape"]):
            raise self.odd("a shape is no list of whole numbers")
        return self.of_shape(told["dtype"], told["shape"])

    def of_shape(self, dtype: str, shape: list[int]) -> Tensor:
        bits = BITS.get(dtype)
        if bits is None:
            message = f"a tensor has the unknown number format '{short(dtype)}'"
            raise self.odd(message, "F813", f"known are {', '.join(BITS)}")
        bits *= prod(shape)
        if bits % 8:
            raise self.odd(f"a tensor of {dtype} {shape} ends within a byte", "F814")
        return _shared(Tensor(dtype, tuple(shape), bits // 8))

    def unquoted(self, string: bytes) -> str:
        if b"\\" not in string:
            return self.text(string[1:-1])
        found = str(json.loads(self.text(string)))
        self.text(found.encode("utf-8", "surrogatepass"))
        return found

    def text(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self.odd("a name is not UTF-8") from None

    def odd(self, what: str, code: str = "F812", hint: str = "") -> Refused:
        return refused(code, self.file, what, hint or _DAMAGED, at=8 + self.at)


@lru_cache(maxsize=4096)
def _shared(tensor: Tensor) -> Tensor:
    """One value for all equal ones of all shards: they are compared often."""
    return tensor


def kept(text: str) -> Json:
    """A text, or the length of one that is too long to keep."""
    if len(text) <= _LONGEST:
        return text
    return {"kind": "string", "length": len(text)}


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _is_tensor(told: object) -> bool:
    """True for an object with a dtype, a shape and two offsets, all whole and none below zero."""
    if not isinstance(told, dict) or not {"dtype", "shape", "data_offsets"} <= told.keys():
        return False
    shape, offsets = told["shape"], told["data_offsets"]
    return (
        isinstance(told["dtype"], str)
        and _is_shape(shape)
        and _is_shape(offsets)
        and len(offsets) == 2
    )


def _is_shape(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_SIDES and all(map(_is_whole, value))


def _is_whole(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**63
