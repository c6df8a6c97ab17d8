"""What the allocator would hold from the driver: the events of each device, replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fiche.kernel import simulation_notes
from fiche.kernel.record import record, replace
from fiche.report.numbers import exact_bytes, memory
from fiche.simulate.allocator import ALGORITHM, AllocatorSettings, Replay, replay
from fiche.simulate.job import Job

if TYPE_CHECKING:
    from fiche.simulate.simulation import Simulation


@record(eq=False)
class Reserved:
    """Levels of each device, the words for the document on how they came about, and notes on them."""

    levels: Sequence[Replay]
    words: dict[str, Any]
    notes: Sequence[str]


def reserved(job: Job, simulation: Simulation) -> Reserved:
    """Replay every device under the settings of the job.

    Where a capacity is told and does not suffice, the notes say in which phase, and the levels are those of a
    device without an end: what the load needs is the question.
    """
    settings = AllocatorSettings.of(job.allocator, job.capacity_bytes)
    levels: list[Replay] = []
    notes = list(settings.remarks())
    for device, events in enumerate(simulation.events):
        found = replay(events, settings)
        if found.retries:
            notes.append(simulation_notes.retried(device, found.retries))
        if found.shortage is not None:
            notes.append(_short(found, simulation, device))
            found = replay(events, replace(settings, capacity_bytes=None))
        levels.append(found)
    return Reserved(levels=levels, words=_words(settings), notes=notes)


def _words(settings: AllocatorSettings) -> dict[str, Any]:
    """Algorithm and settings; a list of settings as text."""
    told = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in settings.told().items()
    }
    return {
        "algorithm": str(ALGORITHM.algorithm),
        "source": ALGORITHM.source,
        "version": str(ALGORITHM.version),
        "settings": told,
    }


def _short(found: Replay, simulation: Simulation, device: int) -> str:
    """A device that does not suffice, as computed: it excludes nothing."""
    short = found.shortage
    if short is None:
        raise ValueError("this replay is short of nothing")
    return simulation_notes.short(
        device,
        most=memory(short.most_bytes),
        asked=exact_bytes(short.asked_bytes),
        phase=_phase_at(simulation, device, short.event),
        reserved=memory(short.reserved_bytes),
        allocated=memory(short.allocated_bytes),
    )


def _phase_at(simulation: Simulation, device: int, event: int) -> str:
    """The innermost phase of an event."""
    name = simulation_notes.outside()
    for span in simulation.spans:
        if len(span.ends) > device and span.begins[device] <= event < span.ends[device]:
            name = simulation_notes.passed(span.name, is_first=span.passed == "first")
    return name
