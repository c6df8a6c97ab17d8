"""Finds the members of a door: one module a member, found by listing the package.

A member is a module that exports `MEMBER`, a value of the door's type. Modules whose name starts
with an underscore are the door's own, and subpackages are doors of their own.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from os import listdir
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def member_names(package: str) -> tuple[str, ...]:
    """List the members of a door in name order, importing none of them.

    Raises:
        ModuleNotFoundError: there is no such package.
    """
    spec = find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError(f"no package named {package!r}", name=package)
    found = [name for place in spec.submodule_search_locations for name in _modules(place)]
    return tuple(sorted(name for name in found if not name.startswith("_")))


@cache
def _modules(place: str) -> tuple[str, ...]:
    """The modules of a folder; of another kind of place (a zip file) as Python lists them, which is slower."""
    try:
        return tuple(name[:-3] for name in listdir(place) if name.endswith(".py"))  # noqa: PTH208 - names alone
    except NotADirectoryError:
        from pkgutil import iter_modules

        return tuple(module.name for module in iter_modules([place]) if not module.ispkg)


def members(package: str, kind: type[T]) -> tuple[T, ...]:
    """Import the members of a door and return their `MEMBER` in name order.

    Raises:
        ModuleNotFoundError: there is no such package.
        TypeError: a module has no `MEMBER`, or one of another type than `kind`.
    """
    return tuple(_member(f"{package}.{name}", kind) for name in member_names(package))


def member(package: str, name: str, kind: type[T]) -> T:
    """Import one member of a door, named as `member_names` lists it, and none of the others.

    Raises:
        ModuleNotFoundError: there is none of that name.
        TypeError: its module has no `MEMBER`, or one of another type than `kind`.
    """
    return _member(f"{package}.{name}", kind)


def _member(module: str, kind: type[T]) -> T:
    member = getattr(import_module(module), "MEMBER", None)
    if not isinstance(member, kind):
        found = "none" if member is None else f"a {type(member).__name__}"
        raise TypeError(f"{module} must export MEMBER, a {kind.__name__}; it has {found}")
    return member


def claiming(
    package: str, kind: type[T], words: Callable[[T], Iterable[str]], word: str
) -> T | None:
    """The member whose words hold `word`, importing as few others as can be told; None where none does.

    Raises:
        TypeError: a module has no `MEMBER`, or one of another type than `kind`.
    """
    # Modules that spell the word come first: a room of a hundred members is not imported for one of them.
    places = _places(package)
    for name in sorted(member_names(package), key=lambda name: not _spells(places, name, word)):
        member = _member(f"{package}.{name}", kind)
        if word in words(member):
            return member
    return None


def _places(package: str) -> tuple[str, ...]:
    spec = find_spec(package)
    return tuple(spec.submodule_search_locations or ()) if spec is not None else ()


def _spells(places: tuple[str, ...], name: str, word: str) -> bool:
    """Whether the source of a member has the word in quotes; False where there is no source to read."""
    for place in places:
        with suppress(OSError):
            return f'"{word}"'.encode() in Path(place, f"{name}.py").read_bytes()
    return False
