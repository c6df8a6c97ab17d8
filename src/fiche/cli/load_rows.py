"""Rows of a load in a terminal: short names, the steps of an item under it, both ends of an interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from fiche.cli.terminal import paragraph
from fiche.kernel.figure import Bounds, Node, Number
from fiche.kernel.record import record
from fiche.kernel.trace import assumptions, basis, inputs
from fiche.kernel.unit import BYTE
from fiche.report.numbers import TERMINAL, exact, memory_unit, rounded

PER_DEVICE = ".per_device"
_STEP = "  "


@record
class Units:
    """The two units of a table, each a word and its bytes: one for all rows, so that they compare."""

    decimal: tuple[str, int]
    binary: tuple[str, int]

    @property
    def header(self) -> tuple[str, ...]:
        """The heads of the three columns of amounts."""
        return ("bytes", self.decimal[0], self.binary[0])


def units(nodes: Iterable[Node]) -> Units:
    """GB and GiB, or smaller ones where even the largest amount is below a tenth of those."""
    most = max((_far(node) for node in nodes), default=0)
    return Units(decimal=_unit(most, "GB"), binary=_unit(most, "GiB"))


def _unit(most: Number, family: str) -> tuple[str, int]:
    """Never plain bytes: they have a column of their own."""
    smallest = {"GB": ("kB", 1000), "GiB": ("KiB", 1024)}[family]
    return max(memory_unit(most, family), smallest, key=lambda unit: unit[1])


def _far(node: Node) -> Number:
    return node.low if node.high is None else node.high


def short(id: str, case: str = "") -> str:
    """The name of an item without its case, and without `per_device`: `limit.kv_cache` is `kv_cache`."""
    name = id.removesuffix(PER_DEVICE)
    return name.replace(f"{case}.", "", 1) if case and f"{case}." in name else name


def item_rows(node: Node, case: str, told: Units, indent: str = "") -> Iterator[tuple[str, ...]]:
    """The rows of one item: name, which end, bytes, both units, origin; then its steps, indented."""
    yield from _rows(node, indent + short(node.id, case), told, origin(node))
    for name, step in () if _unknown(node) else _steps(node, case):
        yield from _rows(step, indent + _STEP + name, told, "")


def _rows(node: Node, name: str, told: Units, why: str) -> Iterator[tuple[str, ...]]:
    if _unknown(node):
        yield (name, "", "unknown", "", "", "asked below")
        return
    first = "at least" if node.high is None else "" if node.low == node.high else "from"
    yield (name, first, *_amounts(node.low, told), why)
    if node.high is not None and node.high != node.low:
        yield ("", "to", *_amounts(node.high, told), "")


def _unknown(node: Node) -> bool:
    return node.high is None and not node.low


def _amounts(value: Number, told: Units) -> tuple[str, ...]:
    return (exact(value), in_unit(value, told.decimal[1]), in_unit(value, told.binary[1]))


def in_unit(value: Number, factor: int) -> str:
    """A number of a column whose head says the unit; what is there but rounds to nothing is said."""
    text = rounded(Fraction(value) / factor, 2, TERMINAL)
    return "< 0.01" if value and text == "0.00" else text


def origin(node: Node) -> str:
    """In a few words, what the number rests on (E2)."""
    held = ", ".join(short(item.id) for item in assumptions(node))
    found = basis(node)
    return f"{found}, assuming {held}" if held and found != "assumed" else found


def _steps(node: Node, case: str) -> Iterator[tuple[str, Node]]:
    """The nearest named amounts below an item that are its own: its layers, its parts, its engines."""
    name = short(node.id, case)
    for step in _nearest(node, name, case):
        its = short(step.id, case)
        if its == name:
            if (step.low, step.high) != (node.low, node.high):
                yield "whole load", step
        elif its.startswith(f"{name}."):
            yield its.removeprefix(f"{name}.").removeprefix(PER_DEVICE[1:] + "."), step
        elif its.endswith(f".{name}"):
            yield f"or {its.removesuffix(f'.{name}')}", step


def _nearest(node: Node, name: str, case: str) -> Iterator[Node]:
    seen: set[int] = set()
    waiting: list[Node | int | Fraction] = list(inputs(node))
    while waiting:
        here = waiting.pop(0)
        if isinstance(here, int | Fraction) or id(here) in seen or here.unit != BYTE:
            continue
        seen.add(id(here))
        if here.id and (short(here.id, case) != name or node.id.endswith(PER_DEVICE)):
            yield here
        else:
            waiting[:0] = inputs(here)


def interval(bounds: Bounds | None, factor: int) -> str:
    """Both ends in one cell: `0.00 to 14.96`, `>= 2.64` where the far one is open."""
    if bounds is None:
        return ""
    low, high = bounds
    if high is None:
        return f">= {in_unit(low, factor)}" if low else "unknown"
    near, far = in_unit(low, factor), in_unit(high, factor)
    return near if near == far else f"{near} to {far}"


def without_empty(
    rows: Sequence[tuple[str, ...]], header: tuple[str, ...]
) -> tuple[list[tuple[str, ...]], tuple[str, ...], list[int]]:
    """The table without the columns that hold nothing, and the places kept."""
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    return (
        [tuple(row[place] for place in kept) for row in rows],
        tuple(header[place] for place in kept),
        kept,
    )


def gaps(left_out: Iterable[str]) -> str:
    """What a sum does not include, each once, last of all (B8)."""
    lines = [paragraph(words, indent="  - ") for words in dict.fromkeys(left_out)]
    return "Left out of the envelope:\n" + "".join(lines) if lines else ""
