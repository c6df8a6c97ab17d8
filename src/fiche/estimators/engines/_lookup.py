"""Finds the engine that a fiche names, by listing this room; the registry is out of reach of pure rooms."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from fiche.kernel.doors import Engine

_ROOM = "fiche.estimators.engines"


def engine_named(name: str) -> Engine | None:
    """The engine that goes by this word (case, `-`, `_` and `.` aside), None where none does.

    The module of that name is tried first, so that a told engine imports no other.
    """
    wanted = plain(name)
    if wanted and find_spec(f"{_ROOM}.{wanted}") is not None and _goes_by(_engine(wanted), wanted):
        return _engine(wanted)
    for module in sorted(_modules(), key=lambda module: plain(module) != wanted):
        engine = _engine(module)
        if _goes_by(engine, wanted):
            return engine
    return None


def _goes_by(engine: Engine, wanted: str) -> bool:
    return any(plain(word) == wanted for word in (engine.name, *engine.names))


def engines() -> tuple[Engine, ...]:
    """Every engine whose rule is known, in name order."""
    return tuple(_engine(module) for module in _modules())


def known() -> tuple[str, ...]:
    """Names of the modules with a program's rule: a hint, so no module is imported for it."""
    return tuple(name for name in _modules() if name != "ideal")


def plain(name: str) -> str:
    """A name without case and separators: `llama.cpp`, `llama_cpp` and `Llama-cpp` are one."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _modules() -> tuple[str, ...]:
    from pkgutil import iter_modules

    found = iter_modules(import_module(_ROOM).__path__)
    return tuple(sorted(m.name for m in found if not m.name.startswith("_")))


def _engine(module: str) -> Engine:
    member = import_module(f"{_ROOM}.{module}").MEMBER
    assert isinstance(member, Engine)
    return member
