"""The parts of a simulation's document as the nouns of the kernel, each amount with its place.

Sentences that fiche wrote there are told texts again: a report says them in its language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.importers._record_places import Form
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Simulated
from fiche.kernel.recalled import recalled
from fiche.kernel.said import listed, tell
from fiche.kernel.simulation import (
    Alike,
    Answer,
    AtPeak,
    Effect,
    Levels,
    Live,
    SimulatedPhase,
    Simulation,
    Stretch,
    Uncovered,
    Window,
)
from fiche.kernel.simulation_notes import ANSWERS, NOTES
from fiche.kernel.unit import count_of

_Told = Mapping[str, Any]


def simulation_of(found: Form) -> Simulation:
    """The whole of a checked document."""
    document = found.document
    by = by_of(document)
    phases = tuple(_phase(found, place, by) for place in range(len(document["phases"])))
    return Simulation(
        by=by,
        phases=phases,
        effects=tuple(
            Effect(
                name=one["name"],
                says=recalled(one["says"]),
                source=recalled(one["source"]),
                count=one["count"],
                peak_bytes=one["peak_bytes"],
                pointer=found.at("effects", place),
            )
            for place, one in enumerate(document["effects"])
        ),
        uncovered=tuple(_uncovered(found)),
        answers=tuple(
            Answer(
                asked=recalled(one["asked"], ANSWERS),
                told=recalled(one["told"]),
                by=recalled(one["by"], ANSWERS),
            )
            for one in document["simulator"]["answers"]
        ),
        notes=tuple(recalled(note, NOTES) for note in document["notes"]),
        allocator=_allocator(document["allocator"]),
        window=_window(document["timeline"]),
        case=document["case"],
        dimensions=_largest(phases),
    )


def by_of(document: _Told) -> str:
    """The program that computed it: `fiche simulate 0.1.0 on torch 2.13.0`."""
    return tell(
        "fiche simulate {version} on torch {torch}",
        version=document["tool"]["version"],
        torch=document["simulator"]["torch"],
    )


def _allocator(told: _Told) -> str:
    return listed((recalled(told["algorithm"]), recalled(told["version"])))


def _phase(found: Form, place: int, by: str) -> SimulatedPhase:
    told = found.document["phases"][place]
    reserved = told["reserved_bytes"]
    return SimulatedPhase(
        name=told["name"],
        is_first=told["pass"] == "first",
        order=told["order"],
        device_index=told["device_index"],
        executed=_dimensions(found, place, "executed", by),
        declared=_dimensions(found, place, "declared", by),
        allocated=_levels(told["allocated_bytes"]),
        reserved=None if reserved is None else _levels(reserved),
        reserved_why=recalled(told.get("reserved_why", "")),
        at_peak=_at_peak(told["at_peak"]),
        pointer=found.at("phases", place),
    )


def _levels(told: _Told) -> Levels:
    return Levels(told["start"], told["peak"], told["end"])


def _dimensions(found: Form, place: int, which: str, by: str) -> dict[str, Figure]:
    """Dimensions as exact counts, each of the last word of its name, as a fiche counts them."""
    made = {}
    for name, count in found.document["phases"][place][which].items():
        pointer = found.at("phases", place, which, name, text=str(count))
        origin = Simulated(
            pointer=pointer, counter=which, stat="executed", printed=str(count), by=by
        )
        unit = count_of(name.rsplit("_", 1)[-1])
        made[name] = Figure(low=count, high=count, unit=unit, origin=origin, label=name)
    return made


def _largest(phases: tuple[SimulatedPhase, ...]) -> dict[str, Figure]:
    """What the whole executed: of each dimension the largest of any phase."""
    most: dict[str, Figure] = {}
    for phase in phases:
        for name, size in phase.executed.items():
            if name not in most or size.low > most[name].low:
                most[name] = size
    return most


def _at_peak(told: _Told) -> AtPeak:
    live = sorted(enumerate(told["live"]), key=lambda one: -one[1]["bytes"])
    return AtPeak(
        operator=told["operator"],
        module=told["module"],
        line=_line(told["source"]),
        live=tuple(
            Live(kind=one["kind"], num_bytes=one["bytes"], count=one["count"], place=place)
            for place, one in live
        ),
        largest=tuple(
            Alike(
                num_bytes=one["bytes"],
                count=one["count"],
                kind=one["kind"],
                operator=one["operator"],
                module=one["module"],
                shape=tuple(one["shape"]),
                dtype=one["dtype"],
                line=_line(one["source"]),
            )
            for one in told["largest"]
        ),
    )


def _line(source: _Told | None) -> str:
    return "" if source is None else f"{source['file']}:{source['line']}"


def _uncovered(found: Form) -> Iterator[Uncovered]:
    for place, one in enumerate(found.document["uncovered"]):
        yield Uncovered(
            name=one["name"],
            why=recalled(one["why"]),
            low=one["low_bytes"],
            high=one["high_bytes"],
            source=recalled(one["source"]),
            pointer=found.at("uncovered", place),
        )


def _window(told: _Told) -> Window:
    return Window(
        device_index=told["device_index"],
        allocated=tuple((event, count) for event, count in told["allocated"]),
        reserved=tuple((event, count) for event, count in told["reserved"]),
        stretches=tuple(
            Stretch(
                name=one["name"],
                is_first=one["pass"] == "first",
                from_event=one["from_event"],
                to_event=one["to_event"],
            )
            for one in told["phases"]
        ),
    )
