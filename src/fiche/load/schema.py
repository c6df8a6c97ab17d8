"""The JSON Schemas of `schemas/` applied to a tree: every error at once, each at its key or value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fiche.assets import schema_text
from fiche.kernel.address import Span
from fiche.kernel.follows import follows
from fiche.kernel.number import Misread
from fiche.kernel.quantity import (
    parse_bandwidth,
    parse_bytes,
    parse_count,
    parse_date,
    parse_duration,
    parse_money,
    parse_power,
    parse_ratio,
    parse_score,
    parse_version,
)
from fiche.kernel.rates import parse_latency, parse_months, parse_throughput
from fiche.kernel.specifier import parse_specifier
from fiche.kernel.yearly import parse_energy_price, parse_yearly
from fiche.load.fault import Faults
from fiche.load.node import Mapping as MappingNode
from fiche.load.node import Node, Scalar, at, plain_value

if TYPE_CHECKING:
    import jsonschema_rs

    from fiche.load.wording import Broken

# What a `$defs` entry of this name holds is read by one parser, here and when values are built.
QUANTITIES: Mapping[str, Callable[[str], object]] = {
    "bytes": parse_bytes,
    "bandwidth": parse_bandwidth,
    "power": parse_power,
    "duration": parse_duration,
    "money": parse_money,
    "ratio": parse_ratio,
    "score": parse_score,
    "version": parse_version,
    "specifier": parse_specifier,
    "date": parse_date,
    "yearly": parse_yearly,
    "energy_price": parse_energy_price,
    "work_rate": parse_throughput,
    "latency": parse_latency,
    "months": parse_months,
    "count": lambda text: parse_count(text, ""),
    "positive": lambda text: parse_count(text, ""),
}


def check(root: Node, name: str, faults: Faults) -> None:
    """Note every place where a tree is not what `schemas/<name>.schema.json` says."""
    plain = plain_value(root)
    if follows(plain, document(name), _formats()):
        return
    for error in _validator(name).iter_errors(plain):
        _note(root, document(name), error, faults)


@cache
def document(name: str) -> dict[str, Any]:
    """The schema of this name, as JSON."""
    schema: dict[str, Any] = json.loads(schema_text(f"{name}.schema.json"))
    return schema


@cache
def _validator(name: str) -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(
        document(name), formats=_formats(), validate_formats=True
    )


@cache
def _formats() -> dict[str, Callable[[str], bool]]:
    return {f"fiche-{kind}": _reads(parser) for kind, parser in QUANTITIES.items()}


def _reads(parser: Callable[[str], object]) -> Callable[[str], bool]:
    return lambda text: not isinstance(parser(text), Misread)


def _note(root: Node, schema: dict[str, Any], error: Any, faults: Faults) -> None:  # noqa: ANN401
    """One error of the validator, told as a quantity's own where it is about one."""
    node = at(root, error.instance_path)
    definition = error.schema_path[1] if error.schema_path[0] == "$defs" else ""
    misread = _misread(definition, node)
    if misread is not None:
        faults.misread(misread, node.span)
        return
    from fiche.load.wording import Broken, worded

    broken = Broken(
        keyword=error.kind.name,
        terms=error.kind.as_dict(),
        path=tuple(error.instance_path),
        definition=definition,
        schema=tuple(_above(schema, error.schema_path)),
        node=node,
        helpful=faults.helpful,
    )
    for fault in worded(broken):
        faults.add(fault.code, fault.message, _span(root, broken, fault.key), fault.hint)


def _misread(definition: str, node: Node) -> Misread | None:
    parser = QUANTITIES.get(definition)
    if parser is None or not isinstance(node, Scalar):
        return None
    found = parser(node.text)
    return found if isinstance(found, Misread) else None


def _above(schema: dict[str, Any], path: list[str | int]) -> list[Any]:
    """The schemas on the way to a keyword, the innermost first."""
    found: list[Any] = [schema]
    for step in path:
        found.append(found[-1][step])
    return found[:-1][::-1]


def _span(root: Node, broken: Broken, key: str | None) -> Span:
    """The key that a fault names, else the key it was found under if that is the fault, else the value."""
    if key is not None and isinstance(broken.node, MappingNode):
        return broken.node.entries[key].key.span
    if broken.keyword == "falseSchema":
        above = at(root, broken.path[:-1])
        if isinstance(above, MappingNode):
            return above.entries[str(broken.path[-1])].key.span
    return broken.node.span
