"""Numbers, words and conditions as decision.json writes them, each with the address it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fiche.kernel import trace
from fiche.kernel.address import Address
from fiche.kernel.condition import Condition
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Node, Number, Unknown
from fiche.kernel.ledger import Ledger
from fiche.kernel.origin import (
    Assumed,
    Computed,
    Declared,
    Observed,
    Origin,
    Simulated,
    Stated,
)
from fiche.kernel.places import Places
from fiche.kernel.unit import BYTE
from fiche.report import numbers


def decimal(value: Number) -> str:
    """A number in full: `47.14`, or `1/3` where decimals would never end."""
    above, below = value.numerator, value.denominator
    digits = _decimals(below)
    if digits is None:
        return f"{above}/{below}"
    if not digits:
        return str(above)
    scaled = abs(above) * 10**digits // below
    text = str(scaled).rjust(digits + 1, "0")
    return f"{'-' if above < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def _decimals(denominator: int) -> int | None:
    """How many decimals end a fraction of this denominator; None if none do."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    return max(twos, fives) if denominator == 1 else None


def figure(node: Node, book: Ledger, places: Places) -> dict[str, Any]:
    """One number, walkable: its bounds, basis, formula and address."""
    record: dict[str, Any] = {
        "id": node.id,
        "label": node.label,
        "unit": str(node.unit),
        "basis": trace.basis(node),
        **amounts(node),
    }
    if isinstance(node, Figure):
        record.update(_origin(node, places))
        if node.left_out:
            record["left_out"] = list(node.left_out)
    kinds = book.rests_on(node)
    if isinstance(node.origin, Computed):
        record["rests_on"] = list(kinds)
    if "unknown" in kinds:
        record["conditions"] = [condition(c) for c in trace.conditions(node)]
    return record


def amounts(node: Node) -> dict[str, Any]:
    """Bytes as integers, anything else as decimal strings; two bounds where it is an interval."""
    if node.unit == BYTE:
        return _ends("bytes", "low_bytes", "high_bytes", node, _whole)
    told = _ends("value", "low", "high", node, lambda value, _: decimal(value))
    return {**told, **_day(node)}


def _day(node: Node) -> dict[str, str]:
    """A date is counted in days from year 1; it is also said as ISO 8601 has it."""
    day = numbers.day(node)
    return {"date": day} if day else {}


def _ends(
    one: str, low: str, high: str, node: Node, write: Callable[[Number, int], int | str]
) -> dict[str, Any]:
    top = node.high
    first, last = write(node.low, -1), None if top is None else write(top, 1)
    return {one: first} if first == last else {low: first, high: last}


def _whole(value: Number, side: int) -> int:
    """Half a byte does not exist: a bound moves outward, never inward."""
    return value.__floor__() if side < 0 else value.__ceil__()


def _origin(node: Figure, places: Places) -> dict[str, Any]:
    told = {name: text for name, text in _told(node.origin).items() if text}
    if isinstance(node.origin, Computed):
        inputs = dict.fromkeys(part.id for part in _named_inputs(node))
        told |= {
            "formula": trace.formula(node),
            "expression": trace.expression(node),
            "inputs": list(inputs),
        }
    at = places.of_address(_address(node.origin))
    return told if at is None else {**told, "at": at}


def _told(origin: Origin) -> dict[str, Any]:
    match origin:
        case Computed():
            return {"because": origin.because, "source": origin.source}
        case Observed():
            return {
                "counter": origin.counter,
                "scope": origin.scope,
                "stat": origin.stat,
                "printed": origin.printed,
            }
        case Simulated():
            return {
                "counter": origin.counter,
                "stat": origin.stat,
                "printed": origin.printed,
                "by": origin.by,
            }
        case Declared():
            return {"by": origin.by, "printed": origin.printed}
        case Assumed():
            return {"by": origin.by, "because": origin.because}
        case Stated():
            return {"because": origin.because}


def _address(origin: Origin) -> Address | None:
    match origin:
        case Observed() | Simulated():
            return origin.pointer
        case Declared():
            return origin.address
        case Assumed() | Stated():
            return origin.span
        case Computed():
            return None


def _named_inputs(node: Node) -> list[Node]:
    """The nearest named numbers below a node: unnamed steps belong to its formula."""
    found: list[Node] = []
    waiting = list(reversed(trace.inputs(node)))
    while waiting:
        here = waiting.pop()
        if not isinstance(here, Figure | Unknown):
            continue
        if here.id:
            found.append(here)
        else:
            waiting.extend(reversed(trace.inputs(here)))
    return found


def fact(told: Fact, places: Places) -> dict[str, Any]:
    """A word with its address; `by` where a person attests it."""
    record: dict[str, Any] = {"value": told.value, "at": places.of_address(told.address)}
    return {**record, "by": told.by} if told.by else record


def condition(open_point: Condition) -> dict[str, str]:
    """What would settle an open point."""
    return {
        "topic": open_point.topic,
        "text": open_point.text,
        "threshold": open_point.threshold,
        "supplier": open_point.supplier,
        "piece_kind": open_point.piece_kind,
    }


def short(node: Node) -> dict[str, Any]:
    """One side of a finding: its id and bounds; the rest stands under that id in `figures`."""
    return {"id": node.id, "unit": str(node.unit), "basis": trace.basis(node), **amounts(node)}
