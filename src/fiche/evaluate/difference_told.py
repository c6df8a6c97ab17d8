"""Any value of a fiche as plain words by name, without the places where it stands: what two sides compare.

A line that moved is no change; a number is the same where its bounds, its unit and whose word it is are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from fiche.criteria._words import figure_text, number_text
from fiche.kernel.address import Pointer, Span
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Unknown
from fiche.kernel.origin import Assumed, Observed, Stated
from fiche.kernel.record import field_names
from fiche.kernel.trace import basis
from fiche.kernel.unit import Unit

Told = dict[str, str]
# Groups that a reader does not name: `price` of an offer is one of its figures.
_FLAT = frozenset({"figures", "facts", "dimensions", "terms", "words", "typed", "typed_dimensions"})
# Not content: where it stands; or told elsewhere.
_LEFT = frozenset({"span", "id", "reading", "workload", "num_bytes", "media_type", "implied"})


def told(value: object, *, also_left: frozenset[str] = frozenset()) -> Told:
    """The value as words by name; the empty name is that of a value without parts."""
    return dict(sorted(_parts("", value, _LEFT | also_left)))


def _parts(name: str, value: object, left: frozenset[str]) -> Iterator[tuple[str, str]]:
    if value is None or isinstance(value, Span):
        return
    if isinstance(value, Figure | Unknown):
        yield from _number(name, value)
    elif isinstance(value, Fact):
        yield name, value.value
        yield from _by(name, value.by)
    elif isinstance(value, Pointer):
        yield name, str(value)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield from _parts(_under(name, str(key)), value[key], left)
    elif field_names(value) and not isinstance(value, Unit):
        yield from _fields(name, value, left)
    elif isinstance(value, tuple | list | frozenset | set):
        yield from _several(name, tuple(value), left)
    else:
        yield name, _plain(value)


def _number(name: str, value: Figure | Unknown) -> Iterator[tuple[str, str]]:
    if isinstance(value, Unknown):
        yield name, "unknown"
        return
    yield name, figure_text(value)
    origin = value.origin
    if isinstance(origin, Assumed | Observed):  # what stands in for a measurement, and what is one
        yield _under(name, "basis"), basis(value)
    if isinstance(origin, Assumed):
        yield from _by(name, origin.by)
    if isinstance(origin, Assumed | Stated) and origin.because:
        yield _under(name, "because"), origin.because


def _by(name: str, by: str) -> Iterator[tuple[str, str]]:
    if by:
        yield _under(name, "by"), by


def _fields(name: str, value: object, left: frozenset[str]) -> Iterator[tuple[str, str]]:
    for field in field_names(value):
        if field not in left and not field.startswith("_"):
            inner = name if field in _FLAT else _under(name, field)
            yield from _parts(inner, getattr(value, field), left)


def _several(
    name: str, values: tuple[object, ...], left: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Words in one line; whole things each by what it is called, whatever their order."""
    if all(isinstance(each, str | int) for each in values):
        if values:
            yield name, ", ".join(_plain(each) for each in values)
        return
    alike: dict[str, list[Told]] = {}
    for each in values:
        alike.setdefault(called(each), []).append(dict(_parts("", each, left)))
    for start, parts in numbered(name, alike):
        yield from ((_under(start, inner), word) for inner, word in parts.items())


def numbered(name: str, alike: Mapping[str, list[Told]]) -> Iterator[tuple[str, Told]]:
    """Each thing of a list under its name; those of one name by what they say, with a number."""
    for called_, group in alike.items():
        for place, parts in enumerate(sorted(group, key=lambda one: sorted(one.items())), 1):
            number = "" if called_ and len(group) == 1 else str(place)
            yield _under(name, _under(called_, number)), parts


# What tells things of a list apart, the first that they have: an order by its id, an opinion by whose it is.
_CALLED = ("id", "fact", "topic", "by", "role", "source")


def called(value: object) -> str:
    """The name of one thing of a list, a record or a part of a document; empty where it has none."""
    get = value.get if isinstance(value, Mapping) else lambda key: getattr(value, key, "")
    return next((each for each in map(get, _CALLED) if isinstance(each, str) and each), "")


def _under(name: str, key: str) -> str:
    return f"{name}.{key}" if name and key else name or key


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, int):
        return number_text(value)
    return str(value)
