"""What a document of a decision says of a purchase: the choice, its buyer, other orders, plans, efforts.

Only what people wrote: what follows from it (acceptance conditions, totals) is no change of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.evaluate.difference_changes import Spoken
from fiche.evaluate.difference_parts import Key
from fiche.evaluate.difference_told import called, numbered

Numbers = Mapping[str, Any]
# Where it stands, and what follows from it.
_DERIVED = frozenset(
    {
        *("at", "acceptance", "at_order", "mismatches", "no_statement", "cheaper", "rejected"),
        *("unused_accepts", "unused", "discount", "share", "left_out", "converted"),
    }
)
_OF_A_PLAN = ("id", "buy", "rent", "inputs", "facts")


def beside(document: Mapping[str, Any], numbers: Numbers) -> Iterator[tuple[Key, Spoken]]:
    """By the kinds that these parts have where two fiches are compared; nothing of what is not there."""
    plans, procedure = document.get("ownership"), document.get("procedure")
    rates = {name: name for name in numbers if name.startswith(("exchange.", "buyer."))}
    told = {
        "choice": document.get("choice"),
        "purchase": {
            "currency": document.get("currency"),
            "buyer": document.get("buyer"),
            **rates,
        },
        "plans": [_plan(one) for one in plans] if isinstance(plans, list) else None,
        "similar_orders": _of(procedure, "similar_orders"),
        # Numbered by their place, which says nothing.
        "efforts": sorted(value(numbers[name]) for name in numbers if name.startswith("effort.")),
    }
    for kind, part in told.items():
        words = dict(_words("", part, numbers))
        if words:
            yield (kind, ""), Spoken(words)


def _of(part: object, key: str) -> object:
    """Another version of the tool may have written something else there."""
    return part.get(key) if isinstance(part, Mapping) else None


def _plan(part: object) -> dict[str, object]:
    return {key: _of(part, key) for key in _OF_A_PLAN}


def _words(name: str, part: object, numbers: Numbers) -> Iterator[tuple[str, str]]:
    """Any part as words by name; a number by its value, a thing of a list by what it is called."""
    if part is None or part == "":
        return
    if isinstance(part, Mapping):
        if part.keys() == {"at", "value"}:
            yield name, str(part["value"])
            return
        for key in sorted(part.keys() - _DERIVED):
            yield from _words(f"{name}.{key}".lstrip("."), part[key], numbers)
    elif isinstance(part, list):
        yield from _listed(name, part, numbers)
    elif isinstance(part, bool):
        yield name, "yes" if part else "no"
    else:
        known = numbers.get(part) if isinstance(part, str) else None
        yield name, str(part) if known is None else value(known)


def _listed(name: str, part: list[Any], numbers: Numbers) -> Iterator[tuple[str, str]]:
    if all(isinstance(each, str) for each in part):
        if part:
            yield name, ", ".join(part)
        return
    alike: dict[str, list[dict[str, str]]] = {}
    for each in part:
        alike.setdefault(called(each), []).append(dict(_words("", each, numbers)))
    for start, words in numbered(name, alike):
        yield from ((f"{start}.{inner}".strip("."), word) for inner, word in words.items())


def value(figure: Mapping[str, Any]) -> str:
    """Bounds with the unit; bytes and decimals are written alike."""
    one = figure.get("bytes", figure.get("value"))
    if one is None:
        low, high = (figure.get(f"{end}_bytes", figure.get(end)) for end in ("low", "high"))
        one = f"{low} to {'open' if high is None else high}"
    unit = figure.get("unit", "")
    return f"{one} {unit}".strip()
