"""Successful whole-loop runs that cover a question, and the ceiling their counters show (C8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.criteria._executed import load_of, phases_of
from fiche.criteria._scope import Question, Scope, joined, noted, scope_of, speaks_of, told_facts
from fiche.criteria._used import place_of
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure, Number, larger
from fiche.kernel.piece import Observation, Piece, Run
from fiche.kernel.readings import observation_id, observed
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell


@record
class Success:
    """One successful run against one question.

    `scope` holds why it does not cover, facts, dimensions and phases together; `ceiling` is the
    process's whole device use (None: its counters leave that open), `most` the largest one of the
    placement's devices (None where one is open); `related` is True where it ran on the very card.
    """

    piece: str
    run: Run
    scope: Scope
    ceiling: Figure | None
    most: Number | None
    related: bool
    noted: tuple[str, ...]

    @property
    def covers(self) -> bool:
        """True when scope, dimensions, phases and ordering all cover the question."""
        return self.scope.covers

    @property
    def short(self) -> tuple[str, ...]:
        """Why it does not cover."""
        return (*self.scope.short, *self.scope.contradicted)


@record
class Loop:
    """A successful run of the whole loop, and its ceiling on each device of a placement.

    `scope`, `related` and `noted` are how its facts stand to the question, which no case changes.
    """

    piece: Piece
    run: Run
    peaks: tuple[Figure | None, ...]
    most: Number | None
    scope: Scope
    related: bool
    noted: tuple[str, ...]


def loops(num_devices: int, ask: Question, ground: Inquiry) -> tuple[Loop, ...]:
    """What every piece holds of them; phased runs locate a problem and admit nothing."""
    return tuple(
        _loop(piece, runs, num_devices, ask, ground)
        for piece in ground.pieces
        for runs in _with_repeats(piece)
    )


def _with_repeats(piece: Piece) -> Iterator[list[Run]]:
    """Each successful whole loop with those that repeat it in its process, asking for no more.

    A later pass covers no question alone, but what it held the process needs as well (C7, D0).
    """
    found: list[list[Run]] = []
    first: list[Run] | None = None
    for run in piece.reading.runs:
        if run.outcome != "success" or not run.whole_loop:
            continue
        if first is not None and not run.first_pass and _no_more(run, first[0]):
            first.append(run)
        found.append([run])
        first = found[-1] if run.first_pass else first
    yield from found


def _no_more(run: Run, than: Run) -> bool:
    """It told what it executed, and the other executed as much in each of it."""
    return bool(run.executed) and all(
        name in than.executed and size.low <= than.executed[name].low
        for name, size in run.executed.items()
    )


def _loop(piece: Piece, runs: list[Run], num_devices: int, ask: Question, ground: Inquiry) -> Loop:
    run, peaks = runs[0], _ceilings(piece, runs, num_devices, alone=ask.alone)
    told = told_facts(piece, run, ground)
    highs = [None if peak is None else peak.high for peak in peaks]
    known = [high for high in highs if high is not None]
    most = max(known) if known and len(known) == len(highs) else None
    return Loop(
        piece=piece,
        run=run,
        peaks=peaks,
        most=most,
        scope=scope_of(ask, piece, run, "memory", ground, told=told),
        related=speaks_of(ask, piece, told),
        noted=noted(ask, piece, run, "memory", ground, told),
    )


def successes(ran: tuple[Loop, ...], ask: Question, ground: Inquiry) -> tuple[Success, ...]:
    """How each of them stands to the question, before any device is looked at."""
    return tuple(
        Success(
            piece=loop.piece.id,
            run=loop.run,
            scope=joined(
                loop.scope,
                load_of(ask, loop.piece, loop.run, "smaller", ground),
                phases_of(ask, loop.piece, loop.run, ground),
            ),
            ceiling=None,
            most=loop.most,
            related=loop.related,
            noted=(*loop.noted, *_unloaded(loop)),
        )
        for loop in ran
    )


def _unloaded(loop: Loop) -> tuple[str, ...]:
    """A case that does not ask for the load is admitted without one, and the verdict says so (C7)."""
    phases = loop.run.phases
    if "model_init" not in phases or "model_load" in phases:
        return ()
    return (
        tell(
            "{piece} made random weights, so the load of a checkpoint was not measured",
            piece=loop.piece.id,
        ),
    )


def on_device(told: Success, loop: Loop, index: int, *, alone: bool) -> Success:
    """The same on one device, with what its counters show there."""
    peak = loop.peaks[index]
    scope = joined(told.scope, _sound(loop.run, peak, index, alone=alone))
    return replace(told, scope=scope, ceiling=peak)


_OWN = frozenset({"process_allocator", "process"})
_LEVELS = frozenset({"start", "current", "peak", "sampled_max"})
# Under this allocator a reserved peak may add two pools' peaks, and lie above what was ever held (C6).
_ADDS_PEAKS = "cudaMallocAsync"


def _sound(run: Run, ceiling: Figure | None, index: int, *, alone: bool) -> Scope:
    """An output that was checked and did not pass shows no working load (C14).

    Counters that cannot all be true contradict each other: the whole process never holds less than
    a part of it does.
    """
    wrong = run.output_check.partition(":")[0].endswith("not passed")
    most = None if ceiling is None else ceiling.high
    above = {} if most is None else _above(most, run, index, alone=alone)
    texts = [
        tell(
            "the process peaked at {most} B at most, and its {counter} was at least {low} B",
            most=str(most),
            counter=counter,
            low=low,
        )
        for low, counter in sorted((low, counter) for counter, low in above.items())
    ]
    texts = [*texts[-1:], *_impossible(run, place_of(run, index, alone=alone))]
    return Scope(
        differs=(tell("its output was checked and did not pass"),) if wrong else (),
        contradicted=tuple(texts),
    )


# Each is at most the other, whatever ran: a live block lies in what is reserved, a level below its peak.
_AT_MOST = (
    (("max_memory_allocated", "peak"), ("max_memory_reserved", "peak")),
    (("memory_allocated", "current"), ("max_memory_allocated", "peak")),
    (("memory_reserved", "current"), ("max_memory_reserved", "peak")),
)


def _impossible(run: Run, index: int) -> Iterator[str]:
    """Counters of the allocator that cannot both be true on one device."""
    read = {
        (seen.counter, seen.stat): seen.value
        for seen in run.observations
        if seen.device_index == index and seen.scope == "process_allocator"
        if seen.value is not None and not seen.value.unavailable
    }
    for less, more in _AT_MOST:
        low = read[less].low if less in read else None
        high = read[more].high if more in read else None
        if low is not None and high is not None and low > high:
            yield tell(
                "its {less} ({less2}) was at least {low} B, its {more} at most {high} B",
                less=less[0],
                less2=less[1],
                low=low,
                more=more[0],
                high=high,
            )


def _above(most: Number, run: Run, index: int, *, alone: bool) -> dict[str, int]:
    """Levels of this very process on the device that are surely above what is taken for its peak."""
    only = alone and len({seen.device_index for seen in run.observations}) == 1
    place = place_of(run, index, alone=alone)
    allocator = run.facts.get("allocator.backend")
    adds = allocator is not None and allocator.value == _ADDS_PEAKS
    found = {}
    for seen in run.observations:
        low = None if seen.value is None or seen.value.unavailable else seen.value.low
        here = only or seen.device_index == place
        own = seen.scope in _OWN and seen.stat in _LEVELS
        bound = adds and seen.counter == "max_memory_reserved"
        if here and own and not bound and low is not None and low > most:
            found[f"{seen.counter} ({seen.stat})"] = low
    return found


def _ceilings(
    piece: Piece, runs: list[Run], count: int, *, alone: bool
) -> tuple[Figure | None, ...]:
    """The ceiling on each of so many devices; each reading is looked at once, however many they are."""
    used, reserved, outside = (
        _peaks(piece, runs, counter, alone)
        for counter in ("process_device_used", "max_memory_reserved", "outside_allocator")
    )
    places = [place_of(runs[0], i, alone=alone) for i in range(count)]
    return tuple(_ceiling(used(i), reserved(i), outside(i)) for i in places)


def _ceiling(used: Figure | None, reserved: Figure | None, outside: Figure | None) -> Figure | None:
    """Peak of the process's device use; else reserved peak plus the part outside the allocator.

    A sampled maximum is at most the true peak, so it is no ceiling. An allocated peak never is one:
    the allocator holds more than its live blocks (C3).
    """
    if used is not None:
        return used
    return None if reserved is None or outside is None else reserved + outside


_Seen = tuple[str, Observation]


def _peaks(
    piece: Piece, runs: list[Run], counter: str, alone: bool
) -> Callable[[int | None], Figure | None]:
    """The largest peak of a counter by device, a repeat's only where it is above the first pass's.

    A reading of one device describes no other (C9); a placement of one device has only one.
    """
    named: dict[int | None, list[_Seen]] = {}
    for device, seen in _peaks_of(piece, runs[0], counter):
        named.setdefault(device, []).append(seen)
    for run in runs[1:]:
        for device, seen in _peaks_of(piece, run, counter):
            if device in named and all(_above_it(seen, other) for other in named[device]):
                named[device] = [seen, *named[device][1:]]  # of several processes still several
    found = {index: _largest(here) for index, here in named.items()}
    if alone and len(found) == 1:
        (only,) = found.values()
        return lambda _: only
    return found.get


def _peaks_of(piece: Piece, run: Run, counter: str) -> Iterator[tuple[int | None, _Seen]]:
    for place, seen in enumerate(run.observations, 1):
        if seen.counter == counter and seen.stat == "peak":
            yield seen.device_index, (observation_id(piece.id, run.id, place), seen)


def _above_it(one: _Seen, other: _Seen) -> bool:
    left, right = one[1].value, other[1].value
    if left is None or right is None or left.low is None or right.high is None:
        return False
    return left.low > right.high


def _largest(here: list[_Seen]) -> Figure | None:
    """None where several processes share the counter: they hold their peaks at the same time."""
    figures = [observed(seen, name) for name, seen in here]
    known = [figure for figure in figures if figure is not None]
    if not known or len({seen.rank for _, seen in here}) > 1:
        return None
    largest = known[0]
    for figure in known[1:]:
        largest = larger(largest, figure)
    return largest
