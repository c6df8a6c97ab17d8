"""What a schema's errors say to an author: the key, what is expected, what was perhaps meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fiche.kernel.number import quoted
from fiche.load.node import Mapping as MappingNode
from fiche.load.node import Node, Scalar
from fiche.load.references import nearest

_EXPECTED = {
    ("object",): "keys with values",
    ("array",): "a list",
    ("integer",): "a whole number in plain digits",
    ("string",): "a text",
    ("boolean",): "true or false",
    ("boolean", "number", "string"): "one value",
    ("number", "string"): "one value",
    ("array", "string"): "a text, or a list of texts",
}
_SORTS = {"Mapping": "keys with values", "Sequence": "a list"}
_SHOWN = 12


class Broken(NamedTuple):
    """One error of the validator: which keyword, on which node, and the schemas around it."""

    keyword: str
    terms: Mapping[str, Any]
    path: tuple[str | int, ...]
    definition: str
    schema: tuple[Any, ...]
    node: Node
    helpful: bool

    def near(self, word: str, known: list[str]) -> str:
        """What was perhaps meant, where anybody will still read it."""
        return nearest(word, known) if self.helpful else ""

    @property
    def name(self) -> str:
        """The key under which the node stands."""
        words = [step for step in self.path if isinstance(step, str)]
        return words[-1] if words else "the file"


class Fault(NamedTuple):
    """What to tell; `key` names the key of the node to point at, instead of the node itself."""

    code: str
    message: str
    hint: str = ""
    key: str | None = None


def worded(broken: Broken) -> Iterator[Fault]:
    """The faults that one error of the validator amounts to."""
    match broken.keyword:
        case "additionalProperties" | "unevaluatedProperties":
            yield from (_unknown(broken, key) for key in broken.terms["unexpected"])
        case "required":
            yield _missing(broken, broken.terms["property"])
        case "anyOf":
            yield _none_of(broken)
        case "type":
            yield _type(broken)
        case "enum":
            yield _enum(broken, [str(option) for option in broken.terms["options"]])
        case "const":
            yield _format(broken)
        case "maxProperties":
            yield _several(broken)
        case "falseSchema":
            yield Fault(
                code="F301", message=f"'{broken.name}' has no place here", hint="leave it out"
            )
        case _:
            yield _other(broken)


def _unknown(broken: Broken, key: str) -> Fault:
    known = _known(broken.schema)
    hint = broken.near(key, known) or f"known here: {', '.join(known[:_SHOWN])}"
    kind = _kind(broken.node)
    message = f"unknown key {quoted(key)}" + (f" for {kind}" if kind else "")
    return Fault(code="F301", message=message, hint=hint, key=key)


def _kind(node: Node) -> str:
    """`kind cost` or `fact price`, where the keys of a mapping depend on such a word."""
    if isinstance(node, MappingNode):
        for name in ("kind", "fact"):
            if name in node and isinstance(node.get(name), Scalar):
                return f"{name} {node.text(name)}"
    return ""


def _known(schemas: tuple[Any, ...]) -> list[str]:
    """The keys of the schema that refused one, those it refers to included."""
    here, root = schemas[0], schemas[-1]
    known = list(here.get("properties", ()))
    reference = here.get("$ref", "").removeprefix("#/$defs/")
    if reference:
        known += root["$defs"][reference].get("properties", ())
    return known


_NO_REASON = {
    "margin_item": ("F311", "a margin without a reason"),
    "reserve_item": ("F312", "an assumption without a ground"),
}


def _missing(broken: Broken, key: str) -> Fault:
    hint = _described(broken.schema, key)
    if key == "because" and broken.definition in _NO_REASON:
        code, what = _NO_REASON[broken.definition]
        return Fault(code=code, message=f"{what}: 'because' is missing", hint=hint)
    if broken.definition == "requirement" and key == "level":
        return Fault(
            code="F313", message="a requirement says must or want: 'level' is missing", hint=hint
        )
    if broken.definition == "requirement" and key not in ("id", "kind"):
        message = f"a requirement of {_kind(broken.node)} names its threshold: '{key}' is missing"
        return Fault(code="F314", message=message, hint=hint)
    return Fault(code="F302", message=f"'{key}' is missing", hint=hint)


def _described(schemas: tuple[Any, ...], key: str) -> str:
    for schema in schemas:
        told = schema.get("properties", {}).get(key) if isinstance(schema, dict) else None
        if isinstance(told, dict) and "description" in told:
            return f"{key}: {told['description']}"
    return ""


def _none_of(broken: Broken) -> Fault:
    names = [name for one in broken.schema[0]["anyOf"] for name in one.get("required", ())]
    wanted = " or ".join(f"'{name}'" for name in names)
    hint = _described(broken.schema, names[0]) if names else ""
    if broken.definition == "requirement":
        message = f"a requirement of {_kind(broken.node)} names its threshold: {wanted} is missing"
        return Fault(code="F314", message=message, hint=hint)
    return Fault(code="F302", message=f"{wanted} is missing", hint=hint)


def _type(broken: Broken) -> Fault:
    types = tuple(broken.terms["types"])
    node = broken.node
    if isinstance(node, Scalar) and node.kind == "null":
        message = f"'{broken.name}' is empty"
        return Fault(code="F303", message=message, hint="give it a value, or leave the key out")
    expected = _EXPECTED.get(types, " or ".join(types))
    found = quoted(node.text) if isinstance(node, Scalar) else _SORTS[type(node).__name__]
    message = f"'{broken.name}' needs {expected}, not {found}"
    hint = _quotes(node, types) or _example(broken.schema) or f"write {expected}"
    return Fault(code="F303", message=message, hint=hint)


def _quotes(node: Node, types: tuple[str, ...]) -> str:
    if not isinstance(node, Scalar):
        return ""
    if types == ("integer",) and not node.plain:
        return "take the quotes off"
    if types == ("string",) and node.plain:
        return "put it in quotes"
    return ""


def _enum(broken: Broken, options: list[str]) -> Fault:
    word = broken.node.text if isinstance(broken.node, Scalar) else "this"
    known = ", ".join(options)
    nearest = broken.near(word, options)
    return Fault(
        code="F304",
        message=f"{quoted(word)} is no {broken.name} known here",
        hint=f"{nearest} known: {known}".strip(),
    )


def _format(broken: Broken) -> Fault:
    wanted = broken.terms["expected_value"]
    return Fault(
        code="F315",
        message=f"this version reads '{broken.name}: {wanted}' only",
        hint=f"write {broken.name}: {wanted}",
    )


# What is said in one of several ways, and is no change of anything.
_ONE_WAY = frozenset({"tolerance", "baseline"})


def _several(broken: Broken) -> Fault:
    keys = list(broken.node.entries) if isinstance(broken.node, MappingNode) else []
    if broken.name in _ONE_WAY:
        return Fault(
            code="F305",
            message=f"'{broken.name}' is told in {len(keys)} ways: {', '.join(keys)}",
            hint=f"write one of them: {' or '.join(keys)}",
            key=keys[1],
        )
    return Fault(
        code="F309",
        message=f"{len(keys)} things change at once: {', '.join(keys)}",
        hint="change one thing of a baseline at a time, else no difference can be told",
        key=keys[1],
    )


def _other(broken: Broken) -> Fault:
    limit = broken.terms.get("limit")
    told = {
        "minimum": f"'{broken.name}' is at least {limit}",
        "maximum": f"'{broken.name}' is at most {limit}",
        "minLength": f"'{broken.name}' is empty",
        "maxLength": f"'{broken.name}' holds at most {limit} characters",
        "minItems": f"'{broken.name}' holds at least {limit}",
        "maxItems": f"'{broken.name}' holds at most {limit}",
        "minProperties": f"'{broken.name}' is empty",
        "uniqueItems": f"'{broken.name}' holds one value twice",
        "not": f"'{broken.name}' may not be this",
        "pattern": f"'{broken.name}' is not written as expected",
        "propertyNames": f"'{broken.name}' holds a key that is not known here",
    }
    message = told.get(broken.keyword, f"'{broken.name}' does not fit: {broken.keyword}")
    hint = _example(broken.schema) or (f"write {limit}" if limit is not None else "")
    return Fault(code="F305", message=message, hint=hint)


def _example(schemas: tuple[Any, ...]) -> str:
    """How it is written, or what it is: of the value itself, else of the key above it."""
    # The whole file's own description says nothing of one value in it.
    near = [each for each in schemas[:_NEAR] if isinstance(each, dict) and "$defs" not in each]
    for schema in near:
        if "examples" in schema:
            return f"write it as in {schema['examples'][0]}"
    return next((str(schema["description"]) for schema in near if "description" in schema), "")


# A definition, the key that refers to it, the list of keys, and what holds them.
_NEAR = 4
