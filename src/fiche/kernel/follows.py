"""Whether a document surely follows a JSON Schema: asked before the library that can say what is wrong.

Setting that library up takes longer than reading a fiche, and most files are right. What is answered here is a
"yes" alone: wherever a keyword, a pattern or a value is not one of the few understood, the answer is "not
surely", and the library judges. So nothing is ever let through that it would refuse; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from fiche.kernel.lazy import lazy

Formats = Mapping[str, Callable[[str], bool]]
_Judge = Callable[["_Follows", Any, Any, dict[str, Any]], bool]


class _UnsureError(Exception):
    """Something that only the library can judge."""


def follows(document: object, schema: dict[str, Any], formats: Formats | None = None) -> bool:
    """True where a schema (Draft 2020-12) surely refuses nothing; False where it may.

    `document` is of dicts, lists, texts, integers, truth values and None, as the standard library reads JSON.
    """
    try:
        return _Follows(schema, formats or {}).holds(document, schema)
    except (_UnsureError, RecursionError):
        return False


class _Follows:
    """One schema, whose references lead into itself."""

    def __init__(self, root: dict[str, Any], formats: Formats) -> None:
        self.root, self.formats = root, formats

    def holds(self, value: Any, schema: Any) -> bool:  # noqa: ANN401 - any JSON
        """Whether a value follows a schema.

        Raises:
            _UnsureError: it cannot be told here.
        """
        if schema is True or schema is False:
            return bool(schema)
        for keyword, told in schema.items():
            judge = _JUDGES.get(keyword)
            if judge is not None:
                if not judge(self, value, told, schema):
                    return False
            elif keyword not in _SAYS_NOTHING:
                raise _UnsureError(keyword)
        return True

    def target(self, reference: str) -> Any:  # noqa: ANN401 - a schema
        """What `#/$defs/name` leads to."""
        start, _, name = reference.rpartition("/")
        if start != "#/$defs" or "~" in name or "%" in name:
            raise _UnsureError(reference)
        return self.root["$defs"][name]

    def named(self, value: dict[str, Any], schema: Any) -> set[str]:  # noqa: ANN401 - a schema
        """The keys of an object that a schema has a word about, where the object follows it."""
        if isinstance(schema, bool):
            return set()
        if not schema.keys() <= _NAMING:
            raise _UnsureError("unevaluatedProperties")
        found = set(schema.get("properties", ()))
        if "$ref" in schema:
            found |= self.named(value, self.target(schema["$ref"]))
        return found


def _typed(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    kind = type(value)
    if kind not in _TYPES or (kind is int and abs(value) > _LARGEST):
        raise _UnsureError(kind.__name__)
    words = _TYPES[kind]
    return told in words if isinstance(told, str) else any(word in words for word in told)


def _same(value: Any, told: Any) -> bool:  # noqa: ANN401
    """Equal as JSON, where 1 is not true; what holds others is left to the library."""
    if type(value) not in _PLAIN or type(told) not in _PLAIN:
        if type(value) in _PLAIN or type(told) in _PLAIN:
            return False
        raise _UnsureError("const")
    return type(value) is type(told) and bool(value == told)


def _listed(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    return any(_same(value, each) for each in told)


def _constant(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    return _same(value, told)


def _referred(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    return of.holds(value, of.target(told))


def _properties(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    for key, part in value.items():  # noqa: SIM110 - a generator would take as long as what it looks at
        if key in told and not of.holds(part, told[key]):
            return False
    return True


def _matched(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    return all(
        of.holds(part, each)
        for pattern, each in told.items()
        for key, part in value.items()
        if _pattern(pattern).search(key)
    )


def _others(of: _Follows, value: Any, told: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    known, patterns = schema.get("properties", ()), schema.get("patternProperties", ())
    return all(
        of.holds(part, told)
        for key, part in value.items()
        if key not in known and not any(_pattern(each).search(key) for each in patterns)
    )


def _unevaluated(of: _Follows, value: Any, told: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    if told is not False:
        raise _UnsureError("unevaluatedProperties")
    return value.keys() <= of.named(value, schema)


def _names(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    return type(value) is not dict or all(of.holds(key, told) for key in value)


def _required(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    return type(value) is not dict or all(key in value for key in told)


def _with_others(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    return all(other in value for key, others in told.items() if key in value for other in others)


def _with_schemas(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    if type(value) is not dict:
        return True
    return all(of.holds(value, each) for key, each in told.items() if key in value)


def _items(of: _Follows, value: Any, told: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401
    if "prefixItems" in schema:
        raise _UnsureError("prefixItems")
    return type(value) is not list or all(of.holds(each, told) for each in value)


def _unlike(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    if type(value) is not list or not told:
        return True
    if not all(type(each) is str for each in value):
        raise _UnsureError("uniqueItems")
    return len(set(value)) == len(value)


def _every(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    return all(of.holds(value, each) for each in told)


def _any(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    return any(of.holds(value, each) for each in told)


def _not(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    return not of.holds(value, told)


def _if(of: _Follows, value: Any, told: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401
    branch = "then" if of.holds(value, told) else "else"
    return branch not in schema or of.holds(value, schema[branch])


def _formatted(of: _Follows, value: Any, told: Any, _: Any) -> bool:  # noqa: ANN401
    if type(value) is not str:
        return True
    if told not in of.formats:
        raise _UnsureError(told)
    return of.formats[told](value)


def _spelled(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
    return type(value) is not str or _pattern(told).search(value) is not None


def _counted(kind: type[str] | type[list[Any]] | type[dict[str, Any]], *, least: bool) -> _Judge:
    """`minLength` and its kin."""

    def judge(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
        if type(value) is not kind:
            return True
        length = len(value)
        return bool(length >= told if least else length <= told)

    return judge


def _number(*, least: bool) -> _Judge:
    def judge(_: _Follows, value: Any, told: Any, __: Any) -> bool:  # noqa: ANN401
        if type(value) is not int:
            return True
        if type(told) is not int:
            raise _UnsureError("a bound")
        return value >= told if least else value <= told

    return judge


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """The pattern, where Python reads it as ECMA 262 does: no class but digits, `$` at the end alone.

    Raises:
        _UnsureError: it has more in it.
    """
    body = text.removesuffix("$")
    bare = _CLASS.sub("a", _ESCAPED.sub("a", body))
    if any(sign in bare for sign in ("$", "(?", ".", "\\", "[", "]")):
        raise _UnsureError(text)
    return re.compile(body + (r"\Z" if body != text else ""), re.ASCII)


_ESCAPED = lazy(r"\\[d.*|+/-]")
_CLASS = lazy(r"\[[^\^\[\]\\][^\[\]\\]*\]")


_TYPES: dict[type, tuple[str, ...]] = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    int: ("integer", "number"),
    bool: ("boolean",),
    type(None): ("null",),
}
_LARGEST = 2**63 - 1
_PLAIN = frozenset((str, int, bool, type(None)))
_SAYS_NOTHING = frozenset(
    ("title", "description", "examples", "default", "$schema", "$id", "$defs", "$comment")
    # Looked at with the keyword that they belong to.
) | {"then", "else"}
# Where `unevaluatedProperties` can be judged: nothing else adds a word about a key.
_NAMING = _SAYS_NOTHING - {"then", "else"} | {
    *("type", "properties", "required", "$ref", "unevaluatedProperties"),
    *("minProperties", "maxProperties", "dependentRequired"),
}
_JUDGES: dict[str, _Judge] = {
    "type": _typed,
    "enum": _listed,
    "const": _constant,
    "$ref": _referred,
    "properties": _properties,
    "patternProperties": _matched,
    "additionalProperties": _others,
    "unevaluatedProperties": _unevaluated,
    "propertyNames": _names,
    "required": _required,
    "dependentRequired": _with_others,
    "dependentSchemas": _with_schemas,
    "items": _items,
    "uniqueItems": _unlike,
    "allOf": _every,
    "anyOf": _any,
    "not": _not,
    "if": _if,
    "format": _formatted,
    "pattern": _spelled,
    "minLength": _counted(str, least=True),
    "maxLength": _counted(str, least=False),
    "minItems": _counted(list, least=True),
    "maxItems": _counted(list, least=False),
    "minProperties": _counted(dict, least=True),
    "maxProperties": _counted(dict, least=False),
    "minimum": _number(least=True),
    "maximum": _number(least=False),
}
