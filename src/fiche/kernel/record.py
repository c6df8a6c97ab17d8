"""Immutable values with named fields, made without generating code.

`dataclasses` compiles five functions a class; over the hundred nouns of fiche that is most of what a
short command takes to start. A record shares its functions instead: same meaning (frozen, slotted,
equal by value, keywords only unless said otherwise), a hundredth of the cost at import.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

from fiche.kernel._initialisers import MOST_FIELDS, initialiser

Kind = TypeVar("Kind", bound=type)
Value = TypeVar("Value")


class _Made:
    """A default that is made anew for each value."""

    __slots__ = ("make",)

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], Value]) -> Value:
    """A field whose default is made anew for each value."""
    return _Made(default_factory)  # type: ignore[return-value]


@overload
def record(cls: Kind) -> Kind: ...
@overload
def record(
    *, eq: bool = True, kw_only: bool = True, frozen: bool = True
) -> Callable[[Kind], Kind]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: Any = None, *, eq: bool = True, kw_only: bool = True, frozen: bool = True) -> Any:
    """Make a class of annotated fields a record; `eq=False` compares by identity.

    What is `frozen=False` is no value but still in the making: its fields change, and it is no key of anything.

    Raises:
        TypeError: (when a value is made) a field is missing, unknown, or given twice.
    """
    if cls is None:
        return lambda decorated: _slotted(decorated, eq=eq, kw_only=kw_only, frozen=frozen)
    return _slotted(cls, eq=eq, kw_only=kw_only, frozen=frozen)


def replace(value: Value, /, **changes: Any) -> Value:
    """A copy of a record with some fields changed."""
    kind: Any = type(value)
    kept = dict(zip(kind.__fields__, _state(value), strict=True))
    made: Value = kind(**(kept | changes))
    return made


def field_names(value: object) -> tuple[str, ...]:
    """The names of a record's fields, in the order written; none for anything else."""
    names: tuple[str, ...] = getattr(type(value), "__fields__", ())
    return names


def _slotted(cls: type, *, eq: bool, kw_only: bool, frozen: bool) -> type:
    own = tuple(cls.__dict__.get("__annotations__", ()))
    inherited = tuple(name for base in cls.__mro__[1:] for name in getattr(base, "__fields__", ()))
    names = (*dict.fromkeys(inherited), *(name for name in own if name not in inherited))
    space = {k: v for k, v in cls.__dict__.items() if k not in ("__dict__", "__weakref__")}
    defaults = dict(getattr(cls, "__defaults_of_fields__", {}))
    defaults.update({name: space.pop(name) for name in own if name in space})
    space |= {"__slots__": own, "__fields__": names, "__defaults_of_fields__": defaults}
    space |= {"__match_args__": () if kw_only else names}
    space |= _shared(names, space, eq=eq, frozen=frozen)
    made = type(cls)(cls.__name__, cls.__bases__, space)
    made.__init__ = _initialiser(made, names, defaults, kw_only=kw_only)  # type: ignore[misc]
    return made


def _shared(
    names: tuple[str, ...], space: dict[str, Any], *, eq: bool, frozen: bool
) -> dict[str, Any]:
    """The functions all records share, save those that the class writes itself."""
    shared: dict[str, Any] = {
        "__getstate__": _state,
        "__setstate__": _restore,
        "__repr__": _shown,
    }
    if frozen:
        shared |= {"__setattr__": _frozen, "__delattr__": _frozen}
    if names:
        shared["__values__"] = attrgetter(*names)
    if eq and names:
        shared |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
    return {name: function for name, function in shared.items() if name not in space}


def _initialiser(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], *, kw_only: bool
) -> Callable[..., None]:
    plain = {name: value for name, value in defaults.items() if not isinstance(value, _Made)}
    if len(plain) < len(defaults) or len(names) > MOST_FIELDS:
        return _of_many(cls, names, defaults, plain, kw_only=kw_only)

    def __init__(self: Any, *values: Any, **given: Any) -> None:
        """Until a first value is made: of most classes none ever is, and a function of their own takes time."""
        own = initialiser(cls, names, plain, kw_only=kw_only)
        made = own or _of_many(cls, names, defaults, plain, kw_only=kw_only)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *values, **given)

    return __init__


def _of_many(
    cls: type,
    names: tuple[str, ...],
    defaults: dict[str, Any],
    plain: dict[str, Any],
    *,
    kw_only: bool,
) -> Callable[..., None]:
    """Takes any number of fields, and defaults that are made anew."""
    setters = tuple((name, getattr(cls, name).__set__) for name in names)
    num_fields = len(names)
    ends = {} if kw_only else _ends(names, plain)
    check = getattr(cls, "__post_init__", None)

    def __init__(self: Any, *values: Any, **given: Any) -> None:
        if values and not given and len(values) in ends:
            for (_, put), value in zip(setters, values + ends[len(values)], strict=True):
                put(self, value)
            if check is not None:
                check(self)
            return
        if values:
            given = _by_name(cls, names, values, given, kw_only=kw_only)
        if len(given) != num_fields:
            given = {**plain, **given}
            if len(given) != num_fields:
                given = _completed(cls, names, defaults, given)
        try:
            for name, put in setters:
                put(self, given[name])
        except KeyError:
            _completed(cls, names, defaults, given)
            raise
        if check is not None:
            check(self)

    return __init__


def _ends(names: tuple[str, ...], plain: dict[str, Any]) -> dict[int, tuple[Any, ...]]:
    """By how many values are given by position: those that stand for the others."""
    ends: dict[int, tuple[Any, ...]] = {len(names): ()}
    for place in reversed(range(len(names))):
        if names[place] not in plain:
            break
        ends[place] = (plain[names[place]], *ends[place + 1])
    return ends


def _by_name(
    cls: type,
    names: tuple[str, ...],
    values: tuple[Any, ...],
    given: dict[str, Any],
    *,
    kw_only: bool,
) -> dict[str, Any]:
    if kw_only or len(values) > len(names):
        raise TypeError(f"{cls.__name__} takes {0 if kw_only else len(names)} values by position")
    placed = dict(zip(names, values, strict=False))
    twice = placed.keys() & given.keys()
    if twice:
        raise TypeError(f"{cls.__name__} got {', '.join(sorted(twice))} twice")
    return placed | given


def _completed(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    unknown = given.keys() - set(names)
    missing = [name for name in names if name not in given and name not in defaults]
    if unknown or missing:
        told = [
            *(f"unknown {name}" for name in sorted(unknown)),
            *(f"missing {n}" for n in missing),
        ]
        raise TypeError(f"{cls.__name__}: {', '.join(told)}")
    made = {
        n: d.make() if isinstance(d, _Made) else d for n, d in defaults.items() if n not in given
    }
    return made | given


def _frozen(self: object, name: str, *_: object) -> NoReturn:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be changed: it is a value")


def _equal(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    kind: Any = type(self)
    return kind.__values__(self) == kind.__values__(other)


def _hash(self: Any) -> int:
    kind: Any = type(self)
    return hash((kind, kind.__values__(self)))


def _shown(self: object) -> str:
    parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in field_names(self))
    return f"{type(self).__qualname__}({parts})"


def _state(self: object) -> tuple[Any, ...]:
    kind: Any = type(self)
    if len(kind.__fields__) > 1:
        told: tuple[Any, ...] = kind.__values__(self)
        return told
    return tuple(getattr(self, name) for name in kind.__fields__)


def _restore(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(field_names(self), state, strict=True):
        getattr(type(self), name).__set__(self, value)
