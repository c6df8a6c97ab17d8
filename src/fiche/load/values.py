"""Nodes to figures and facts: each keeps the place it was written at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.number import quoted
from fiche.kernel.origin import Origin, Stated
from fiche.kernel.quantity import Misread, Quantity, parse_count
from fiche.kernel.unit import ONE
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Node, Scalar

Parser = Callable[[str], Quantity | Misread]


def quantity(node: Scalar, parser: Parser, faults: Faults) -> Quantity:
    """Read a quantity. A misread one is noted, and the stage that notes it hands nothing on."""
    found = parser(node.text)
    if isinstance(found, Misread):
        faults.misread(found, node.span)
        return Quantity(value=0, unit=ONE, text=node.text)
    return found


def figure(
    node: Scalar, parser: Parser, id: str, label: str, faults: Faults, origin: Origin | None = None
) -> Figure:
    """An exact figure under an id, stated where the node stands unless another origin is given."""
    read = quantity(node, parser, faults)
    return Figure(
        low=read.value,
        high=read.value,
        unit=read.unit,
        origin=origin or Stated(span=node.span),
        id=id,
        label=label,
    )


def count_parser(word: str) -> Parser:
    """A parser of whole numbers of `word`."""
    return lambda text: parse_count(text, word)


def above_zero(parser: Parser) -> Parser:
    """The same parser for what something is divided by or bought for: none of it is no amount."""

    def read(text: str) -> Quantity | Misread:
        found = parser(text)
        if isinstance(found, Misread) or found.value:
            return found
        hint = "write what the document says, or leave the key out"
        return Misread(code="F212", message=f"{quoted(text)} is nothing", hint=hint)

    return read


def fact(node: Scalar, by: str = "") -> Fact:
    """A word with its place."""
    return Fact(value=node.text, address=node.span, by=by)


def leaves(node: Node, prefix: str = "") -> Iterator[tuple[str, Scalar]]:
    """Every single value below a mapping with its dotted path; lists are left out."""
    if isinstance(node, Scalar):
        yield prefix, node
    elif isinstance(node, Mapping):
        for key, entry in node.entries.items():
            yield from leaves(entry.value, f"{prefix}.{key}" if prefix else key)


def unique(
    nodes: Iterable[Mapping], what: str, faults: Faults, key: str = "id"
) -> tuple[Mapping, ...]:
    """The mappings of a list, each id once: a second one is noted at its place (F306)."""
    first: dict[str, Mapping] = {}
    for node in nodes:
        name = node.scalar(key)
        if first.setdefault(name.text, node) is not node:
            place = first[name.text].scalar(key).span
            faults.add(
                "F306",
                f"{what} '{name.text}' is named twice",
                name.span,
                f"the first stands on {place}",
            )
    return tuple(first.values())


class Signature(NamedTuple):
    """Who answers for what an author typed: a named person, or the author of the fiche."""

    author: str
    faults: Faults

    def of(self, by: Scalar | None, typed: Scalar | Mapping, what: str) -> str:
        """The name, noting at `typed` that nobody vouches (F316) where there is none."""
        name = by.text if by is not None else self.author
        if not name:
            self.faults.add(
                "F316", f"nobody vouches for {what}", typed.span, "add 'by', or 'author' at the top"
            )
        return name
