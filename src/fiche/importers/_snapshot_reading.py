"""From the devices of a snapshot to a reading, and what its window cannot tell (C4, C12, law 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fiche.importers._snapshot_apart import streams
from fiche.importers._snapshot_device import (
    Device,
    failures,
    levels_at_peaks,
    observations,
)
from fiche.importers._snapshot_labels import labelled
from fiche.importers._snapshot_live import MOST_GROUPS, words
from fiche.importers._snapshot_replay import Level, Replay, instant
from fiche.importers._snapshot_shape import DEFAULT_POOL
from fiche.importers._snapshot_untold import MOST_FAILURES, of_device, of_whole
from fiche.kernel.address import Pointer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Reading, Run

_MOST_ANNOTATIONS = 200
_BACKEND = "cuda"
_CONFIGURATIONS = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")


def reading_of(
    root: Mapping[str, Any],
    shape: str,
    devices: Sequence[Device],
    doubts: Sequence[str],
    sha256: str,
) -> Reading:
    """Everything that the snapshot tells; what needs no measuring goes to `further`."""
    failed = [f for device in devices for f in failures(device, sha256, _BACKEND)]
    settings = root.get("allocator_settings")
    settings = settings if isinstance(settings, dict) else {}
    return Reading(
        kind="torch_snapshot",
        shape=shape,
        backend=_BACKEND,
        failures=tuple(failed[:MOST_FAILURES]),
        observations=tuple(o for device in devices for o in observations(device, sha256)),
        runs=tuple(
            Run(
                id=f"failure-{number}",
                outcome="failure",
                whole_loop=False,
                phases=(),
                failure=failure,
                pointer=failure.pointer,
            )
            for number, failure in enumerate(failed[:MOST_FAILURES], 1)
        ),
        facts=_facts(settings, sha256),
        warnings=(
            *(w for device in devices for w in of_device(device, settings)),
            *of_whole(root, devices, doubts, len(failed)),
        ),
        further=_further(root, devices),
    )


def _facts(settings: Mapping[str, Any], sha256: str) -> dict[str, Fact]:
    """The allocator's settings as the process was given them; an empty text states none."""
    for key in _CONFIGURATIONS:
        told = settings.get(key)
        if isinstance(told, str) and told.strip():
            pointer = Pointer(sha256=sha256, path=f"allocator_settings/{key}")
            return {"allocator.settings": Fact(value=words(told), address=pointer)}
    return {}


# --- What needs no measuring ------------------------------------------------------------------


def _further(root: Mapping[str, Any], devices: Sequence[Device]) -> dict[str, object]:
    annotations, count = _annotations(root)
    told: dict[str, object] = {
        "devices": [_device(device) for device in devices],
        "timeline": [_timeline(d, d.replay, annotations) for d in devices if d.replay is not None],
        "largest_at_peak": [_largest(d, d.replay) for d in devices if d.replay is not None],
        "private_pools": [pool for device in devices for pool in _pools(device)],
        "annotations": annotations,
        "labels": sorted(words(w) for device in devices for w in device.trace.words if w)[:50],
    }
    if count > len(annotations):
        told["annotations_in_all"] = count
    return {key: value for key, value in told.items() if value}


def _device(device: Device) -> dict[str, object]:
    now, trace, told = device.now, device.trace, device.replay
    record: dict[str, object] = {
        "device": device.index,
        "segments": now.segments,
        "expandable_segments": now.expandable,
        "entries": len(trace),
        "actions": sorted(words(action) for action in trace.actions),
        "window_us": instant(trace, len(trace) - 1) if len(trace) else None,
        "streams": streams(trace, now, device.apart),
    }
    if told is not None:
        record["reserved_peak"] = _peak(device, told.reserved, device.reserved_start(told))
        record["requested_peak"] = _peak(device, told.requested, device.requested_start(told))
        record.update(levels_at_peaks(device, told))
        record["allocated_peak_at_least"] = device.allocated_low(told)
    return record


def _peak(device: Device, level: Level, start: int | None) -> dict[str, int | None]:
    return {
        "start": start,
        "bytes": None if start is None else start + level.high,
        "entry": level.at,
        "us": instant(device.trace, level.at),
    }


def _timeline(
    device: Device, told: Replay, annotations: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """The largest level of each stretch of entries, and the time of the stretch's first entry."""
    labels = labelled(device.trace, device.index, annotations)
    step = told.reserved.step
    places = range(0, len(device.trace), step)
    asked, reserved = device.requested_start(told), device.reserved_start(told)
    allocated = device.allocated_low(told) - told.allocated.high
    return {
        "device": device.index,
        "entries_a_point": step,
        "us": [instant(device.trace, place) for place in places],
        "reserved": [reserved + high for high in told.reserved.points],
        "requested": None if asked is None else [asked + high for high in told.requested.points],
        "allocated_at_least": [allocated + high for high in told.allocated.points],
        **({"labels": labels} if labels else {}),
    }


def _largest(device: Device, told: Replay) -> dict[str, object]:
    assert device.live is not None
    asked = device.requested_start(told)
    groups = device.live.groups
    shown = [
        {"file": file, "line": line, "function": name, "count": group.count, "bytes": group.asked}
        for (file, line, name), group in groups[:MOST_GROUPS]
    ]
    rest = groups[MOST_GROUPS:]
    peak = None if asked is None else asked + told.requested.high
    return {
        "device": device.index,
        "peak": peak,
        "groups": shown,
        "others": {
            "groups": len(rest),
            "count": sum(group.count for _, group in rest),
            "bytes": sum(group.asked for _, group in rest),
        },
        "not_told": None if peak is None else peak - device.live.asked,
    }


def _pools(device: Device) -> Iterator[dict[str, object]]:
    for (one, other), held in sorted(device.now.pools.items())[:200]:
        if (one, other) != DEFAULT_POOL:
            yield {
                "device": device.index,
                "pool": [one, other],
                "segments": held.segments,
                "reserved": held.reserved,
                "allocated": held.allocated,
                "active": held.active,
            }


def _annotations(root: Mapping[str, Any]) -> tuple[list[dict[str, object]], int]:
    """The words that the program put beside its trace: labels, never phases."""
    listed = root.get("external_annotations")
    if not isinstance(listed, list):
        return [], 0
    told = [_annotation(one) for one in listed[:_MOST_ANNOTATIONS] if isinstance(one, dict)]
    return told, len(listed)


def _annotation(one: Mapping[Any, Any]) -> dict[str, object]:
    kept: dict[str, object] = {}
    for key, value in list(one.items())[:16]:
        if isinstance(key, str) and isinstance(value, str):
            kept[words(key)] = words(value)
        elif isinstance(key, str) and type(value) is int and abs(value) < 1 << 63:
            kept[words(key)] = value
    return kept
