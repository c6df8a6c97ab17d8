"""What a record says that cannot all be true, or that a reader must be told; said, never mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._record_places import devices_used, rank_of, stated_devices

# PyTorch's documentation says so from this version on.
_DOCUMENTED = "2.14"
# Formats of one dtype, as the framework names it; a quantised one comes in several.
_DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}


def doubts(document: dict[str, Any]) -> Iterator[str]:
    """Warnings about counters that contradict each other, and about what the allocator's peak means."""
    yield from _upper_bound(document["environment"])
    known = {device["index"]: device for device in document["environment"]["devices"]}
    for phase in document["phases"]:
        for device in phase.get("devices", ()):
            place = f"phase {phase['index']} ({phase['name']}), {device['device']}"
            yield from (
                f"inconsistent: {text} ({place})" for text in _contradictions(device, known)
            )
        yield from _shape(phase)
        yield from _loaded(phase, document["workload"])
    yield from _placed(document)
    yield from _one_rank(document)
    yield from _merged(document.get("merged"))


def _placed(document: dict[str, Any]) -> Iterator[str]:
    """Words that name fewer devices than were used: a load on two is no load on one (C9, D6)."""
    said, used = stated_devices(document), devices_used(document)
    if 0 < said < used:
        yield f"placement_differs: placement.devices says {said}, and {used} devices were used: {used} counts"


def _one_rank(document: dict[str, Any]) -> Iterator[str]:
    """A process of several tells of itself alone (C9)."""
    rank = rank_of(document)
    if rank is not None:
        world = document["series"]["rank"]["world"]
        yield (
            f"one_rank: this is rank {rank} of {world}; how the run went and what it took the records of all "
            "ranks tell: fiche import RANK0.json RANK1.json ... --merge OUT.json"
        )


def _merged(merged: dict[str, Any] | None) -> Iterator[str]:
    """What the ranks of a merged record say differently, or not all of them."""
    if merged is None:
        return
    for each in merged.get("differs", ()):
        values = ", ".join(f"rank {one['rank']} {one['value']}" for one in each["values"])
        yield f"ranks_differ: {each['path']}: {values}"
    for each in merged.get("missing", ()):
        ranks = ", ".join(map(str, each["ranks"]))
        why = (
            f"has no end on rank {ranks}" if ranks else "went through no phase that all ranks name"
        )
        yield (
            f"ranks_missing: {each['name']} ({each['pass']} pass, {each['ordering']}) {why}: it is neither "
            "a success nor a failure of the run"
        )


def _loaded(phase: dict[str, Any], workload: dict[str, Any]) -> Iterator[str]:
    """Weights seen in another format than the one that is said to be loaded (A1)."""
    formats = workload.get("formats")
    said = formats.get("loaded", formats.get("storage")) if isinstance(formats, dict) else None
    seen = {tensor["dtype"].removeprefix("torch.") for tensor in phase.get("tensors", ())}
    if phase["name"] != "model_load" or said not in _DTYPES or not seen:
        return
    if not seen & {_DTYPES[said], said}:
        yield f"loaded_differs: {said} is said to be loaded, and {', '.join(sorted(seen))} was seen"


def _upper_bound(environment: dict[str, Any]) -> Iterator[str]:
    if environment.get("allocator", {}).get("backend") == "cudaMallocAsync":
        framework = environment["framework"]
        yield (
            "reserved_peak_is_upper_bound: under cudaMallocAsync max_memory_reserved may add the peaks of "
            f"two pools and lie above the simultaneous peak (documentation of PyTorch {_DOCUMENTED}; "
            f"installed: {framework['name']} {framework['version']})"
        )


def _contradictions(device: dict[str, Any], known: dict[int, dict[str, Any]]) -> Iterator[str]:
    for moment in ("start", "peak", "end"):
        levels = device.get(moment, {})
        if _above(levels, "allocated_bytes", levels, "reserved_bytes"):
            yield f"more is allocated than reserved at {moment}"
    for moment in ("start", "end"):
        for key in ("allocated_bytes", "reserved_bytes"):
            if _above(device.get(moment, {}), key, device.get("peak", {}), key):
                yield f"the peak of {key} lies below its {moment}"
    if _above(
        device.get("peak", {}), "reserved_bytes", device.get("process_device_bytes", {}), "peak"
    ):
        yield "the process's device use lies below what its allocator reserved"
    total = known.get(index_of(device["device"]))
    if total is None:
        yield "the device is not listed in the environment"
    elif _above(device.get("peak", {}), "reserved_bytes", total, "total_memory_bytes"):
        yield "more is reserved than the device declares"


def _above(one: dict[str, Any], key: str, other: dict[str, Any], other_key: str) -> bool:
    return key in one and other_key in other and one[key] > other[other_key]


def _shape(phase: dict[str, Any]) -> Iterator[str]:
    place = f"phase {phase['index']} ({phase['name']})"
    if "executed" not in phase and phase["ordering"] == "whole_loop":
        yield f"executed_unknown: {place} does not say which dimensions were executed"
    differing = [
        name
        for name, asked in phase.get("declared", {}).items()
        if phase.get("executed", {}).get(name, asked) != asked
    ]
    if differing:
        yield f"executed_differs: {place} executed other {', '.join(sorted(differing))} than declared"
    if phase["outcome"] == "success" and "error" in phase:
        yield f"inconsistent: {place} succeeded and reports an error"


def index_of(device: str) -> int:
    """The index in `cuda:0`."""
    return int(device.rpartition(":")[2])
