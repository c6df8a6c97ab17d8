"""The JSON of a safetensors header, entry by entry: it may have 100 MB, its entries are all alike."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from fiche.checkpoints._refusal import refused, short
from fiche.checkpoints._tensors import MAX_TENSORS
from fiche.kernel.config import Json
from fiche.kernel.diagnostic import Refused

_BLANK = rb"[ \t\n\r]*+"
_STRING = rb'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
_PLAIN = rb'"([^"\\\x00-\x1f]*+)"'
_WHOLE = rb"(?:0|[1-9][0-9]{0,18})(?![0-9.eE])"
# As the library itself writes it; other orders and spellings take the slower way.
_ENTRY = re.compile(
    _BLANK
    + _PLAIN
    + rb':\{"dtype":"([A-Z0-9_]{1,32})","shape":\[([0-9,]{0,400}+)\],"data_offsets":\[('
    + _WHOLE
    + rb"),("
    + _WHOLE
    + rb")\]\}([,}])"
)
_KEY = re.compile(_BLANK + b"(" + _STRING + b")" + _BLANK + b":" + _BLANK)
_VALUE = re.compile(b"(" + _STRING + b")")
_COMMA = re.compile(_BLANK + b"([,}])")
_OPEN = re.compile(rb"\{" + _BLANK)
_REST = re.compile(_BLANK)
_METADATA = "__metadata__"
_MAX_ENTRY = 64 * 1024
_MAX_SIDES = 64
_MAX_METADATA = 10_000
_LONGEST = 4096


class Entry(NamedTuple):
    """One tensor as written, its dtype not yet known to exist."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


class Entries(NamedTuple):
    """All that a header says."""

    tensors: list[Entry]
    metadata: dict[str, Json]


def entries(header: bytes, file: str) -> Entries:
    """The tensors of a header in the order written, and its metadata (long texts by their length).

    Raises:
        Refused: F812 it is not what the format says, F824 it lists too many tensors.
    """
    return _Reader(header, file).read()


class _Reader:
    """Walks over a header once; `at` is the byte that comes next."""

    def __init__(self, header: bytes, file: str) -> None:
        self.header, self.file = header, file
        self.at = 0
        self.shapes: dict[bytes, tuple[int, ...]] = {}
        self.found = Entries([], {})
        self.metadata_seen = False

    def read(self) -> Entries:
        opening = _OPEN.match(self.header)
        if opening is None:
            raise self.odd("the header does not start with {")
        self.at = opening.end()
        more = not self.header.startswith(b"}", self.at)
        self.at += not more
        while more:
            more = self.usual() if _ENTRY.match(self.header, self.at) else self.unusual()
            self.limit()
        rest = _REST.match(self.header, self.at)
        if rest is None or rest.end() != len(self.header):
            raise self.odd("something else than blanks follows the last entry")
        return self.found

    def usual(self) -> bool:
        """Take entries written as the library writes them; True while another one must follow."""
        add, shapes, header = self.found.tensors.append, self.shapes, self.header
        while (match := _ENTRY.match(header, self.at)) is not None:
            name, dtype, sides, start, end, after = match.groups()
            shape = shapes.get(sides)
            if shape is None:
                shape = shapes[sides] = self.shape(sides)
            if name == b"__metadata__":
                raise self.odd("__metadata__ holds a tensor")
            add(Entry(self.text(name), dtype.decode("ascii"), shape, int(start), int(end)))
            self.at = match.end()
            if after == b"}":
                return False
            if len(self.found.tensors) > MAX_TENSORS:
                break
        return True

    def limit(self) -> None:
        if len(self.found.tensors) > MAX_TENSORS:
            message = f"it lists more than {MAX_TENSORS} tensors"
            raise refused("F824", self.file, message, "no published model has so many")

    def unusual(self) -> bool:
        """Take one entry, however it is written; True where another one must follow."""
        name = self.key()
        if name == _METADATA:
            self.metadata()
        else:
            self.found.tensors.append(self.tensor(name))
        return self.comma()

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

    def tensor(self, name: str) -> Entry:
        """A tensor's object ends at the first }: it holds no other one."""
        end = self.header.find(b"}", self.at, self.at + _MAX_ENTRY) + 1
        try:
            told = json.loads(self.header[self.at : end or self.at], object_pairs_hook=_once)
        except (ValueError, RecursionError):
            raise self.odd(f"tensor '{short(name)}' is not described as the format says") from None
        if not _is_tensor(told):
            raise self.odd(f"tensor '{short(name)}' lacks its dtype, shape or data_offsets")
        self.at = end
        return Entry(name, told["dtype"], tuple(told["shape"]), *told["data_offsets"])

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

    def shape(self, sides: bytes) -> tuple[int, ...]:
        """The sides between the brackets of a shape."""
        try:
            found = json.loads(b"[" + sides + b"]")
        except ValueError:
            found = None
        if not _is_shape(found):
            raise self.odd("a shape is no list of whole numbers")
        return tuple(found)

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

    def odd(self, what: str) -> Refused:
        hint = "the file is damaged, or its writer does not follow the format: write it again"
        return refused("F812", self.file, what, hint, at=8 + self.at)


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
