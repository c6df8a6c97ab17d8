"""What a YAML text holds, each value with its place and its raw text (law 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence as Sequence_
from typing import NamedTuple, TypeVar

from fiche.kernel.address import Span
from fiche.kernel.lazy import lazy

# YAML 1.2 core schema, chapter 10.3.2: `no` is a word and `12:30` is one too.
_WORDS = {
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), "null"),
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), "bool"),
}
# A number starts with one of these; nearly every value is a word.
_NUMBER_STARTS = frozenset("+-.0123456789")
_NUMBERS = (
    ("int", lazy(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)),
    (
        "float",
        lazy(
            r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
            re.ASCII,
        ),
    ),
)
# 18 digits hold every count there is; what is longer stays text and is refused as such.
_PLAIN_INTEGER = lazy(r"-?(0|[1-9][0-9]{0,17})", re.ASCII)


class Scalar(NamedTuple):
    """A single value. `span.text` is what was written, without quotes; `plain` when it had none."""

    span: Span
    plain: bool

    @property
    def text(self) -> str:
        """The raw text: `2.10` is never 2.1."""
        return self.span.text

    @property
    def kind(self) -> str:
        """`null`, `bool`, `int`, `float` or `str`, by the core schema of YAML 1.2."""
        if not self.plain:
            return "str"
        text = self.text
        if text[:1] in _NUMBER_STARTS:
            return next((kind for kind, shape in _NUMBERS if shape.fullmatch(text)), "str")
        return _WORDS.get(text, "str")


class Sequence(NamedTuple):
    """A list."""

    span: Span
    items: tuple[Node, ...]


class Entry(NamedTuple):
    """One key of a mapping, with its own place."""

    key: Scalar
    value: Node


class Mapping:
    """Keys and values in the order written; keys are unique."""

    __slots__ = ("entries", "span")

    def __init__(self, span: Span, entries: dict[str, Entry]) -> None:
        self.span, self.entries = span, entries

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def get(self, key: str) -> Node | None:
        """The value of a key, or None where it is not written."""
        entry = self.entries.get(key)
        return entry.value if entry else None

    def scalar(self, key: str) -> Scalar:
        """The scalar that the schema promises under `key`."""
        return _expect(self.entries[key].value, Scalar)

    def text(self, key: str) -> str:
        """The raw text under `key`, empty where it is not written."""
        return self.scalar(key).text if key in self.entries else ""

    def mapping(self, key: str) -> Mapping:
        """The mapping that the schema promises under `key`; an empty one where it is not written."""
        entry = self.entries.get(key)
        return _expect(entry.value, Mapping) if entry else Mapping(self.span, {})

    def each(self, key: str) -> Iterator[Mapping]:
        """The mappings of the list that the schema promises under `key`."""
        return (_expect(item, Mapping) for item in self.items(key))

    def scalars(self, key: str) -> Iterator[Scalar]:
        """The scalars of the list that the schema promises under `key`."""
        return (_expect(item, Scalar) for item in self.items(key))

    def items(self, key: str) -> tuple[Node, ...]:
        """The items of the list under `key`, none where it is not written."""
        entry = self.entries.get(key)
        return _expect(entry.value, Sequence).items if entry else ()


Node = Scalar | Sequence | Mapping


Kind = TypeVar("Kind", Scalar, Sequence, Mapping)


def _expect(node: Node, kind: type[Kind]) -> Kind:
    """The node as what the schema, applied before, says that it is; anything else is our defect."""
    if not isinstance(node, kind):
        raise TypeError(f"{node.span}: expected a {kind.__name__.lower()}")
    return node


def plain_value(node: Node) -> object:
    """The node as JSON, for a schema: no float anywhere, raw text where a number is not an integer."""
    if isinstance(node, Mapping):
        return {key: plain_value(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain_value(item) for item in node.items]
    if node.kind == "null":
        return None
    if node.kind == "bool":
        return node.text.lower() == "true"
    if node.kind == "int" and _PLAIN_INTEGER.fullmatch(node.text):
        return int(node.text)
    return node.text


def at(node: Node, path: Sequence_[str | int]) -> Node:
    """The node that a JSON path leads to."""
    for step in path:
        if isinstance(node, Mapping):
            node = node.entries[str(step)].value
        elif isinstance(node, Sequence):
            node = node.items[int(step)]
    return node
