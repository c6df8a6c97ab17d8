"""What a simulation computed: the model's code run on tensors without storage, with no device (DESIGN 2).

Nothing here was observed. Its figures are computed, and never firm: they neither admit nor exclude.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.address import Pointer
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Simulated
from fiche.kernel.record import field, record, replace
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE

# The kind of piece that holds one.
SIMULATION = "fiche_simulation"
ALLOCATED, RESERVED = "allocated", "reserved"


@record(kw_only=False)
class Levels:
    """One counter of the allocator over a phase, in bytes."""

    start: int
    peak: int
    end: int


@record
class Live:
    """Bytes of one kind that were live at a peak: parameter, gradient, activation, temporary, ...

    `place` is where it stands in the document's list.
    """

    kind: str
    num_bytes: int
    count: int
    place: int


@record
class Alike:
    """Allocations that are alike, live at a peak: `num_bytes` are those of all of them."""

    num_bytes: int
    count: int
    kind: str
    operator: str
    module: str
    shape: tuple[int, ...]
    dtype: str
    line: str


@record
class AtPeak:
    """Where the allocated peak of a phase was reached, and what was live then, largest first.

    `operator` is empty where the peak is the level at the start; `line` is `modeling_llama.py:174`, or empty.
    """

    operator: str
    module: str
    line: str
    live: tuple[Live, ...]
    largest: tuple[Alike, ...]


@record
class SimulatedPhase:
    """One phase on one device; `reserved` is None where it was not computed, and `reserved_why` says why."""

    name: str
    is_first: bool
    order: int
    device_index: int
    executed: Mapping[str, Figure]
    declared: Mapping[str, Figure]
    allocated: Levels
    reserved: Levels | None
    reserved_why: str
    at_peak: AtPeak
    pointer: Pointer


@record
class Effect:
    """What CUDA allocates and the code alone does not show, as far as it applied."""

    name: str
    says: str
    source: str
    count: int
    peak_bytes: int
    pointer: Pointer


@record
class Uncovered:
    """What takes memory and is in no figure of the simulation; an end that nobody documents is None."""

    name: str
    why: str
    low: int | None
    high: int | None
    source: str
    pointer: Pointer


@record
class Answer:
    """A question about the device that the code asked, and what it was told."""

    asked: str
    told: str
    by: str


@record
class Stretch:
    """The events of one phase, both ends counted."""

    name: str
    is_first: bool
    from_event: int
    to_event: int


@record
class Window:
    """Levels of one device over its events, as (event, bytes); `reserved` is empty where nobody computed it."""

    device_index: int
    allocated: tuple[tuple[int, int], ...]
    reserved: tuple[tuple[int, int], ...]
    stretches: tuple[Stretch, ...]


@record
class Simulation:
    """A whole simulation; `by` names the program that computed it, `allocator` the rule of reserved bytes.

    `dimensions` are what the whole executed: of each the largest of any phase.
    """

    by: str
    phases: tuple[SimulatedPhase, ...]
    effects: tuple[Effect, ...]
    uncovered: tuple[Uncovered, ...]
    answers: tuple[Answer, ...]
    notes: tuple[str, ...]
    allocator: str
    window: Window
    case: str = ""
    dimensions: Mapping[str, Figure] = field(default_factory=dict)


def peak_of(phase: SimulatedPhase, counter: str, by: str) -> Figure | None:
    """The peak of a phase in bytes, with its place in the document; None where it was not computed."""
    levels = phase.allocated if counter == ALLOCATED else phase.reserved
    if levels is None:
        return None
    return simulated(
        levels.peak, phase.pointer, f"{counter}_bytes/peak", f"simulated_{counter}", by
    )


def simulated(
    value: int, at: Pointer, path: str, counter: str, by: str, stat: str = "peak"
) -> Figure:
    """An amount of a simulation's document, `path` below the place `at`."""
    place = Pointer(sha256=at.sha256, path=f"{at.path}/{path}", text=str(value))
    origin = Simulated(pointer=place, counter=counter, stat=stat, printed=str(value), by=by)
    return Figure(low=value, high=value, unit=BYTE, origin=origin, label=counter.replace("_", " "))


def peak_phase(told: Simulation) -> SimulatedPhase:
    """The phase with the largest allocated peak; the first one among equals."""
    return max(told.phases, key=lambda phase: phase.allocated.peak)


def details(told: Simulation, piece: str) -> Iterator[Figure]:
    """What a report shows beside the peaks, under ids of its piece.

    The live bytes at the largest peak by kind (`sim/live.cache`), what each effect held (`sim/effect.1`), and
    the documented bounds of what is uncovered (`sim/uncovered.1`).
    """
    top = peak_phase(told)
    for one in top.at_peak.live:
        path = f"at_peak/live/{one.place}/bytes"
        made = simulated(
            one.num_bytes, top.pointer, path, tell("live {kind}", kind=one.kind), told.by
        )
        yield made.named(
            f"{piece}/live.{one.kind}",
            tell("{kind} live at the peak", kind=one.kind.replace("_", " ")),
        )
    for place, effect in enumerate(told.effects, 1):
        made = simulated(effect.peak_bytes, effect.pointer, "peak_bytes", effect.name, told.by)
        yield made.named(
            f"{piece}/effect.{place}", tell("{effect}: the most held at once", effect=effect.name)
        )
    for place, item in enumerate(told.uncovered, 1):
        if item.low is not None or item.high is not None:
            yield replace(bound_of(item, told.by), id=f"{piece}/uncovered.{place}")


def bound_of(item: Uncovered, by: str) -> Figure:
    """From what is documented at least to what is documented at most; an end that is not stays open."""
    key = "low_bytes" if item.high is None else "high_bytes"
    value = item.low if item.high is None else item.high
    most = simulated(
        value or 0, item.pointer, key, tell("uncovered: {item}", item=item.name), by, stat="bound"
    )
    return replace(
        most, low=item.low or 0, high=item.high, label=tell("{item}, as documented", item=item.name)
    )
