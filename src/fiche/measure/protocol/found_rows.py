"""The environment document in words: rows of a label and a text, for whatever prints them (F2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

BUILT_FOR = {"cuda": "CUDA", "hip": "HIP (ROCm)", "xpu": "XPU"}


def environment_rows(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(label, text) rows for a terminal; a label of two blanks continues the one above."""
    block = document["environment"]
    yield "Python", block.get("python", "unknown")
    yield "System", block.get("os", "unknown")
    yield from _framework_rows(block)
    yield "Driver", block.get("driver", "none found")
    if "allocator" in block:
        allocator = block["allocator"]
        yield (
            "Allocator",
            f"{allocator['backend']}, settings {allocator.get('settings', 'unknown')}",
        )
        if "process_fraction" in allocator:
            yield "", f"this process limits itself to {allocator['process_fraction']} of a device"
    yield from _listed_rows(
        "Libraries", (f"{n} {v}" for n, v in block.get("libraries", {}).items())
    )
    if "host_memory_bytes" in block:
        yield "Host memory", amount_of_bytes(block["host_memory_bytes"])
    yield from _listed_rows("Container", _container_texts(block.get("container", {})))
    yield from _listed_rows(
        "Variables", (f"{n}={v}" for n, v in block.get("variables", {}).items())
    )
    if block.get("variables_left_out"):
        yield "", f"set, and not shown: {', '.join(block['variables_left_out'])}"


def _framework_rows(block: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "framework" not in block:
        return
    name = {"torch": "PyTorch"}.get(block["framework"]["name"], block["framework"]["name"])
    built = BUILT_FOR.get(block.get("backend", ""), "the CPU only")
    version = f" {block['runtime']}" if "runtime" in block else ""
    yield name, f"{block['framework']['version']}, for {built}{version}"


def _listed_rows(label: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    for row, text in enumerate(texts):
        yield (label if row == 0 else ""), text


def _container_texts(told: dict[str, Any]) -> Iterator[str]:
    if told.get("signs"):
        yield f"inside one, by {', '.join(told['signs'])}"
    if "memory_limit_bytes" in told:
        yield f"host memory limited to {amount_of_bytes(told['memory_limit_bytes'])}"
    if "cpu_quota_us" in told:
        tenths = 10 * told["cpu_quota_us"] // told["cpu_period_us"]
        yield f"processors limited to {tenths // 10}.{tenths % 10}"
    if "shm_bytes" in told:
        yield f"/dev/shm {amount_of_bytes(told['shm_bytes'])}"


def device_rows(document: dict[str, Any], device: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(label, text) rows of one device of the document."""
    name = (
        f"{'xpu' if document['environment'].get('backend') == 'xpu' else 'cuda'}:{device['index']}"
    )
    label = f"{device['counted_by']} {device['index']}" if "counted_by" in device else name
    yield label, device["name"]
    if "total_memory_bytes" in device:
        yield "  declares", amount_of_bytes(device["total_memory_bytes"])
    if "nvml_total_bytes" in device:
        total = amount_of_bytes(device["nvml_total_bytes"])
        yield "  system tool", f"{total}, more than a framework can have"
    readings = {each["device"]: each for each in document.get("readings", ())}.get(name, {})
    for key, title in _READING_TITLES.items():
        if key in readings and "counted_by" not in device:
            reading = readings[key]
            yield f"  {title}", f"{amount_of_bytes(reading['bytes'])} ({reading['counter']})"
    if "counted_by" not in device and "other_processes_bytes" not in readings:
        yield "  others", "not known: nobody told what other processes hold"
    modes = ", ".join(_mode_texts(device))
    if modes:
        yield "  modes", modes


_READING_TITLES = {
    "free_bytes": "free",
    "process_device_bytes": "this process",
    "other_processes_bytes": "others",
}


def _mode_texts(device: dict[str, Any]) -> Iterator[str]:
    for key, title in (
        ("ecc", "ECC"),
        ("mig", "MIG"),
        ("mps", "MPS"),
        ("persistence", "persistence"),
    ):
        if key in device:
            yield f"{title} {device[key]}"
    if "partition" in device:
        yield f"partition {device['partition']}"
    if "compute_capability" in device:
        yield f"compute capability {device['compute_capability']}"
    if "architecture" in device:
        yield device["architecture"]
    if "multiprocessors" in device:
        yield f"{device['multiprocessors']} multiprocessors"


def amount_of_bytes(count: int) -> str:
    """`25 250 758 656 B (23.52 GiB)`: every byte, and rounded once, to nearest, with its unit (B1)."""
    plain = f"{count:,} B".replace(",", " ")
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20)):
        if count >= factor:
            hundredths = (200 * count + factor) // (2 * factor)
            whole_part = f"{hundredths // 100:,}".replace(",", " ")
            return f"{plain} ({whole_part}.{hundredths % 100:02d} {unit})"
    return plain
