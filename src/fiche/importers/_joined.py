"""Two readings of one log, by the importers of two programs that wrote into it, as one reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from fiche.kernel.piece import Failure, NotObserved, Observation, Reading, Run
from fiche.kernel.record import replace

T = TypeVar("T")


def joined(first: Reading, second: Reading) -> Reading:
    """All that both say, in the order of the log; kind, shape and doubtful facts are the first one's."""
    backends = {each.backend for each in (first, second) if each.backend}
    failures = _failures(first.failures, second.failures)
    counted = [each for each in failures if _counts_what_is_told(each, failures)]
    repeats = first.duplicate_messages + second.duplicate_messages
    return replace(
        first,
        backend=backends.pop() if len(backends) == 1 else None,
        failures=tuple(each for each in failures if each not in counted),
        observations=_in_order(first.observations, second.observations),
        planned=_in_order(first.planned, second.planned),
        not_observed=_aside(first.not_observed, second),
        runs=tuple(r for r in _runs(first.runs, second.runs) if r.failure not in counted),
        capacities=(*first.capacities, *second.capacities),
        facts=_merged(first.facts, second.facts),
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
        duplicate_messages=repeats + len(counted),
        version=first.version or second.version,
        results=(*first.results, *second.results),
        counters=_merged(first.counters, second.counters),
        further={**_merged(first.further, second.further), _KINDS: _kinds(first, second)},
    )


_KINDS = "joined_kinds"


def _kinds(first: Reading, second: Reading) -> tuple[str, ...]:
    """The kinds whose lines are joined with those of the first."""
    before = first.further.get(_KINDS, ())
    return (*(before if isinstance(before, tuple) else ()), second.kind)


def _merged(first: Mapping[str, T], second: Mapping[str, T]) -> dict[str, T]:
    return {**second, **first}


def _in_order(
    first: tuple[Observation, ...], second: tuple[Observation, ...]
) -> tuple[Observation, ...]:
    """In the order of their lines; what two importers read alike on one line counts once."""
    known = {_read(each) for each in first}
    all_of_them = (*first, *(each for each in second if _read(each) not in known))
    return tuple(sorted(all_of_them, key=lambda each: each.pointer.line or 0))


def _read(seen: Observation) -> object:
    value = seen.number if seen.value is None else (seen.value.text, seen.value.low)
    whose = (seen.device_index, seen.rank)
    return (seen.pointer.line, seen.pointer.path, seen.counter, seen.stat, *whose, value)


def _failures(first: tuple[Failure, ...], second: tuple[Failure, ...]) -> tuple[Failure, ...]:
    """In the order of their lines; one that both read is kept as the one with more figures."""
    kept = list(first)
    for failure in second:
        same = next((each for each in kept if _same(each, failure)), None)
        if same is None:
            kept.append(failure)
        elif len(failure.quantities) > len(same.quantities):
            kept[kept.index(same)] = failure
    return tuple(sorted(kept, key=lambda each: each.pointer.line or 0))


def _same(one: Failure, other: Failure) -> bool:
    return one.pointer.line == other.pointer.line and one.memory == other.memory


def _counts_what_is_told(counter: Failure, failures: tuple[Failure, ...]) -> bool:
    """True for an allocator's count of failures whose messages stand above it: the same failures again.

    The count runs since the process began (`num_ooms`). One that is higher than the number of messages of its
    device tells of others too, and stays.
    """
    if counter.message_kind != "oom_counter":
        return False
    told = [
        each
        for each in failures
        if each.message_kind == "allocator_oom"
        and each.memory == counter.memory
        and (each.pointer.line or 0) < (counter.pointer.line or 0)
        and _may_be(each.device_index, counter.device_index)
        and _may_be(each.rank, counter.rank)
    ]
    return 0 < (counter.count or 0) <= len(told)


def _may_be(one: object, other: object) -> bool:
    return one is None or other is None or one == other


def _aside(first: tuple[NotObserved, ...], second: Reading) -> tuple[NotObserved, ...]:
    told = {(each.pointer.line, each.text) for each in first}
    return (
        *first,
        *(each for each in second.not_observed if (each.pointer.line, each.text) not in told),
    )


def _runs(first: tuple[Run, ...], second: tuple[Run, ...]) -> tuple[Run, ...]:
    """Runs of both, ids apart."""
    taken = {run.id for run in first}
    apart = []
    for run in second:
        number, name = 1, run.id
        while name in taken:
            number += 1
            name = f"{run.id}-{number}"
        taken.add(name)
        apart.append(run if name == run.id else replace(run, id=name))
    return (*first, *apart)
