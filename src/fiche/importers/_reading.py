"""From events to a reading: failures, one run each, the totals that they printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.importers._events import Event
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Capacity, Failure, NotObserved, Printed, Reading, Run
from fiche.kernel.rounding import bounds_only
from fiche.kernel.said import tell

_LINES_SHOWN = 8
# The fiche's own words for backends, where evidence is usually named otherwise.
_BACKEND_FACT = {"rocm": "hip"}


def reading_of(
    kind: str,
    sha256: str,
    found: list[Event],
    not_observed: tuple[NotObserved, ...],
    warned: Callable[[Event], Iterator[str]],
) -> Reading:
    """A reading of failures alone: nothing in it is a need (C11)."""
    failures = tuple(failure_of(event, sha256) for event in found)
    backends = {f.backend for f in failures if f.backend}
    return Reading(
        kind=kind,
        shape=found[0].shape if found else "named-only",
        backend=backends.pop() if len(backends) == 1 else None,
        failures=failures,
        not_observed=not_observed,
        runs=tuple(
            _run(event, f, n) for n, (event, f) in enumerate(zip(found, failures, strict=True), 1)
        ),
        capacities=tuple(
            c for event, f in zip(found, failures, strict=True) for c in _capacity(event, f)
        ),
        warnings=tuple(_warnings(found, warned)),
        duplicate_messages=sum(event.repeats for event in found),
    )


def _warnings(found: list[Event], warned: Callable[[Event], Iterator[str]]) -> Iterator[str]:
    """Each warning once, with the lines that it is about."""
    lines: dict[str, list[int]] = {}
    for event in found:
        for text in (*event.warnings, *warned(event)):
            lines.setdefault(text, []).append(event.fullest.line)
    for text, numbers in lines.items():
        shown = ", ".join(str(number) for number in numbers[:_LINES_SHOWN])
        more = len(numbers) - _LINES_SHOWN
        if len(numbers) == 1:
            yield tell("{warning} (line {line})", warning=text, line=shown)
        elif more <= 0:
            yield tell("{warning} (lines {lines})", warning=text, lines=shown)
        else:
            yield tell(
                "{warning} (lines {lines} and {more} more)", warning=text, lines=shown, more=more
            )


def failure_of(event: Event, sha256: str) -> Failure:
    """The failure of an event, its pointer on the line of the message that has its figures."""
    first, fullest = event.first, event.fullest
    pointer = Pointer(sha256=sha256, line=fullest.line, text=fullest.text)
    return Failure(
        pointer=pointer,
        message_kind=first.message_kind,
        memory=first.memory,
        backend=first.backend,
        device_index=event.device_index,
        rank=event.rank,
        speaker=event.speaker.name,
        quantities=event.quantities,
        other_processes=tuple(event.other_processes),
        library=first.library,
        recovered=event.recovered,
        truncated=event.complete is False,
        message=fullest.text,
    )


def _run(event: Event, failure: Failure, number: int) -> Run:
    facts = {}
    if failure.backend in ("cuda", "rocm", "xpu", "mps"):
        value = _BACKEND_FACT.get(failure.backend, failure.backend)
        facts["backend"] = Fact(value=value, address=failure.pointer)
    if event.first.allocator:
        facts["allocator.backend"] = Fact(value=event.first.allocator, address=failure.pointer)
    return Run(
        id=f"failure-{number}",
        outcome="failure",
        whole_loop=False,
        phases=(),
        facts=facts,
        failure=failure,
        pointer=failure.pointer,
    )


def _capacity(event: Event, failure: Failure) -> Iterator[Capacity]:
    """The total that a message of an allocator printed for its device."""
    total = failure.quantities.get("total_capacity")
    if total is None or total.unavailable or failure.memory != "device":
        return
    yield Capacity(
        counter="oom_total_capacity",
        value=total,
        device_index=failure.device_index,
        pointer=failure.pointer,
        others=_others(failure, total),
    )


def _others(failure: Failure, total: Printed) -> Printed | None:
    """What others held, where the message tells the own process apart.

    At least what the listed processes hold. At most all that is neither free nor the own process's:
    NVML lists computing processes only, and the driver keeps something for itself.
    """
    own, free = failure.quantities.get("process_in_use"), failure.quantities.get("free")
    listed = [p.in_use for p in failure.other_processes]
    if own is None or own.low is None or any(p.low is None or p.high is None for p in listed):
        return None
    low = sum(p.low or 0 for p in listed)
    high = sum(p.high or 0 for p in listed)
    if free is not None and free.low is not None and total.high is not None:
        high = max(high, total.high - free.low - own.low)
    return bounds_only("everything but free memory and the own process", low, high)
