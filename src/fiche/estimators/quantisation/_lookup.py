"""The members of this room by the words they go by."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from fiche.kernel.doors import Quantisation


@cache
def methods() -> dict[str, Quantisation]:
    """Every member under each of its words, in small letters."""
    from pkgutil import iter_modules

    package = import_module(__name__.rpartition(".")[0])
    found: dict[str, Quantisation] = {}
    for module in iter_modules(package.__path__):
        if not module.name.startswith("_"):
            member = import_module(f"{package.__name__}.{module.name}").MEMBER
            assert isinstance(member, Quantisation)
            found |= {word.lower(): member for word in member.methods}
    return found


def method_of(word: str) -> Quantisation | None:
    """The way that a word names, None where no member claims it."""
    return methods().get(word.lower())
