"""A JSON Schema as a page of tables: one table an object, one row a key."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
# Keys that are required; or each with where it is.
Required = Collection[str] | Mapping[str, str]

_STRUCTURE = {"object": "object", "array": "list", "null": "null"}
_SCALARS = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false"}
# What a written amount is of, and so which units it may have.
_AMOUNTS = {
    "fiche-bytes": "memory: B, kB to PB (10^3) or KiB to PiB (2^10)",
    "fiche-bandwidth": "rate: B/s, GB/s, GiB/s, Gbit/s, …",
    "fiche-power": "power: W, kW, MW",
    "fiche-duration": "time: s, min, h, days, weeks",
    "fiche-money": "money: amount and three-letter currency",
    "fiche-ratio": "share: 0 to 1, or a percentage with its sign",
    "fiche-score": "score: plain number, or a percentage with its sign",
    "fiche-version": "version, quoted where YAML would round it",
    "fiche-specifier": "bounds on a version, as PEP 440 writes them",
    "fiche-date": "day: YYYY-MM-DD",
}
_BLANK = "–"
# Kinds whose own example says nothing of a key that holds one.
_OF_NO_USE = ("id", "path")


class Page:
    """The tables of one schema.

    Args:
        schema: the schema, whole.
        name: the name by which `fiche schema` prints it.
    """

    def __init__(self, schema: Schema, name: str) -> None:
        self.schema = schema
        self.name = name
        self.definitions: Schema = schema.get("$defs", {})
        self.waiting: list[tuple[str, Schema]] = []
        self.placed: dict[str, Schema] = {}
        self.where = ""

    def text(self) -> str:
        """The page below its title."""
        parts = [self._table("the file", self.schema)]
        parts.extend(self._nested())
        for name, definition in self.definitions.items():
            if _has_keys(definition):
                parts.append(self._table(name, definition))
                parts.extend(self._nested())
        return "\n".join([*parts, *self._kinds()])

    def _nested(self) -> Iterator[str]:
        while self.waiting:
            path, schema = self.waiting.pop(0)
            yield self._table(path, schema)

    # --- Tables -------------------------------------------------------------------------------

    def _table(self, path: str, schema: Schema) -> str:
        told = schema.get("description", "") if schema is not self.schema else ""
        lines = [f"## {_heading(path)}", ""]
        if told:
            lines += [_cell(told), ""]
        base = schema.get("$ref", "")
        if base:
            lines += [f"Has the keys of {self._named(_last(base))} too.", ""]
        lines += self._rows(path, schema.get("properties", {}), schema.get("required", ()))
        lines += self._rules(schema)
        for condition, branch in _branches(schema):
            lines += self._branch(path, condition, branch, schema)
        return "\n".join(lines).rstrip() + "\n"

    def _rows(self, path: str, keys: Schema, required: Required) -> list[str]:
        told = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
        if not told:
            return []
        head = ["| key | required | value | meaning | example |", "| --- | --- | --- | --- | --- |"]
        return [*head, *(self._row(path, *one, required) for one in told.items()), ""]

    def _row(self, path: str, key: str, schema: Schema, required: Required) -> str:
        place = key if path == "the file" else f"{path}.{key}"
        cells = (
            f"`{key}`",
            _needed(key, required),
            self._value(place, schema),
            self._meaning(schema),
            self._example(schema),
        )
        return "| " + " | ".join(cells) + " |"

    def _branch(self, path: str, condition: str, branch: Schema, whole: Schema) -> list[str]:
        keys = branch.get("properties", {})
        told = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
        own = {key: value for key, value in told.items() if not _only_requires(value)}
        refused = sorted(key for key, value in keys.items() if value is False)
        required = dict.fromkeys(branch.get("required", ()), "yes")
        deeper = list(_branches(branch))
        for inner, one in deeper:
            if set(one) == {"required"}:
                required |= {key: f"where {inner}" for key in one["required"] if key in own}
        needed = [key for key in branch.get("required", ()) if key not in own]
        lines = [f"**Where {condition}**", ""]
        if needed:
            lines += [f"Required: {_codes(needed)}.", ""]
        if refused:
            lines += [f"Not allowed: {_codes(refused)}.", ""]
        self.where = condition.replace("`", "")
        lines += self._rows(path, own, required)
        self.where = ""
        for key in (key for key in told if key not in own):
            if told[key].get("required"):
                lines += [f"`{key}` needs {_codes(told[key]['required'])}.", ""]
        lines += self._rules(branch)
        for inner, one in deeper:
            if not set(one.get("required", ())) <= set(own) or set(one) != {"required"}:
                lines += self._branch(path, f"{condition} and {inner}", one, branch)
        if branch.get("additionalProperties") is False and not own and whole.get("properties"):
            lines += ["No further key.", ""] if len(lines) == 2 else []
        return lines if len(lines) > 2 else []

    def _rules(self, schema: Schema) -> list[str]:
        lines = []
        for key, others in schema.get("dependentRequired", {}).items():
            lines.append(f"`{key}` asks for {_codes(others)} too.")
        for key, others in schema.get("dependentSchemas", {}).items():
            out = [name for name, value in others.get("properties", {}).items() if value is False]
            if out:
                lines.append(f"`{key}` is not written together with {_codes(out, 'or')}.")
        choices = [
            one.get("required") for one in schema.get("anyOf", ()) if set(one) == {"required"}
        ]
        if choices:
            lines.append(
                "At least one of: " + ", ".join(_codes(one) for one in choices if one) + "."
            )
        if schema.get("minProperties") == schema.get("maxProperties") == 1:
            lines.append("Exactly one of its keys.")
        elif schema.get("minProperties"):
            lines.append(f"At least {schema['minProperties']} of its keys.")
        return [line for pair in ((line, "") for line in lines) for line in pair]

    # --- Values -------------------------------------------------------------------------------

    def _value(self, place: str, schema: Schema) -> str:
        if "const" in schema:
            return f"always {_literal(schema['const'])}"
        if "enum" in schema:
            return ", ".join(_literal(one) for one in schema["enum"])
        if "$ref" in schema:
            return self._referred(place, schema["$ref"])
        for words in ("anyOf", "oneOf"):
            if words in schema and not all(set(one) == {"required"} for one in schema[words]):
                return " or ".join(dict.fromkeys(self._value(place, one) for one in schema[words]))
        if "type" not in schema and "then" in schema and "else" in schema:
            forms = (self._value(place, schema[word]) for word in ("then", "else"))
            return " or ".join(dict.fromkeys(forms))
        kinds = schema.get("type", ())
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if not kinds and schema.get("properties"):
            return self._object(place, schema)
        return " or ".join(self._kind(place, kind, schema) for kind in kinds) or "any value"

    def _kind(self, place: str, kind: str, schema: Schema) -> str:
        if kind == "array":
            return self._list(place, schema)
        if kind == "object":
            return self._object(place, schema)
        if kind == "string" and schema.get("format") in _AMOUNTS:
            return _AMOUNTS[schema["format"]]
        return _STRUCTURE.get(kind) or _SCALARS[kind] + _bounds(kind, schema)

    def _list(self, place: str, schema: Schema) -> str:
        if "prefixItems" in schema:
            return "list of " + ", ".join(
                self._value(f"{place}[]", one) for one in schema["prefixItems"]
            )
        if "items" not in schema:
            return "list"
        inner = self._value(f"{place}[]", schema["items"])
        return f"list of {inner}"

    def _object(self, place: str, schema: Schema) -> str:
        if _has_keys(schema):
            place = self._placed(place, schema)
            return f"[object](#{anchor(_heading(place))})"
        values = schema.get("additionalProperties")
        if isinstance(values, Mapping):
            return f"object: name to {self._value(f'{place}.*', values)}"
        return "object"

    def _placed(self, place: str, schema: Schema) -> str:
        """The heading of its table: one table each, and the same table for what is the same."""
        if self.placed.get(place, schema) != schema or _has_keys(self.definitions.get(place, {})):
            place = f"{place}, where {self.where}" if self.where else f"{place} of the file"
        if place not in self.placed:
            self.placed[place] = schema
            self.waiting.append((place, schema))
        return place

    def _referred(self, place: str, reference: str) -> str:
        _, _, *steps = reference.split("/")
        if len(steps) == 1:
            return self._named(steps[0])
        schema: Any = self.definitions
        for step in steps:
            schema = schema[step]
        return self._value(place, schema)

    def _named(self, name: str) -> str:
        if _has_keys(self.definitions[name]):
            return f"[{name}](#{anchor(_heading(name))})"
        return f"[{name}](#kinds-of-value)"

    def _meaning(self, schema: Schema) -> str:
        """Its own words, else those of what it refers to."""
        told = _meaning(schema)
        if told == _BLANK and "$ref" in schema:
            return _meaning(self.definitions.get(_last(schema["$ref"]), {}))
        return told

    def _example(self, schema: Schema) -> str:
        shown = schema.get("examples")
        if not shown and "$ref" in schema and _last(schema["$ref"]) not in _OF_NO_USE:
            shown = self.definitions.get(_last(schema["$ref"]), {}).get("examples")
        return _literal(shown[0]) if shown else _BLANK

    def _kinds(self) -> Iterator[str]:
        plain = {k: v for k, v in self.definitions.items() if not _has_keys(v)}
        if not plain:
            return
        yield "## Kinds of value\n"
        yield "| kind | is | meaning | example |\n| --- | --- | --- | --- |"
        for name, schema in plain.items():
            shown = ", ".join(_literal(one) for one in schema.get("examples", ())) or _BLANK
            yield f"| `{name}` | {self._value(name, schema)} | {_meaning(schema)} | {shown} |"
        yield ""
        yield from self._nested()


def _only_requires(schema: Schema) -> bool:
    """Whether it tells nothing of a key but what has to be in it."""
    return set(schema) <= {"required", "minItems", "maxItems", "minimum", "properties"} and not any(
        schema.get("properties", {}).values()
    )


def _needed(key: str, required: Required) -> str:
    if isinstance(required, Mapping):
        return str(required.get(key, _BLANK))
    return "yes" if key in required else _BLANK


def anchor(heading: str) -> str:
    """The anchor that code hosts give a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def _has_keys(schema: Schema) -> bool:
    return bool(schema.get("properties") or schema.get("allOf"))


def _heading(path: str) -> str:
    return "The file" if path == "the file" else f"`{path}`"


def _last(reference: str) -> str:
    return reference.rpartition("/")[2]


def _branches(schema: Schema) -> Iterator[tuple[str, Schema]]:
    for one in (schema, *schema.get("allOf", ())):
        condition = one.get("if")
        if condition and isinstance(one.get("then"), Mapping):
            yield _condition(condition), one["then"]
        if condition and isinstance(one.get("else"), Mapping):
            yield "not " + _condition(condition), one["else"]


def _condition(schema: Schema) -> str:
    if "not" in schema:
        return "not " + _condition(schema["not"])
    if "anyOf" in schema:
        return " or ".join(_condition(one) for one in schema["anyOf"])
    told = []
    for key, value in schema.get("properties", {}).items():
        if isinstance(value, Mapping) and "const" in value:
            told.append(f"`{key}` is {_literal(value['const'])}")
        elif isinstance(value, Mapping) and "enum" in value:
            told.append(f"`{key}` is {' or '.join(_literal(one) for one in value['enum'])}")
        elif isinstance(value, Mapping) and "type" in value:
            kind = value["type"]
            told.append(f"`{key}` is {_STRUCTURE.get(kind) or _SCALARS.get(kind, kind)}")
    told = told or [f"{_codes(schema['required'])} is there" for _ in "1" if "required" in schema]
    return " and ".join(told) or "it has another form"


def _bounds(kind: str, schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    if low is not None:
        return f", {low} or more"
    if high is not None:
        return f", {high} or less"
    if kind == "string" and schema.get("format") == "date":
        return ": YYYY-MM-DD"
    return ""


def _meaning(schema: Schema) -> str:
    title, told = schema.get("title", ""), schema.get("description", "")
    return _cell(told or (f"{title}." if title else "")) or _BLANK


def _cell(text: str) -> str:
    return re.sub(r"(?<![`\w])<|(?<!`)\|", lambda found: "\\" + found[0], " ".join(text.split()))


def _literal(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"`{shown}`".replace("|", "\\|")


def _codes(words: Iterable[str], last: str = "and") -> str:
    shown = [f"`{word}`" for word in words]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {last} {shown[-1]}"
