"""The `environment` block of a record: where it ran, as the programs themselves say (A5, D8).

What cannot be read has no key. Nothing that names a person or a machine is taken.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterable, Iterator
from typing import Any

from fiche.measure.protocol.host import host_block, kernel_driver
from fiche.measure.protocol.system import SystemTool, attempted, whole

# The first of them that is set is in force; the two others are older names of it.
ALLOCATOR_VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
# Since this version PYTORCH_ALLOC_CONF is read at all.
_ONE_NAME = (2, 9)
# Packages that change what lies in memory.
_PACKAGES = (
    "accelerate",
    "bitsandbytes",
    "deepspeed",
    "flash-attn",
    "flashinfer-python",
    "lightning",
    "peft",
    "pytorch-lightning",
    "pytorch-triton-rocm",
    "torchao",
    "transformers",
    "triton",
    "vllm",
    "xformers",
)


def environment_block(
    torch: Any, backend: str, devices: Iterable[Any], tool: SystemTool | None
) -> dict[str, Any]:
    """What a record says of where it ran.

    Args:
        torch: the imported framework.
        backend: `cuda`, `hip` or `xpu`: the one really installed.
        devices: the measured devices, by index or as objects with one. All that the process can use are
            listed beside them.
        tool: the system's own tool, if there is one.
    """
    api = torch.xpu if backend == "xpu" else torch.cuda
    measured = {int(getattr(device, "index", device)) for device in devices}
    indexes = sorted(measured | set(range(attempted(api.device_count) or 0)))
    driver = (tool.driver() if tool is not None else None) or _xpu_driver(api, backend)
    told: dict[str, Any] = {
        **host_block(),
        "framework": framework(torch),
        "backend": backend,
        "runtime": runtime(torch, backend),
        "driver": driver or (kernel_driver() if backend != "xpu" else None),
        "allocator": _allocator(torch, api, backend),
        "libraries": libraries(torch, backend),
        "devices": [each for index in indexes if (each := _device(api, index, tool)) is not None],
    }
    return {key: value for key, value in told.items() if value}


def backend_of(torch: Any) -> str | None:
    """The backend that a framework was built for; None for the CPU alone.

    CUDA and HIP share `torch.cuda`: the build says which it is.
    """
    version = getattr(torch, "version", None)
    for name in ("hip", "cuda", "xpu"):
        if getattr(version, name, None):
            return name
    compiled = getattr(getattr(torch, "xpu", None), "_is_compiled", None)
    return "xpu" if compiled is not None and attempted(compiled) else None


def framework(torch: Any) -> dict[str, str]:
    """Name and version, with the suffix of its build."""
    return {"name": "torch", "version": str(getattr(torch, "__version__", "unknown"))}


def runtime(torch: Any, backend: str) -> str | None:
    """Version of CUDA, HIP or the XPU runtime that the framework brings or was built with."""
    told = getattr(getattr(torch, "version", None), backend, None)
    return str(told) if told else None


def uuid_of(api: Any, index: int) -> str | None:
    """A device's UUID as the system's tools spell it, where the framework tells one."""
    told = getattr(attempted(api.get_device_properties, index), "uuid", None)
    if told is None:
        return None
    text = str(told)
    return text if text.startswith(("GPU-", "MIG-")) else f"GPU-{text}"


def libraries(torch: Any, backend: str) -> dict[str, str]:
    """Versions of what travels with the framework or beside it and takes memory of its own."""
    found = dict(_packages())
    nccl = attempted(lambda: torch.cuda.nccl.version()) if backend != "xpu" else None
    if isinstance(nccl, tuple) and nccl:
        found["rccl" if backend == "hip" else "nccl"] = ".".join(str(part) for part in nccl)
    cudnn = attempted(lambda: torch.backends.cudnn.version()) if backend != "xpu" else None
    if cudnn:
        found["miopen" if backend == "hip" else "cudnn"] = str(cudnn)
    return found


def _packages() -> Iterator[tuple[str, str]]:
    for name in _PACKAGES:
        version = attempted(importlib.metadata.version, name)
        if version:
            yield name, version


def _allocator(torch: Any, api: Any, backend: str) -> dict[str, str] | None:
    """Backend and settings in force; `default` where nobody set any (C6)."""
    read = getattr(api, "get_allocator_backend", None)
    name = attempted(read) if read is not None else "native"
    if not name:
        return None
    told = {"backend": str(name), "settings": allocator_settings(torch)}
    fraction = _fraction(torch, backend)
    return told if fraction is None else {**told, "process_fraction": fraction}


def allocator_settings(torch: Any) -> str:
    """The value of the variable in force. Before 2.9 PYTORCH_ALLOC_CONF meant nothing."""
    names = ALLOCATOR_VARIABLES if _version(torch) >= _ONE_NAME else ALLOCATOR_VARIABLES[1:]
    values = (os.environ.get(name, "").strip() for name in names)
    return next((value for value in values if value), "default")[:500]


def _version(torch: Any) -> tuple[int, int]:
    parts = str(getattr(torch, "__version__", "")).split(".")
    read = attempted(lambda: (int(parts[0]), int(parts[1])))
    return (0, 0) if read is None else read


def _fraction(torch: Any, backend: str) -> str | None:
    """A limit that this process set on itself, which explains a failure beside free memory."""
    read = getattr(getattr(torch, "cuda", None), "get_per_process_memory_fraction", None)
    told = attempted(read) if read is not None and backend != "xpu" else None
    return repr(told) if isinstance(told, float) and told < 1 else None


def _xpu_driver(api: Any, backend: str) -> str | None:
    if backend != "xpu":
        return None
    told = getattr(attempted(api.get_device_properties, 0), "driver_version", None)
    return str(told) if told else None


def _device(api: Any, index: int, tool: SystemTool | None) -> dict[str, Any] | None:
    """What the framework tells of a device, and the system's tool beside it; None for a lost one."""
    properties = attempted(api.get_device_properties, index)
    total = whole(getattr(properties, "total_memory", None))
    if properties is None or total is None:
        return None
    uuid = uuid_of(api, index)
    beside = tool.device(index if uuid is None else uuid) if tool is not None else {}
    told = {
        "index": index,
        "name": str(properties.name),
        "total_memory_bytes": total,
        "uuid": uuid,
        **dict(_built(properties)),
        **{key: value for key, value in beside.items() if key not in _BY_THE_TOOL},
    }
    return {key: value for key, value in told.items() if value not in (None, "")}


_BY_THE_TOOL = ("index", "name")


def _built(properties: Any) -> Iterator[tuple[str, Any]]:
    """`compute_capability` is CUDA's; on ROCm the architecture's name takes its place."""
    gfx = str(getattr(properties, "gcnArchName", "") or "")
    major, minor = getattr(properties, "major", None), getattr(properties, "minor", None)
    if gfx.startswith("gfx"):
        yield "architecture", gfx
    elif major is not None and minor is not None:
        yield "compute_capability", f"{major}.{minor}"
    for name in ("multi_processor_count", "gpu_subslice_count", "max_compute_units"):
        count = whole(getattr(properties, name, None))
        if count:
            yield "multiprocessors", count
            return
