"""What the window of a snapshot does not tell, as warnings (C4, C12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fiche.importers._snapshot_apart import left_out
from fiche.importers._snapshot_device import Device
from fiche.importers._snapshot_live import words
from fiche.importers._snapshot_shape import DEFAULT_POOL
from fiche.kernel.said import tell

MOST_FAILURES = 200


def of_device(device: Device, settings: Mapping[str, Any]) -> Iterator[str]:
    """What is not known of one device."""
    name = tell("device {index}", index=str(device.index))
    if not len(device.trace):
        yield tell(
            "no_trace_for_device_{index}: no trace was recorded for {name}; only its levels at the end are "
            "known, no peak",
            index=device.index,
            name=name,
        )
    elif device.disagrees:
        yield tell(
            "trace_disagrees: the trace of {name} frees more than its segments and its own allocations hold; "
            "only the levels at the end are read",
            name=name,
        )
    else:
        yield from _of_trace(device, name)
        yield from left_out(device.index, device.apart)
        yield from _ring(device, settings)
        for action, times in device.trace.unknown.items():
            yield tell(
                "unknown_action: {times} entries of {name} are {words} and move no level",
                times=times,
                name=name,
                words=f"{words(action)!r}",
            )


def _of_trace(device: Device, name: str) -> Iterator[str]:
    told = device.replay
    yield tell(
        "window_only: levels of {name} hold for the {count} recorded entries; what was higher before them is "
        "not known",
        name=name,
        count=len(device.trace),
    )
    if told is not None and told.requested.at < 0:
        yield tell(
            "falling_window: requested bytes of {name} were highest when the window began",
            name=name,
        )
    if device.now.requested is None:
        yield tell(
            "requested_unknown: some blocks of {name} do not tell what was asked for", name=name
        )
    yield tell(
        "allocated_peak_bounded: the trace of {name} records requests, not blocks, so the allocated peak is "
        "known as an interval only",
        name=name,
    )


def _ring(device: Device, settings: Mapping[str, Any]) -> Iterator[str]:
    """The oldest entries of a full buffer are gone: levels follow from the end and still hold."""
    entries, most = len(device.trace), settings.get("trace_alloc_max_entries")
    full = type(most) is int and 0 < most <= entries
    if settings.get("trace_alloc_overflowed") is True or full:
        yield tell(
            "trace_overflowed: the buffer of device {index} was full and older entries were dropped; peaks "
            "hold for what is left",
            index=device.index,
        )
    before = device.live.frees_before if device.live else 0
    if before:
        yield tell(
            "frees_without_alloc: {before} allocation(s) of device {index} were made before the window; where "
            "they came from is not recorded",
            before=before,
            index=device.index,
        )


def of_whole(
    root: Mapping[str, Any], devices: Sequence[Device], doubts: Sequence[str], failed: int
) -> Iterator[str]:
    """What is not known of the snapshot as a whole."""
    if not devices:
        yield tell(
            "nothing_recorded: there is no segment and no trace: this process held nothing then"
        )
    elif not any(len(device.trace) for device in devices):
        yield tell("no_trace: no history was recorded, so no peak of any device is known")
    if doubts:
        first = tell("sums_disagree: {doubt}", doubt=doubts[0])
        many = tell("{warning} ({count} such)", warning=first, count=len(doubts))
        yield many if doubts[1:] else first
    if root.get("host_segments") or root.get("host_traces"):
        yield tell(
            "host_memory_left_out: pinned host memory is in the snapshot too and is not read"
        )
    pools = [device.index for device in devices if set(device.now.pools) - {DEFAULT_POOL}]
    if pools:
        yield tell(
            "private_pools: segments of private pools (CUDA graphs or MemPool) are counted in; what they "
            "reserve serves no other allocation"
        )
    if failed > MOST_FAILURES:
        yield tell(
            "many_failures: {failed} oom entries; the first {most_failures} are listed",
            failed=failed,
            most_failures=MOST_FAILURES,
        )
