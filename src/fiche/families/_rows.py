"""Parameters as tables: one row a tensor, under the name that the library gives it.

A row reads `[?word | !word ...] NAME KIND DIMENSION ...`. `?word` keeps the row where the structure has that
word, `!word` where it has not. `{a,b}` in a name stands for one tensor each. A kind that is a role
(linear, norm, embedding, position, convolution, router, head, expert, recurrent) makes `NAME.weight`; with
`+` also `NAME.bias` of the first dimension, with `+word` only where the structure has that word. `=role`
is a tensor of that very name, `=buffer` one that is saved and no parameter. `kind@NUMBER` is so many alike
tensors (`expert@experts`). A dimension is a name or a whole number, or a sum of products of them
(`query+2*kv`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fiche.kernel.figure import Figure, Node, Operand
from fiche.kernel.model import Parameters
from fiche.kernel.origin import Stated
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE

_DEFINED = Stated(span=None, because=tell("fixed by the architecture"))


def fixed(value: int) -> Figure:
    """A whole number that the architecture's code fixes, not its configuration."""
    return Figure(low=value, high=value, unit=ONE, origin=_DEFINED)


@record(eq=False)
class Place:
    """Where the rows of a table stand.

    `prefix` comes before each name; each row is `count` tensors, those of `layers` (None: outside any layer;
    none at all: no tensors). `dims` are the dimensions by name, `words` what the structure has.
    """

    dims: Mapping[str, Node]
    prefix: str = ""
    words: frozenset[str] = frozenset()
    count: Node = fixed(1)
    layers: tuple[int, ...] | None = None
    part: str = "language"

    def at(self, prefix: str) -> Place:
        """The same place under a longer prefix."""
        return replace(self, prefix=self.prefix + prefix)

    def over(self, prefix: str, layers: Iterable[int], count: Node) -> Place:
        """The place of `count` alike layers under a longer prefix."""
        return replace(self, prefix=self.prefix + prefix, layers=tuple(layers), count=count)

    def times(self, count: Operand) -> Place:
        """The same place with each tensor there several times."""
        return replace(self, count=self.count * count)

    def where(self, *words: str, **dims: Node) -> Place:
        """The same place with further words and dimensions."""
        return replace(self, words=self.words | set(words), dims={**self.dims, **dims})


def rows(table: str, place: Place) -> tuple[Parameters, ...]:
    """The parameters that a table lists at a place.

    Raises:
        KeyError: a dimension that the place does not name (a defect of the table).
    """
    if place.layers == ():
        return ()
    return tuple(each for line in table.split("\n") if line for each in _row(line, place))


def _row(line: str, place: Place) -> Iterator[Parameters]:
    cells = line.split()
    while cells and cells[0][0] in "?!":
        word = cells.pop(0)
        if (word[1:] in place.words) != (word[0] == "?"):
            return
    if not cells:
        return
    told, _, times = cells[1].partition("@")
    kind, _, bias = told.partition("+")
    with_bias = told.endswith("+") or bias in place.words
    place = place.times(_dimension(times, place.dims)) if times else place
    shape = tuple(_dimension(text, place.dims) for text in cells[2:])
    for name in _names(place.prefix + cells[0]):
        if kind.startswith("="):
            yield _parameters(name, kind[1:], shape, place)
            continue
        yield _parameters(f"{name}.weight", kind, shape, place)
        if with_bias:
            yield _parameters(f"{name}.bias", "bias", shape[:1], place)


def _parameters(name: str, role: str, shape: tuple[Node, ...], place: Place) -> Parameters:
    return Parameters(
        name=name,
        role=role,
        shape=shape,
        copies=place.count,
        layers=place.layers or (),
        part=place.part,
    )


def _names(name: str) -> list[str]:
    before, brace, rest = name.partition("{")
    if not brace:
        return [name]
    inside, _, after = rest.partition("}")
    return [whole for each in inside.split(",") for whole in _names(before + each + after)]


def _dimension(text: str, dims: Mapping[str, Node]) -> Node:
    terms = [_product(term.split("*"), dims) for term in text.split("+")]
    found = terms[0]
    for term in terms[1:]:
        found = found + term
    return fixed(found) if isinstance(found, int) else found  # type: ignore[return-value]


def _product(factors: list[str], dims: Mapping[str, Node]) -> Operand:
    found: Operand = int(factors[0]) if factors[0].isdigit() else dims[factors[0]]
    for factor in factors[1:]:
        found = found * (int(factor) if factor.isdigit() else dims[factor])
    return found
