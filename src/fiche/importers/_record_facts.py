"""Scope facts that a record prints, under the words of a fiche: firm, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fiche.importers._record_places import Form, devices_used, stated_devices
from fiche.kernel.fact import TENSORS, Fact

_DEVICES = "placement.devices"
_PLAN = ("kind", "variable", "value", "index", "of", "digest")
# (key of the fact, path in the record)
_PLACES = (
    ("gpu", ("gpu",)),
    ("machine", ("machine",)),
    ("backend", ("environment", "backend")),
    ("allocator.backend", ("environment", "allocator", "backend")),
    ("allocator.settings", ("environment", "allocator", "settings")),
    ("framework.name", ("environment", "framework", "name")),
    ("framework.version", ("environment", "framework", "version")),
    ("python", ("environment", "python")),
    ("runtime", ("environment", "runtime")),
    ("driver", ("environment", "driver")),
    ("os", ("environment", "os")),
    ("allocator.process_fraction", ("environment", "allocator", "process_fraction")),
    ("host_memory_bytes", ("environment", "host_memory_bytes")),
    ("container.memory_limit_bytes", ("environment", "container", "memory_limit_bytes")),
    ("container.cpu_quota_us", ("environment", "container", "cpu_quota_us")),
    ("container.cpu_period_us", ("environment", "container", "cpu_period_us")),
    ("container.shm_bytes", ("environment", "container", "shm_bytes")),
    ("observed_at", ("observed_at",)),
    ("process_protocol", ("series", "process", "protocol")),
    ("order", ("series", "order")),
    ("warmups", ("series", "warmups")),
    ("repeats", ("series", "repeats")),
    ("empty_cache", ("series", "empty_cache")),
    ("seed", ("series", "seed")),
    ("started_at", ("series", "started_at")),
    ("run", ("series", "run")),
    ("rank", ("series", "rank", "rank")),
    ("world", ("series", "rank", "world")),
    ("local_rank", ("series", "rank", "local_rank")),
    ("node", ("series", "rank", "node")),
    *((f"plan.{key}", ("series", "plan", key)) for key in _PLAN),
    ("tool.name", ("tool", "name")),
    ("tool.version", ("tool", "version")),
)


# Of each device; `rank`, `local_device` and `node` are those of ranks put together.
_OF_DEVICES = (
    *("name", "ecc", "uuid", "rank", "local_device", "node"),
    *("mig", "partition", "mps", "persistence", "compute_capability", "architecture"),
)


def facts_of(record: Form) -> dict[str, Fact]:
    """Every fact of a record; the environment that was measured wins over what `workload` repeats."""
    workload = dict(words_of(record))
    found = {**workload, **environment_facts(record), **dict(_originals(record))}
    used = devices_used(record.document)
    if used > 1 and used > stated_devices(record.document):
        found[_DEVICES] = _fact(record, used, ("environment", "devices"))
    return found


def words_of(record: Form) -> Iterator[tuple[str, Fact]]:
    """What ran, in the words of a fiche's `workload`."""
    return _workload(record, record.document["workload"], ())


def environment_facts(record: Form) -> dict[str, Fact]:
    """What a document says of where it ran, and of itself, beside its workload."""
    found = dict(_devices(record))
    for key, path in _PLACES:
        value = _value(record.document, path)
        if value is not None:
            found[key] = _fact(record, value, path)
    found.update(_named(record, "libraries"))
    found.update(_named(record, "variables"))
    return found


def _originals(record: Form) -> Iterator[tuple[str, Fact]]:
    """`merged.1` is the digest of the record that rank 1 wrote (C13)."""
    for row, each in enumerate(record.document.get("merged", {}).get("from", ())):
        path = ("merged", "from", row, "sha256")
        yield f"merged.{each['rank']}", _fact(record, each["sha256"], path)


def tensors_of(record: Form, place: int) -> dict[str, Fact]:
    """What a phase saw of the tensors that it executed: `4 x 512 int64, cuda` (A1, A3)."""
    tensors = record.document["phases"][place].get("tensors", ())
    return {
        f"{TENSORS}{tensor['name']}": _fact(
            record, tensor_text(tensor), ("phases", place, "tensors", row)
        )
        for row, tensor in enumerate(tensors)
    }


def tensor_text(tensor: dict[str, Any]) -> str:
    """Shape, dtype and the kind of device in words."""
    shape = " x ".join(map(str, tensor["shape"])) or "one value"
    dtype = tensor["dtype"].removeprefix("torch.")
    return f"{shape} {dtype}" + (f", {tensor['place']}" if "place" in tensor else "")


def _value(document: object, path: tuple[str, ...]) -> object:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _fact(record: Form, value: object, path: tuple[str | int, ...]) -> Fact:
    words = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    return Fact(value=words, address=record.at(*path, text=words))


def _workload(
    record: Form, node: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[str, Fact]]:
    for key, value in node.items():
        here = (*path, key)
        if isinstance(value, dict):
            yield from _workload(record, value, here)
        else:
            yield ".".join(here), _fact(record, value, ("workload", *here))


def _named(record: Form, key: str) -> Iterator[tuple[str, Fact]]:
    """`libraries.nccl`, `variables.CUDA_VISIBLE_DEVICES`."""
    for name, value in record.document["environment"].get(key, {}).items():
        yield f"{key}.{name}", _fact(record, value, ("environment", key, name))


def _devices(record: Form) -> Iterator[tuple[str, Fact]]:
    """`devices.0.name` per device; `device` and `ecc` where all devices agree."""
    devices = record.document["environment"].get("devices", ())
    for place, device in enumerate(devices):
        for key in _OF_DEVICES:
            if key in device:
                path = ("environment", "devices", place, key)
                yield f"devices.{device['index']}.{key}", _fact(record, device[key], path)
    for name, key in (("device", "name"), ("ecc", "ecc")):
        if len({device.get(key) for device in devices}) == 1 and key in devices[0]:
            path = ("environment", "devices", 0, key)
            yield name, _fact(record, devices[0][key], path)
