"""How records of up to seven fields take their values: one function for each number of fields.

A function that takes what it is given as `**given` spends most of its time on making a dict and looking through
it, and a report makes some ten thousand values. So a record gets the function of its number of fields, with the
arguments called as its fields are. No code is written for that: a name is changed in a function that is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

_Put = Callable[[Any, Any], None]
_Check = Callable[[Any], None] | None


def initialiser(
    cls: type, names: tuple[str, ...], defaults: Mapping[str, Any], *, kw_only: bool
) -> Callable[..., None] | None:
    """The function that puts the values of these fields; None where none here can.

    `defaults` stand for what is not given; by position they can do so at the end only.
    """
    ends = () if kw_only else names[len(names) - len(defaults) :]
    if len(names) not in _OF_FIELDS or not (kw_only or all(name in defaults for name in ends)):
        return None
    puts = [getattr(cls, name).__set__ for name in names]
    like: Any = _OF_FIELDS[len(names)](puts, getattr(cls, "__post_init__", None))
    code = like.__code__.replace(
        co_varnames=("self", *names),
        co_argcount=1 if kw_only else 1 + len(names),
        co_kwonlyargcount=len(names) if kw_only else 0,
        co_qualname=f"{cls.__qualname__}.__init__",
    )
    made = FunctionType(
        code, like.__globals__, "__init__", tuple(defaults[n] for n in ends), like.__closure__
    )
    made.__kwdefaults__ = dict(defaults) if kw_only else None
    return made


def _one(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    (put_a,) = puts

    def put(self: object, a: object) -> None:
        put_a(self, a)
        if check is not None:
            check(self)

    return put


def _two(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b = puts

    def put(self: object, a: object, b: object) -> None:
        put_a(self, a)
        put_b(self, b)
        if check is not None:
            check(self)

    return put


def _three(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b, put_c = puts

    def put(self: object, a: object, b: object, c: object) -> None:
        put_a(self, a)
        put_b(self, b)
        put_c(self, c)
        if check is not None:
            check(self)

    return put


def _four(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b, put_c, put_d = puts

    def put(self: object, a: object, b: object, c: object, d: object) -> None:
        put_a(self, a)
        put_b(self, b)
        put_c(self, c)
        put_d(self, d)
        if check is not None:
            check(self)

    return put


def _five(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b, put_c, put_d, put_e = puts

    def put(self: object, a: object, b: object, c: object, d: object, e: object) -> None:
        put_a(self, a)
        put_b(self, b)
        put_c(self, c)
        put_d(self, d)
        put_e(self, e)
        if check is not None:
            check(self)

    return put


def _six(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b, put_c, put_d, put_e, put_f = puts

    def put(self: object, a: object, b: object, c: object, d: object, e: object, f: object) -> None:
        put_a(self, a)
        put_b(self, b)
        put_c(self, c)
        put_d(self, d)
        put_e(self, e)
        put_f(self, f)
        if check is not None:
            check(self)

    return put


def _seven(puts: Sequence[_Put], check: _Check) -> Callable[..., None]:
    put_a, put_b, put_c, put_d, put_e, put_f, put_g = puts

    def put(
        self: object, a: object, b: object, c: object, d: object, e: object, f: object, g: object
    ) -> None:
        put_a(self, a)
        put_b(self, b)
        put_c(self, c)
        put_d(self, d)
        put_e(self, e)
        put_f(self, f)
        put_g(self, g)
        if check is not None:
            check(self)

    return put


_OF_FIELDS = {1: _one, 2: _two, 3: _three, 4: _four, 5: _five, 6: _six, 7: _seven}
MOST_FIELDS = max(_OF_FIELDS)
