"""What a record says that cannot all be true, or that a reader must be told; said, never mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._record_places import devices_used, rank_of, stated_devices
from fiche.kernel.said import listed, tell
from fiche.kernel.spoken import spoken

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
            place = tell(
                "phase {index} ({name}), {device}",
                index=str(phase["index"]),
                name=phase["name"],
                device=str(device["device"]),
            )
            yield from (
                tell("inconsistent: {text} ({place})", text=text, place=place)
                for text in _contradictions(device, known)
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
        yield tell(
            "placement_differs: placement.devices says {said}, and {used} devices were used: "
            "{used} counts",
            said=said,
            used=used,
        )


def _one_rank(document: dict[str, Any]) -> Iterator[str]:
    """A process of several tells of itself alone (C9)."""
    rank = rank_of(document)
    if rank is not None:
        world = document["series"]["rank"]["world"]
        yield (
            tell(
                "one_rank: this is rank {rank} of {world}; how the run went and what it took the "
                "records of all ranks tell: fiche import RANK0.json RANK1.json ... --merge OUT.json",
                rank=rank,
                world=world,
            )
        )


def _merged(merged: dict[str, Any] | None) -> Iterator[str]:
    """What the ranks of a merged record say differently, or not all of them."""
    if merged is None:
        return
    for each in merged.get("differs", ()):
        values = ", ".join(f"rank {one['rank']} {one['value']}" for one in each["values"])
        yield tell("ranks_differ: {path}: {values}", path=each["path"], values=values)
    for each in merged.get("missing", ()):
        ranks = ", ".join(map(str, each["ranks"]))
        phase = f"{each['name']} ({each['pass']} pass, {each['ordering']})"
        if ranks:
            yield tell(
                "ranks_missing: {phase} has no end on rank {ranks}: it is neither a success nor a failure of "
                "the run",
                phase=phase,
                ranks=ranks,
            )
        else:
            yield tell(
                "ranks_missing: {phase} went through no phase that all ranks name: it is neither a success "
                "nor a failure of the run",
                phase=phase,
            )


def _loaded(phase: dict[str, Any], workload: dict[str, Any]) -> Iterator[str]:
    """Weights seen in another format than the one that is said to be loaded (A1)."""
    formats = workload.get("formats")
    said = formats.get("loaded", formats.get("storage")) if isinstance(formats, dict) else None
    seen = {tensor["dtype"].removeprefix("torch.") for tensor in phase.get("tensors", ())}
    if phase["name"] != "model_load" or said not in _DTYPES or not seen:
        return
    if not seen & {_DTYPES[said], said}:
        yield tell(
            "loaded_differs: {said} is said to be loaded, and {seen} was seen",
            said=said,
            seen=listed(sorted(seen)),
        )


def _upper_bound(environment: dict[str, Any]) -> Iterator[str]:
    if environment.get("allocator", {}).get("backend") == "cudaMallocAsync":
        framework = environment["framework"]
        yield (
            tell(
                "reserved_peak_is_upper_bound: under cudaMallocAsync max_memory_reserved may add the "
                "peaks of two pools and lie above the simultaneous peak (documentation of PyTorch "
                "{documented}; installed: {framework} {version})",
                documented=_DOCUMENTED,
                framework=framework["name"],
                version=framework["version"],
            )
        )


def _contradictions(device: dict[str, Any], known: dict[int, dict[str, Any]]) -> Iterator[str]:
    for moment in ("start", "peak", "end"):
        levels = device.get(moment, {})
        if _above(levels, "allocated_bytes", levels, "reserved_bytes"):
            yield tell("more is allocated than reserved at {moment}", moment=spoken(moment))
    for moment in ("start", "end"):
        for key in ("allocated_bytes", "reserved_bytes"):
            if _above(device.get(moment, {}), key, device.get("peak", {}), key):
                yield tell(
                    "the peak of {counter} lies below its {moment}",
                    counter=key,
                    moment=spoken(moment),
                )
    if _above(
        device.get("peak", {}), "reserved_bytes", device.get("process_device_bytes", {}), "peak"
    ):
        yield tell("the process's device use lies below what its allocator reserved")
    total = known.get(index_of(device["device"]))
    if total is None:
        yield tell("the device is not listed in the environment")
    elif _above(device.get("peak", {}), "reserved_bytes", total, "total_memory_bytes"):
        yield tell("more is reserved than the device declares")


def _above(one: dict[str, Any], key: str, other: dict[str, Any], other_key: str) -> bool:
    return key in one and other_key in other and one[key] > other[other_key]


def _shape(phase: dict[str, Any]) -> Iterator[str]:
    place = tell("phase {index} ({name})", index=str(phase["index"]), name=phase["name"])
    if "executed" not in phase and phase["ordering"] == "whole_loop":
        yield tell(
            "executed_unknown: {place} does not say which dimensions were executed", place=place
        )
    differing = [
        name
        for name, asked in phase.get("declared", {}).items()
        if phase.get("executed", {}).get(name, asked) != asked
    ]
    if differing:
        yield tell(
            "executed_differs: {place} executed other {differing} than declared",
            place=place,
            differing=listed(sorted(differing)),
        )
    if phase["outcome"] == "success" and "error" in phase:
        yield tell("inconsistent: {place} succeeded and reports an error", place=place)


def index_of(device: str) -> int:
    """The index in `cuda:0`."""
    return int(device.rpartition(":")[2])
