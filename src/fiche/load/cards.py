"""Cards: the built-in ones that a fiche names, and those of its own files (F7, D3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Mapping_

from fiche.kernel.catalog import Card, Sighting
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.lazy import lazy
from fiche.kernel.number import Written, parse_number
from fiche.kernel.origin import Declared
from fiche.kernel.quantity import BYTE_UNITS, parse_bandwidth, parse_bytes, parse_power
from fiche.kernel.record import replace
from fiche.kernel.rounding import printed_interval
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE
from fiche.load.fault import Faults
from fiche.load.node import Mapping, Scalar, Sequence
from fiche.load.values import Parser, count_parser, fact, figure

_FIGURES: Mapping_[str, tuple[str, Parser]] = {
    "nominal": (tell("memory on the label"), parse_bytes),
    "bandwidth": (tell("memory bandwidth"), parse_bandwidth),
    "power": (tell("power"), parse_power),
    "year": (tell("year"), count_parser("year")),
}
_FACTS = (
    "memory_type",
    "architecture",
    "compute_capability",
    "gfx",
    "ecc",
    "bf16",
    "fp8",
    "interconnect",
    "form_factor",
)
_RATE = lazy(r"(?:^| )([0-9.]+ [kMGT]i?B/s)$")
UNNAMED = "a catalog that names no document"


def card(node: Mapping, sources: Mapping_[str, str], faults: Faults, gathered: str = "") -> Card:
    """Build a card from its row; `sources` says what the keys of `source` stand for."""
    return Card(
        id=node.text("id"),
        vendor=node.text("vendor"),
        name=node.text("name"),
        enumerated_as=node.text("enumerated_as"),
        figures=dict(_figures(node, sources, faults)),
        facts=dict(_facts(node, sources)),
        names_printed=tuple(name.text for name in node.scalars("names_printed")),
        traps=tuple(trap.text for trap in node.scalars("traps")),
        sightings=tuple(_sighting(one, faults) for one in node.each("sightings")),
        span=node.scalar("id").span,
        gathered=gathered,
    )


def _by(told: Mapping, sources: Mapping_[str, str]) -> str:
    source = told.get("source")
    if isinstance(source, Sequence):
        keys = [key.text for key in told.scalars("source")]
    else:
        keys = [told.text("source")] if source is not None else []
    return "; ".join(sources.get(key, key) for key in keys) or UNNAMED


def _figures(
    node: Mapping, sources: Mapping_[str, str], faults: Faults
) -> Iterator[tuple[str, Figure]]:
    name = f"card.{node.text('id')}"
    for key, (label, parser) in _FIGURES.items():
        if key in node:
            told = node.mapping(key)
            value, origin = told.scalar("value"), _origin(told, sources)
            yield key, figure(value, parser, f"{name}.{key}", label, faults, origin)
    binary = _binary(node, sources)
    if binary is not None:
        yield "nominal_binary", binary
    link = node.mapping("interconnect")
    rate = _RATE.search(link.text("value"))
    if rate and link.text("kind") == "NVLink":
        origin = _origin(link, sources)
        value = Scalar(replace(link.scalar("value").span, text=rate[1]), plain=True)
        label = tell("NVLink, both directions")
        yield "nvlink", figure(value, parse_bandwidth, f"{name}.nvlink", label, faults, origin)
    if "devices" in node:
        count = node.mapping("devices").scalar("count")
        label = tell("devices that software shows")
        yield "devices", figure(count, count_parser("devices"), f"{name}.devices", label, faults)


def _origin(told: Mapping, sources: Mapping_[str, str]) -> Declared:
    value = told.scalar("value")
    return Declared(address=value.span, by=_by(told, sources), printed=value.text)


def _binary(node: Mapping, sources: Mapping_[str, str]) -> Figure | None:
    """The label read in powers of two: no device was seen to show more (a ceiling, never a floor)."""
    told = node.mapping("nominal")
    written = parse_number(told.text("value"))
    if not isinstance(written, Written) or written.unit not in BYTE_UNITS:
        return None
    unit = written.unit[0].upper() + "iB" if written.unit not in ("B", "bytes") else "B"
    ceiling = (written.value * BYTE_UNITS[unit]).__floor__()
    return Figure(
        low=ceiling,
        high=ceiling,
        unit=BYTE,
        origin=_origin(told, sources),
        id=f"card.{node.text('id')}.nominal_binary",
        label=tell("memory on the label, read in powers of two"),
    )


def _facts(node: Mapping, sources: Mapping_[str, str]) -> Iterator[tuple[str, Fact]]:
    for key in ("vendor", "name", "enumerated_as"):
        if key in node:
            yield key, fact(node.scalar(key))
    for key in _FACTS:
        if key in node:
            told = node.mapping(key)
            yield key, fact(told.scalar("value"), _by(told, sources))
    for key, detail in (("power", "term"), ("interconnect", "kind"), ("devices", "card")):
        if detail in node.mapping(key):
            yield f"{key}.{detail}", fact(node.mapping(key).scalar(detail))
    for key, entry in node.entries.items():
        if isinstance(entry.value, Mapping) and "note" in entry.value:
            yield f"{key}.note", fact(entry.value.scalar("note"))


def _sighting(node: Mapping, faults: Faults) -> Sighting:
    low, high = _interval(node, faults)
    return Sighting(
        counter=node.text("counter"),
        printed=node.text("printed"),
        low=low,
        high=high,
        context=node.text("context"),
        source=node.text("source"),
        span=node.scalar("counter").span,
    )


def _interval(node: Mapping, faults: Faults) -> tuple[int, int]:
    """Bytes of one card that a print allows, both ends included."""
    if "low_bytes" in node:
        # The catalog's upper end is exclusive where the program cuts down.
        beyond = 1 if node.text("rounding") == "floor" else 0
        return int(node.text("low_bytes")), int(node.text("high_bytes")) - beyond
    printed = node.scalar("printed")
    digits = re.match(r"[0-9]+(?:\.([0-9]+))?(?= |$)", printed.text)
    if digits is None:
        hint = "write the figure first, with a decimal point"
        faults.add("F504", f"'{printed.text}' starts with no number", printed.span, hint)
        return 0, 0
    how = _ROUNDINGS[node.text("rounding")].format(len(digits[1] or ""))
    found = printed_interval(printed.text, BYTE_UNITS[node.text("unit_meaning")], how)
    assert found.low is not None
    assert found.high is not None
    cards = int(node.text("cards_in_value") or 1)
    return -(-found.low // cards), found.high // cards


_ROUNDINGS = {
    "exact": "exact",
    "nearest": "nearest-{}-digits",
    "floor": "floor-{}-digits",
    "unknown": "integer-plus-minus-1",
}


def source_names(nodes: Iterable[Mapping]) -> dict[str, str]:
    """What each source key stands for, in words that a reader without the catalog understands."""
    return {node.text("key"): _named(node.text("what"), node.text("where")) for node in nodes}


def _named(what: str, where: str) -> str:
    return f"{what} ({where})" if where else what
