"""A simulation as a piece, for a terminal: where each phase peaks, and what is in none of its figures."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.cli.terminal import paragraph, table
from fiche.kernel.simulation import SimulatedPhase, Simulation, Uncovered
from fiche.render.visible import visible
from fiche.report.numbers import memory

_SAID = (
    "Computed, not observed: no device was used, and no figure of it admits or excludes. Allocated and "
    "reserved are two counters and are never added."
)


def simulation_lines(told: Simulation) -> Iterator[str]:
    """One row a phase and device, then what is uncovered."""
    several = len({phase.device_index for phase in told.phases}) > 1
    rows = [_row(phase, several=several) for phase in told.phases]
    device = ("device",) if several else ()
    header = ("phase", "pass", *device, "allocated peak", "reserved peak", "reached in")
    right = (len(header) - 3, len(header) - 2)
    yield "\n"
    yield paragraph(_SAID, indent="  ")
    yield table(rows, header=header, right=right, whole=(0,), indent="    ")
    if told.uncovered:
        yield paragraph("In none of these figures:", indent="  ")
        lines = [(visible(item.name), _bounds(item), visible(item.why)) for item in told.uncovered]
        yield table(lines, whole=(0,), indent="    ")


def _row(phase: SimulatedPhase, *, several: bool) -> tuple[str, ...]:
    reserved = "not computed" if phase.reserved is None else memory(phase.reserved.peak)
    where = (phase.at_peak.operator, phase.at_peak.module, phase.at_peak.line)
    return (
        phase.name,
        "first" if phase.is_first else "later",
        *((str(phase.device_index),) if several else ()),
        memory(phase.allocated.peak),
        reserved,
        visible(", ".join(filter(None, where))) or "its start",
    )


def _bounds(item: Uncovered) -> str:
    if item.high is None:
        return "not known" if not item.low else f"at least {memory(item.low)}"
    return (
        f"{memory(item.low)} to {memory(item.high)}" if item.low else f"at most {memory(item.high)}"
    )
