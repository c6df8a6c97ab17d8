#!/usr/bin/env python3
"""Fiche lab 0.1.0: calculate GPU memory, look at the environment, measure a small dense network.

    python fiche_lab.py estimate --parameters 7000000000 --bits 16 --reserve-gib 4
    python fiche_lab.py environment --device cuda:0
    python fiche_lab.py measure --device cuda:0 --batch 2 --context 128 --width 1024 --dtype float32 \\
        --warmup 3 --repeats 5 --output m.json

Python 3.9 or newer and its standard library; PyTorch with a GPU backend only to measure. Nothing is
downloaded. A record is imported at home with `fiche import m.json`. README.md says what each phase
covers and what a record does not prove. The parts below are modules of fiche 0.1.0, joined as they are.
"""
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import argparse
import atexit
import contextlib
import functools
import importlib.metadata
import inspect
import itertools
import json
import math
import operator
import os
import platform
import re
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, Protocol, TYPE_CHECKING, TypeVar, Union


# --- estimate -----------------------------------------------------------------------------------
#
# The arithmetic of weights and of an assumed reserve, exact to the byte (B1 to B3).

# A decimal and a binary family of units: 1 GB = 10^9 bytes, 1 GiB = 2^30 bytes, and neither is the other (B1).
DECIMAL_UNITS: tuple[tuple[str, int], ...] = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
BINARY_UNITS: tuple[tuple[str, int], ...] = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
FORMAT_WIDTHS = (32, 16, 8, 4)
LEFT_OUT = """\
Left out, so that this is no peak and no promise that anything fits:
  - quantisation metadata (scales, zero points), modules kept in another format
  - KV cache, activations, gradients, optimizer states
  - working memory, transient loading, uses outside the process
"""


def weights_bytes(parameters: int, bits: int) -> int:
    """Bytes of a dense set of values of one width, the last byte begun counted whole (B2)."""
    return -(-parameters * bits // 8)


def reserve_bytes(amount: Fraction, unit_bytes: int) -> int:
    """An assumed reserve in whole bytes, to nearest."""
    exact = amount * unit_bytes
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def two_decimals(count: int, unit_bytes: int) -> str:
    """Bytes in a unit with two decimals, rounded once, to nearest."""
    hundredths = (200 * count + unit_bytes) // (2 * unit_bytes)
    return f"{grouped(hundredths // 100)}.{hundredths % 100:02d}"


def grouped(count: int) -> str:
    """Digits in groups of three: `14 000 000 000`."""
    return f"{count:,}".replace(",", " ")


def in_unit(count: int, units: tuple[tuple[str, int], ...]) -> str:
    """Bytes in the largest unit of a family of which there is a tenth; the unit is always said."""
    for word, unit_bytes in units:
        if 10 * count >= unit_bytes:
            return f"{two_decimals(count, unit_bytes)} {word}"
    return f"{grouped(count)} B" if count else f"0.00 {units[0][0]}"


def equal_amounts(count: int) -> str:
    """`14 000 000 000 B = 14.00 GB = 13.04 GiB`."""
    return " = ".join(
        (f"{grouped(count)} B", in_unit(count, DECIMAL_UNITS), in_unit(count, BINARY_UNITS))
    )


def estimate_text(parameters: int, bits: int, reserve: int) -> str:
    """Weights, envelope, and what the stored width alone changes; what is left out stands below (B8).

    `reserve` is in bytes and assumed: it stands in for what nobody has measured.
    """
    weights = weights_bytes(parameters, bits)
    lines = [
        "By arithmetic alone: nothing here was measured.",
        "",
        f"weights   {equal_amounts(weights)}",
        *([f"reserve   {equal_amounts(reserve)} (assumed)"] if reserve else []),
        f"envelope  {equal_amounts(weights + reserve)}",
        "",
        *_widths_table(parameters, reserve),
        "The effect of the stored width alone: no line is a peak, and at 4 bits least of all.",
        "",
    ]
    return "\n".join(lines) + LEFT_OUT


def _widths_table(parameters: int, reserve: int) -> list[str]:
    rows = [("bits", "weights, GB", "weights, GiB", "with the same reserve, GiB")]
    for bits in FORMAT_WIDTHS:
        weights = weights_bytes(parameters, bits)
        decimal, binary = _in_column(weights, 10**9), _in_column(weights, 2**30)
        rows.append((str(bits), decimal, binary, _in_column(weights + reserve, 2**30)))
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    return ["  ".join(row[place].rjust(widths[place]) for place in range(4)) for row in rows]


def _in_column(count: int, unit_bytes: int) -> str:
    """What is there but rounds to nothing is said, and is no zero (C2)."""
    text = two_decimals(count, unit_bytes)
    return "< 0.01" if count and text == "0.00" else text


# --- host ---------------------------------------------------------------------------------------
#
# What the machine says of itself without any framework: system, container limits, variables, driver.
#
# Nothing that names a person or a machine is taken: no host name, no user, no address, no path of a home.

_UNLIMITED = 2**62
_PREFIXES = ("PYTORCH_", "CUDA_", "NCCL_", "HIP_", "ROCR_", "HSA_", "ZE_", "CUBLAS_")
_LONGEST = 500
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSWO?R?D|CREDENTIAL|API_?KEY|PRIVATE|AUTH", re.IGNORECASE
)
# A user's folder, an address, a key of a well-known shape, credentials in an address, a long random word.
_PERSONAL = re.compile(
    r"/home/|/users/|\\users\\|/root\b|~|@|://"
    r"|\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b|\b(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\b"
    r"|\b(?:hf_|sk-|gh[pousr]_|xox[abp]-|AKIA|eyJ)[A-Za-z0-9_-]{8,}"
    r"|\b[A-Za-z0-9+/_]{40,}",
    re.IGNORECASE,
)
_SIGNS = (".dockerenv", "run/.containerenv")
_SIGN_VARIABLES = ("KUBERNETES_SERVICE_HOST", "SINGULARITY_NAME", "APPTAINER_NAME", "container")


def host_block(root: Path = Path("/")) -> dict[str, Any]:
    """Keys of a record's `environment` that need no framework; what is not known has no key.

    Args:
        root: the folder in which `proc`, `sys`, `etc` and `dev` lie.
    """
    variables, left_out = set_variables(os.environ)
    told: dict[str, Any] = {
        "python": platform.python_version(),
        "os": _system(root),
        "variables": variables,
        "variables_left_out": left_out,
        "container": container(root),
        "host_memory_bytes": _host_memory(root),
    }
    return {key: value for key, value in told.items() if value not in (None, "", {}, [])}


def set_variables(environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Variables that steer the runtimes, and the names of those whose value is nobody's business."""
    shown: dict[str, str] = {}
    left_out = []
    for name in sorted(environment):
        value = environment[name]
        if not name.startswith(_PREFIXES) or not re.fullmatch(r"[A-Z0-9_]{1,200}", name):
            continue
        if _SECRET_NAME.search(name) or _PERSONAL.search(value) or len(value) > _LONGEST:
            left_out.append(name)
        else:
            shown[name] = "".join(
                c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in value
            )
    return shown, left_out


def container(root: Path = Path("/")) -> dict[str, Any]:
    """Limits of the control groups and of shared memory, and signs of a container.

    A limit that is absent was not found: it is not known to be without bound. Sources: Linux's
    documentation of cgroup v1 and v2 (memory.limit_in_bytes; memory.max, cpu.max).
    """
    groups = list(_groups(root))
    limits = [limit for folder in groups if (limit := _memory_limit(folder)) is not None]
    quotas = [quota for folder in groups if (quota := _quota(folder)) is not None]
    told: dict[str, Any] = {"signs": list(_signs(root))}
    if limits:
        told["memory_limit_bytes"] = min(limits)
    if quotas:
        told["cpu_quota_us"], told["cpu_period_us"] = min(
            quotas, key=lambda each: each[0] / each[1]
        )
    shared = _filesystem(root / "dev" / "shm")
    if shared:
        told["shm_bytes"] = shared
    return told


def kernel_driver(root: Path = Path("/")) -> str | None:
    """Version of a loaded GPU driver, as the kernel tells without any tool."""
    told = re.search(
        r"Kernel Module[^\n]*?\s([0-9]+\.[0-9.]+)\s", _text(root / "proc/driver/nvidia/version")
    )
    if told is not None:
        return told[1]
    return _text(root / "sys/module/amdgpu/version").strip() or None


def _system(root: Path) -> str:
    """`Ubuntu 24.04.2 LTS, Linux 6.8.0-60-generic`."""
    release = f"{platform.system()} {platform.release()}".strip()
    named = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text(root / "etc/os-release"), re.MULTILINE)
    return f"{named[1]}, {release}" if named is not None else release


def _host_memory(root: Path) -> int | None:
    """Physical memory; the kernel's kB are 1024 bytes."""
    told = re.search(r"^MemTotal:\s+([0-9]+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
    if told is not None:
        return int(told[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _signs(root: Path) -> Iterator[str]:
    for name in _SIGNS:
        if (root / name).exists():
            yield f"/{name}"
    for name in _SIGN_VARIABLES:
        if os.environ.get(name):
            yield name


def _groups(root: Path) -> Iterator[Path]:
    """Folders of this process's control groups, from its own up to the mount.

    In a namespace of its own a container's mount is its group, whatever path the kernel tells.
    """
    mount = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        names = controllers.split(",") if controllers else []
        if names and not {"memory", "cpu"} & set(names):
            continue
        for base in [mount / controllers, *(mount / name for name in names)] if names else [mount]:
            parts = [part for part in path.split("/") if part and part != ".."]
            yield from (base.joinpath(*parts[:depth]) for depth in range(len(parts), -1, -1))


def _memory_limit(folder: Path) -> int | None:
    for name in ("memory.max", "memory.limit_in_bytes"):
        text = _text(folder / name).strip()
        if text.isdigit() and 0 < int(text) < _UNLIMITED:
            return int(text)
    return None


def _quota(folder: Path) -> tuple[int, int] | None:
    """Microseconds of processors in each period: 150000 of 100000 are one and a half of them."""
    told = _text(folder / "cpu.max").split()
    if len(told) != 2:
        told = [_text(folder / f"cpu.cfs_{key}_us").strip() for key in ("quota", "period")]
    if all(text.isdigit() for text in told) and int(told[1]) > 0:
        return int(told[0]), int(told[1])
    return None


def _filesystem(folder: Path) -> int | None:
    try:
        state = os.statvfs(folder)
    except (AttributeError, OSError):
        return None
    return state.f_frsize * state.f_blocks


def _text(path: Path) -> str:
    """What a small file says; nothing where it is not there or not ours to read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:65536]
    except (OSError, ValueError):
        return ""


# --- system -------------------------------------------------------------------------------------
#
# Readings outside the allocator: what the system's own tool says of a device and of its processes (C5).
#
# A reading that cannot be had is absent, never zero (C2). Nothing is ever set: no mode, no clock, no limit.

# Evaluated as the module is imported, and Python 3.9 has no `X | Y` for that.
Key = Union[str, int]
# pid -> bytes on the device, or None where the tool says "not available".
Processes = Mapping[int, Optional[int]]
Told = tuple[int, str]

_READ = TypeVar("_READ")


class SystemTool(Protocol):
    """One tool for all devices of a machine; a device is named by its UUID, else by the framework's index."""

    name: str

    def use(self, device: Key, own_pid: int) -> dict[str, Told]:
        """Bytes now, each with the name of its counter; what is not available has no key.

        `process_device_bytes`: what the process with this id holds, context and libraries included.
        `process_device_peak`: its true peak since it began, only where the machine already keeps accounts.
        `other_processes_bytes`: all others that the tool lists; 0 where it lists none but this one.
        `free_bytes`: free memory of the device, every process counted.
        """

    def device(self, device: Key) -> dict[str, Any]:
        """Further keys of the device for a record's `environment`: nvml_total_bytes, ecc, mig, ..."""

    def driver(self) -> str | None:
        """Version of the driver."""

    def listed(self) -> list[dict[str, Any]]:
        """Every device as the tool counts them: index, name, uuid and the keys of `device`."""


def system_tool(backend: str) -> SystemTool | None:
    """NVML for `cuda`, amdsmi for `hip`; None where it is not installed, or nothing answers.

    Made before the accelerator is initialised, it knows later which listed process is this one even where
    a container hides the ids.
    """
    if backend == "cuda":
        return nvidia_tool()
    if backend == "hip":
        return amd_tool()
    return None


def attempted(read: Callable[..., _READ], *arguments: Any) -> _READ | None:
    """What a call returns; None where it raises, whatever it raises: a missing reading is missing."""
    try:
        return read(*arguments)
    except Exception:  # noqa: BLE001 - each library has exceptions of its own, and none may stop a run
        return None


def whole(value: object) -> int | None:
    """A number of bytes; None for what tools write in its place, such as 2^64 - 1 for "not available"."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < 2**63 else None


def untouched() -> bool:
    """Whether PyTorch, if it is imported at all, has not initialised an accelerator in this process yet."""
    torch = sys.modules.get("torch")
    apis = [getattr(torch, name, None) for name in ("cuda", "xpu")] if torch is not None else []
    return not any(attempted(api.is_initialized) for api in apis if api is not None)


class Owner:
    """Which of the listed processes is this one.

    Tools list the process ids of the host; inside a container the own one is not among them. There the
    only process that appeared since before the accelerator was initialised here is taken for it, and
    each counter says so.
    """

    def __init__(self, before: frozenset[int] | None) -> None:
        self._before = before
        self._found: dict[Key, int] = {}

    def of(self, device: Key, processes: Processes, own_pid: int) -> tuple[int, str] | None:
        """The listed id and what is added to counter names; None where it cannot be told."""
        if own_pid in processes:
            return own_pid, ""
        known = self._found.get(device)
        if known is not None and known in processes:
            return known, "_of_newly_listed"
        appeared = (
            [] if self._before is None else [pid for pid in processes if pid not in self._before]
        )
        if len(appeared) != 1:
            return None
        self._found[device] = appeared[0]
        return appeared[0], "_of_newly_listed"


def process_readings(
    tool: str, processes: Processes | None, owner: tuple[int, str] | None
) -> dict[str, Told]:
    """Own and others' bytes out of one list of processes.

    Others are told only where this process is in the list: a list that leaves out even the reader shows
    nothing about others. One process without a number leaves their sum unknown.
    """
    if processes is None or owner is None:
        return {}
    pid, mark = owner
    found: dict[str, Told] = {}
    own = processes[pid]
    if own is not None:
        found["process_device_bytes"] = (own, f"{tool}_process_used{mark}")
    others = [used for other, used in processes.items() if other != pid]
    if None not in others:
        total = sum(used for used in others if used is not None)
        found["other_processes_bytes"] = (total, f"{tool}_other_processes_used{mark}")
    return found


# --- system_nvidia ------------------------------------------------------------------------------
#
# NVML through its Python binding `pynvml` (package nvidia-ml-py), read only.
#
# Source: NVML API reference; process lists hold ids of the host, 2^64 - 1 and None mean not available.

# Processes that compute, that draw, and those behind a Multi-Process Service: one process may be in two.
_LISTS = (
    "nvmlDeviceGetComputeRunningProcesses",
    "nvmlDeviceGetGraphicsRunningProcesses",
    "nvmlDeviceGetMPSComputeRunningProcesses",
)
# NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_FUNCTION_NOT_FOUND: this device or driver has no such list.
_NO_SUCH_LIST = (3, 13)
_SWITCH = {0: "off", 1: "on"}
_SM, _MEMORY = 1, 2
_MPS_SERVER = "nvidia-cuda-mps-server"
_MPS_VARIABLES = "CUDA_MPS_"


def nvidia_tool() -> NvidiaTool | None:
    """NVML where the binding is installed and a driver answers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an old package of this name only warns about itself
            import pynvml  # type: ignore[import-not-found, import-untyped, unused-ignore]

            pynvml.nvmlInit()
    except Exception:  # noqa: BLE001 - no binding, no driver, another version: all the same absence
        return None
    return NvidiaTool(pynvml)


class NvidiaTool:
    """One initialised NVML; handles are looked up once, so that a reading costs some microseconds."""

    name = "nvml"

    def __init__(self, pynvml: Any) -> None:
        self._nvml = pynvml
        self._handles: dict[Key, Any] = {}
        self._accounted: dict[Key, bool] = {}
        self._lists = list(_LISTS)
        self._owner = Owner(self._everyone() if untouched() else None)

    def use(self, device: Key, own_pid: int) -> dict[str, Told]:
        """See `SystemTool.use`."""
        handle = self._handle(device)
        if handle is None:
            return {}
        processes = self._processes(handle)
        owner = None if processes is None else self._owner.of(device, processes, own_pid)
        found = process_readings(self.name, processes, owner)
        if owner is not None:
            found.update(self._accounts(device, handle, owner))
        free = self._memory(handle, "free")
        if free is not None:
            found["free_bytes"] = (free, "nvml_free")
        return found

    def device(self, device: Key) -> dict[str, Any]:
        """See `SystemTool.device`."""
        handle = self._handle(device)
        return {} if handle is None else dict(self._described(handle))

    def driver(self) -> str | None:
        """See `SystemTool.driver`."""
        return _nvml_text(attempted(self._nvml.nvmlSystemGetDriverVersion))

    def listed(self) -> list[dict[str, Any]]:
        """See `SystemTool.listed`; the index is NVML's own, in the order of the bus."""
        found = []
        for index, handle in enumerate(self._cards()):
            name = _nvml_text(attempted(self._nvml.nvmlDeviceGetName, handle))
            if name:
                found.append({"index": index, "name": name, **dict(self._described(handle))})
        return found

    # --- Handles --------------------------------------------------------------------------------

    def _handle(self, device: Key) -> Any:
        if device not in self._handles:
            self._handles[device] = self._looked_up(device)
        return self._handles[device]

    def _looked_up(self, device: Key) -> Any:
        """By UUID, with or without its prefix; an index only where it cannot mean another card."""
        if isinstance(device, str):
            bare = device.split("-", 1)[1] if device.startswith(("GPU-", "MIG-")) else device
            for name in dict.fromkeys((device, f"GPU-{bare}", f"MIG-{bare}")):
                handle = attempted(self._nvml.nvmlDeviceGetHandleByUUID, name)
                if handle is not None:
                    return handle
            return None
        return self._of_index(device)

    def _of_index(self, index: int) -> Any:
        """CUDA counts the visible devices, the fastest first; NVML counts all, in the order of the bus."""
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        names = [str(n) for n in range(index + 1)] if visible is None else visible.split(",")
        name = names[index].strip() if index < len(names) else ""
        if name.startswith(("GPU-", "MIG-")):
            return self._abbreviated(name)
        cards = list(self._cards())
        alike = os.environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len(cards) == 1
        return cards[int(name)] if alike and name.isdigit() and int(name) < len(cards) else None

    def _abbreviated(self, name: str) -> Any:
        """CUDA takes the first letters of a UUID too, as far as they name one device."""
        handle = attempted(self._nvml.nvmlDeviceGetHandleByUUID, name)
        if handle is not None:
            return handle
        matching = [each for each in self._cards() if (self._uuid(each) or "").startswith(name)]
        return matching[0] if len(matching) == 1 else None

    def _cards(self) -> Iterator[Any]:
        for index in range(attempted(self._nvml.nvmlDeviceGetCount) or 0):
            handle = attempted(self._nvml.nvmlDeviceGetHandleByIndex, index)
            if handle is not None:
                yield handle

    def _instances(self, card: Any) -> Iterator[Any]:
        """The MIG devices of a card."""
        for index in range(self._read("nvmlDeviceGetMaxMigDeviceCount", card) or 0):
            handle = self._read("nvmlDeviceGetMigDeviceHandleByIndex", card, index)
            if handle is not None:
                yield handle

    # --- Processes ------------------------------------------------------------------------------

    def _everyone(self) -> frozenset[int] | None:
        """Ids of all processes on all devices; None where one list cannot be had."""
        found: set[int] = set()
        for card in self._cards():
            instances = list(self._instances(card))
            for handle in instances or [card]:
                processes = self._processes(handle)
                if processes is None:
                    return None
                found.update(processes)
        return frozenset(found)

    def _processes(self, handle: Any) -> Processes | None:
        """Every process on a device; a list that no driver keeps is left out, a failing one leaves none."""
        found: dict[int, int | None] = {}
        for name in tuple(self._lists):
            try:
                listed = getattr(self._nvml, name)(handle)
            except Exception as error:  # noqa: BLE001 - see `attempted`
                missing = isinstance(error, AttributeError)
                if name == _LISTS[0] or not (missing or _code(error) in _NO_SUCH_LIST):
                    return None
                if missing:
                    self._lists.remove(name)
                continue
            for process in listed:
                _entered(found, int(process.pid), whole(process.usedGpuMemory))
        return found

    def _accounts(self, device: Key, handle: Any, owner: tuple[int, str]) -> dict[str, Told]:
        """The process's peak, where somebody turned accounting on; it is never turned on here."""
        if device not in self._accounted:
            self._accounted[device] = self._read("nvmlDeviceGetAccountingMode", handle) == 1
        if not self._accounted[device]:
            return {}
        pid, mark = owner
        stats = self._read("nvmlDeviceGetAccountingStats", handle, pid)
        peak = whole(getattr(stats, "maxMemoryUsage", None))
        if not peak:  # 0 for a process that holds a context: not accounted yet
            return {}
        return {"process_device_peak": (peak, f"nvml_accounting_max_memory_usage{mark}")}

    # --- The device -----------------------------------------------------------------------------

    def _described(self, handle: Any) -> Iterator[tuple[str, Any]]:
        told = {
            "uuid": self._uuid(handle),
            "nvml_total_bytes": self._memory(handle, "total"),
            "ecc": _SWITCH.get(_first(self._read("nvmlDeviceGetEccMode", self._card(handle)))),
            "mig": "on" if self._is_instance(handle) else self._mig(handle),
            "persistence": _SWITCH.get(
                self._read("nvmlDeviceGetPersistenceMode", self._card(handle))
            ),
            "mps": self._mps(handle),
            "compute_capability": self._capability(handle),
            "sm_clock_mhz": whole(self._read("nvmlDeviceGetClockInfo", self._card(handle), _SM)),
            "memory_clock_mhz": whole(
                self._read("nvmlDeviceGetClockInfo", self._card(handle), _MEMORY)
            ),
        }
        yield from ((key, value) for key, value in told.items() if value is not None)

    def _read(self, name: str, *arguments: Any) -> Any:
        return attempted(lambda: getattr(self._nvml, name)(*arguments))

    def _memory(self, handle: Any, which: str) -> int | None:
        return whole(getattr(self._read("nvmlDeviceGetMemoryInfo", handle), which, None))

    def _uuid(self, handle: Any) -> str | None:
        return _nvml_text(self._read("nvmlDeviceGetUUID", handle))

    def _is_instance(self, handle: Any) -> bool:
        told = self._read("nvmlDeviceIsMigDeviceHandle", handle)
        return bool(getattr(told, "value", told))

    def _card(self, handle: Any) -> Any:
        """The card that a MIG device is a part of; modes and clocks are the card's."""
        if not self._is_instance(handle):
            return handle
        return self._read("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", handle)

    def _mig(self, handle: Any) -> str | None:
        return _SWITCH.get(_first(self._read("nvmlDeviceGetMigMode", handle)))

    def _capability(self, handle: Any) -> str | None:
        told = self._read("nvmlDeviceGetCudaComputeCapability", self._card(handle))
        return None if told is None else f"{told[0]}.{told[1]}"

    def _mps(self, handle: Any) -> str | None:
        """`on` where a server of the Multi-Process Service is listed, or its variables are set; never `off`."""
        if any(name.startswith(_MPS_VARIABLES) and os.environ[name] for name in os.environ):
            return "on"
        names = (
            _nvml_text(self._read("nvmlSystemGetProcessName", pid))
            for pid in self._processes(handle) or ()
        )
        return "on" if any(_MPS_SERVER in name for name in names if name) else None


def _entered(found: dict[int, int | None], pid: int, used: int | None) -> None:
    """One list more that names a process: the larger figure, and none where a list has none."""
    known = found.get(pid, 0)
    found[pid] = None if used is None or known is None else max(used, known)


def _first(told: Any) -> Any:
    return told[0] if isinstance(told, (list, tuple)) and told else None


def _nvml_text(told: Any) -> str | None:
    """Old bindings return bytes."""
    text = told.decode("utf-8", "replace") if isinstance(told, bytes) else told
    return text.strip()[:300] if isinstance(text, str) and text.strip() else None


def _code(error: BaseException) -> object:
    return getattr(error, "value", None)


# --- system_amd ---------------------------------------------------------------------------------
#
# AMD SMI through its Python library `amdsmi`, read only.
#
# Source: AMD SMI Python API reference; "N/A" and all-ones mean not available.

_UMC = 1  # the bit of the memory controllers among the blocks with ECC
_NOTHING = ("", "N/A")


def amd_tool() -> AmdTool | None:
    """AMD SMI where the library is installed and a driver answers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import amdsmi  # type: ignore[import-not-found, import-untyped, unused-ignore]

            amdsmi.amdsmi_init()
    except Exception:  # noqa: BLE001 - no library, no driver, another version: all the same absence
        return None
    return AmdTool(amdsmi)


class AmdTool:
    """One initialised AMD SMI; handles are looked up once."""

    name = "amdsmi"

    def __init__(self, amdsmi: Any) -> None:
        self._smi = amdsmi
        self._handles: dict[Key, Any] = {}
        self._owner = Owner(self._everyone() if untouched() else None)

    def use(self, device: Key, own_pid: int) -> dict[str, Told]:
        """See `SystemTool.use`; the list has no peak."""
        handle = self._handle(device)
        if handle is None:
            return {}
        processes = self._processes(handle)
        owner = None if processes is None else self._owner.of(device, processes, own_pid)
        found = process_readings(self.name, processes, owner)
        total, used = self._vram(handle, "total"), self._vram(handle, "usage")
        if total is not None and used is not None and used <= total:
            found["free_bytes"] = (total - used, "amdsmi_vram_total_less_usage")
        return found

    def device(self, device: Key) -> dict[str, Any]:
        """See `SystemTool.device`."""
        handle = self._handle(device)
        return {} if handle is None else dict(self._described(handle))

    def driver(self) -> str | None:
        """See `SystemTool.driver`."""
        for handle in self._cards():
            told = self._read("amdsmi_get_gpu_driver_info", handle)
            version = _amd_text(told.get("driver_version")) if isinstance(told, dict) else None
            if version:
                return version
        return None

    def listed(self) -> list[dict[str, Any]]:
        """See `SystemTool.listed`; the index is the tool's own."""
        found = []
        for index, handle in enumerate(self._cards()):
            name = _amd_text(self._asic(handle).get("market_name"))
            if name:
                found.append({"index": index, "name": name, **dict(self._described(handle))})
        return found

    def _handle(self, device: Key) -> Any:
        if device not in self._handles:
            matching = [card for card in self._cards() if self._is(card, device)]
            self._handles[device] = matching[0] if len(matching) == 1 else None
        return self._handles[device]

    def _is(self, card: Any, device: Key) -> bool:
        """Partitions of one card may share its serial number: then no handle is the device's."""
        if isinstance(device, int):
            return len(list(self._cards())) == 1 and device == 0
        told = self._read("amdsmi_get_gpu_enumeration_info", card)
        uuids = (told.get("hip_uuid") if isinstance(told, dict) else None,)
        serial = _amd_text(self._asic(card).get("asic_serial"))
        own = {_bare(text) for text in (*uuids, serial and serial[2:]) if _amd_text(text)}
        return bool(own & {_bare(device), _spelt(device)})

    def _cards(self) -> Iterator[Any]:
        yield from attempted(self._smi.amdsmi_get_processor_handles) or ()

    def _everyone(self) -> frozenset[int] | None:
        found: set[int] = set()
        for handle in self._cards():
            processes = self._processes(handle)
            if processes is None:
                return None
            found.update(processes)
        return frozenset(found)

    def _processes(self, handle: Any) -> Processes | None:
        """Old versions list handles, of which each is asked; later ones list what is known at once."""
        listed = self._read("amdsmi_get_gpu_process_list", handle)
        if listed is None:
            return None
        found: dict[int, int | None] = {}
        for told in listed:
            known = isinstance(told, dict)
            entry = told if known else self._read("amdsmi_get_gpu_process_info", handle, told)
            pid = whole(entry.get("pid")) if isinstance(entry, dict) else None
            if pid is None:
                return None
            memory = entry.get("memory_usage")
            found[pid] = whole(memory.get("vram_mem") if isinstance(memory, dict) else None)
        return found

    def _described(self, handle: Any) -> Iterator[tuple[str, Any]]:
        blocks = whole(self._read("amdsmi_get_gpu_ecc_enabled", handle))
        partition = [
            _amd_text(self._read(f"amdsmi_get_gpu_{kind}_partition", handle))
            for kind in ("compute", "memory")
        ]
        told = {
            "nvml_total_bytes": self._vram(handle, "total"),
            "ecc": None if blocks is None else "on" if blocks & _UMC else "off",
            "partition": "/".join(each for each in partition if each) or None,
        }
        yield from ((key, value) for key, value in told.items() if value is not None)

    def _vram(self, handle: Any, which: str) -> int | None:
        kind = getattr(getattr(self._smi, "AmdSmiMemoryType", None), "VRAM", None)
        return whole(self._read(f"amdsmi_get_gpu_memory_{which}", handle, kind))

    def _asic(self, handle: Any) -> dict[str, Any]:
        told = self._read("amdsmi_get_gpu_asic_info", handle)
        return told if isinstance(told, dict) else {}

    def _read(self, name: str, *arguments: Any) -> Any:
        return attempted(lambda: getattr(self._smi, name)(*arguments))


def _amd_text(told: Any) -> str | None:
    return told.strip()[:300] if isinstance(told, str) and told.strip() not in _NOTHING else None


def _bare(uuid: Any) -> str:
    """`GPU-9d1c...` and a serial number in one spelling."""
    text = str(uuid).removeprefix("GPU-").replace("-", "").lower()
    return text.lstrip("0") if len(text) <= 16 else text


def _spelt(uuid: str) -> str:
    """HIP writes sixteen letters where CUDA has sixteen bytes: PyTorch prints those letters as hex."""
    read = attempted(bytes.fromhex, uuid.removeprefix("GPU-").replace("-", ""))
    text = attempted(read.decode, "ascii") if read else None
    return _bare(text) if text else ""


# --- environment --------------------------------------------------------------------------------
#
# The `environment` block of a record: where it ran, as the programs themselves say (A5, D8).
#
# What cannot be read has no key. Nothing that names a person or a machine is taken.

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


# --- found_rows ---------------------------------------------------------------------------------
#
# The environment document in words: rows of a label and a text, for whatever prints them (F2).

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


# --- tool ---------------------------------------------------------------------------------------
#
# Which program writes a record; a test holds the version to the package's own.

NAME = "fiche"
VERSION = "0.1.0"
FORMAT = "fiche-measurement/1"


# --- found --------------------------------------------------------------------------------------
#
# What a machine offers for measuring, and what is missing for it: the document `fiche-environment/1` (F2, A5).
#
# It never refuses for want of a GPU or of a framework: it says what is missing, in one sentence each with
# one command that would help, and tells what it still knows.

ENVIRONMENT_FORMAT = "fiche-environment/1"
_DEVICE_NAME = re.compile(r"(cuda|hip|xpu)(?::([0-9]{1,3}))?")
# What shows a user whether driver and device answer, by backend.
_ASK_DRIVER = {"cuda": "nvidia-smi", "hip": "rocm-smi", "xpu": "sycl-ls"}
_BINDING = {"cuda": ("nvml", "nvidia-ml-py"), "hip": ("amdsmi", "amdsmi")}
_HIDES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")


class UnknownDevice(Exception):  # noqa: N818 - what was asked for is wrong, no defect
    """A name that is no device, or a device that this process does not see; its text is one sentence."""


def found_environment(device: str | None = None, machine: str = "") -> dict[str, Any]:
    """The whole document: environment, readings per device, and what is missing.

    Reading a device's free memory and its processes initialises it, as any program that uses it would;
    nothing is allocated and nothing is set.

    Args:
        device: `cuda:0`, `hip:0` or `xpu:0`; every visible one if left out.
        machine: the id under which a fiche names this machine.

    Raises:
        UnknownDevice: `device` names no device, or one that this process does not see beside others.
    """
    if device is not None and _DEVICE_NAME.fullmatch(device) is None:
        raise UnknownDevice(f"{device[:60]!r} names no GPU: write cuda:0, hip:0 or xpu:0")
    missing: list[dict[str, str]] = []
    torch = _imported(missing)
    backend = None if torch is None else backend_of(torch)
    tool = system_tool(backend) if backend else system_tool("cuda") or system_tool("hip")
    usable = torch is not None and _answers(torch, backend, tool, missing)
    document: dict[str, Any] = {
        "format": ENVIRONMENT_FORMAT,
        "tool": {"name": NAME, "version": VERSION},
        "observed_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017
        **({"machine": machine} if machine else {}),
    }
    if usable and backend is not None:
        document.update(_with_devices(torch, backend, device, tool, missing))
    else:
        document["environment"] = _without_devices(torch, backend, tool)
    return {**document, "missing": missing} if missing else document


# --- The framework --------------------------------------------------------------------------------


def _imported(missing: list[dict[str, str]]) -> Any:
    """PyTorch, or None and why: a broken installation raises anything."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch
    except ModuleNotFoundError as error:
        if error.name == "torch":
            _lacks(
                missing, "PyTorch is not installed in this Python", "python -m pip install torch"
            )
            return None
        _lacks(missing, f"PyTorch cannot be imported: {_one_line(error)}", _IMPORT)
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        _lacks(missing, f"PyTorch cannot be imported: {_one_line(error)}", _IMPORT)
    else:
        return torch
    return None


_IMPORT = 'python -c "import torch"'
_BUILD = 'python -c "import torch; print(torch.__version__, torch.version.cuda, torch.version.hip)"'


def _answers(
    torch: Any, backend: str | None, tool: SystemTool | None, missing: list[dict[str, str]]
) -> bool:
    """Whether the framework sees a device; if not, why, as far as it can be told."""
    if backend is None:
        version = framework(torch)["version"]
        _lacks(missing, f"PyTorch {version} is built for the CPU only, and a CPU is no GPU", _BUILD)
        return False
    api = _api(torch, backend)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        seen = bool(attempted(api.is_available)) and bool(attempted(api.device_count))
    if seen:
        return True
    built = f"PyTorch {framework(torch)['version']} is built for {BUILT_FOR[backend]}"
    hidden = [name for name in _HIDES if os.environ.get(name, "x").strip() in ("", "-1")]
    if hidden:
        _lacks(missing, f"{hidden[0]} hides every device from this process", f"unset {hidden[0]}")
    elif tool is None and kernel_driver() is None:
        _lacks(missing, f"{built}, and no driver of such a GPU answers", _ASK_DRIVER[backend])
    else:
        why = f": {_one_line(said[-1].message)}" if said else ""
        _lacks(missing, f"{built}, and sees no usable device{why}", _ASK_DRIVER[backend])
    return False


def _without_devices(torch: Any, backend: str | None, tool: SystemTool | None) -> dict[str, Any]:
    """What is known without a device that a framework drives."""
    told: dict[str, Any] = {
        **host_block(),
        "driver": (tool.driver() if tool is not None else None) or kernel_driver(),
    }
    if torch is not None:
        told["framework"] = framework(torch)
        told["libraries"] = libraries(torch, backend or "")
    if torch is not None and backend is not None:
        told.update(backend=backend, runtime=runtime(torch, backend))
    if tool is not None:
        told["devices"] = [{**each, "counted_by": tool.name} for each in tool.listed()]
    return {key: value for key, value in told.items() if value}


# --- Devices --------------------------------------------------------------------------------------


def _with_devices(
    torch: Any,
    backend: str,
    device: str | None,
    tool: SystemTool | None,
    missing: list[dict[str, str]],
) -> dict[str, Any]:
    api, kind = _api(torch, backend), "xpu" if backend == "xpu" else "cuda"
    count = int(attempted(api.device_count) or 0)
    indexes = range(count) if device is None else [_asked_index(device, kind, count, api)]
    if backend in _BINDING and tool is None:
        name, package = _BINDING[backend]
        what = f"{package} is not installed, so {name} tells nothing of processes, ECC and modes"
        _lacks(missing, what, f"python -m pip install {package}")
    readings = [_device_readings(api, kind, index, backend, tool) for index in indexes]
    block = environment_block(torch, backend, indexes, tool)
    block["devices"] = [each for each in block.get("devices", ()) if each["index"] in indexes]
    return {
        "environment": {key: value for key, value in block.items() if value},
        "readings": [each for each in readings if len(each) > 1],
    }


def _asked_index(device: str, kind: str, count: int, api: Any) -> int:
    read = _DEVICE_NAME.fullmatch(device)
    if read is None or read[1].replace("hip", "cuda") != kind:
        raise UnknownDevice(f"{device} is asked for, and this PyTorch drives {kind} devices")
    index = int(attempted(api.current_device) or 0) if read[2] is None else int(read[2])
    if index >= count:
        seen = f"{kind}:0 alone is" if count == 1 else f"{kind}:0 to {kind}:{count - 1} are"
        raise UnknownDevice(f"there is no {device}: {seen} visible to this process")
    return index


def _device_readings(
    api: Any, kind: str, index: int, backend: str, tool: SystemTool | None
) -> dict[str, Any]:
    """Free memory first: it makes the device know this process, by which the tool's list is judged."""
    free = whole(_free_bytes(api, index))
    told: dict[str, Any] = {"device": f"{kind}:{index}"}
    if tool is not None:
        uuid = uuid_of(api, index)
        use = tool.use(index if uuid is None else uuid, os.getpid())
        for key in ("process_device_bytes", "other_processes_bytes", "free_bytes"):
            if key in use:
                told[key] = {"bytes": use[key][0], "counter": use[key][1]}
    if "free_bytes" not in told and free is not None:
        told["free_bytes"] = {"bytes": free, "counter": f"{backend}_mem_get_info_free"}
    return told


def _free_bytes(api: Any, index: int) -> object:
    told = attempted(api.mem_get_info, index) if hasattr(api, "mem_get_info") else None
    return told[0] if isinstance(told, tuple) and told else None


def _api(torch: Any, backend: str) -> Any:
    return torch.xpu if backend == "xpu" else torch.cuda


def _lacks(missing: list[dict[str, str]], what: str, command: str) -> None:
    missing.append({"what": what, "command": command})


def _one_line(error: object) -> str:
    """The first line, without what names a person: a path is cut to the file's name."""
    lines = str(error).strip().splitlines()
    first = lines[0] if lines else type(error).__name__
    return re.sub(r"(?:[A-Za-z]:)?[/\\](?:[^\s/\\:'\"]+[/\\])+", "", first)[:300]


# --- resets -------------------------------------------------------------------------------------
#
# Resets of the peak counters that somebody else asks for while a phase runs (C3).
#
# Benchmarks and training libraries reset them between steps. A peak read afterwards would lie below the
# true one, so what the counters show is read first. PyTorch's native function is what every reset goes
# through, however a program imported it; it does what it always did, and is put back at the end.

NATIVE_RESETS = (
    "_cuda_resetPeakMemoryStats",
    "_xpu_resetPeakMemoryStats",
    "_accelerator_resetPeakStats",
)


class ResetWatch:
    """Calls `before` with a device's index in front of every reset, until `stop`."""

    def __init__(self, native: Any, before: Callable[[int], None]) -> None:
        self._native = native
        self._before = before
        self._put: dict[str, tuple[Any, Any]] = {}
        self._stopped = False
        for name in NATIVE_RESETS:
            reset = getattr(native, name, None)
            if reset is not None:
                self._put[name] = (reset, self._told_before(reset))
                setattr(native, name, self._put[name][1])

    def stop(self) -> None:
        """Put back what was there, where nobody has put something else on top."""
        self._stopped = True
        for name, (reset, mine) in self._put.items():
            if getattr(self._native, name, None) is mine:
                setattr(self._native, name, reset)

    def _told_before(self, reset: Callable[..., Any]) -> Callable[..., Any]:
        def tell_then_reset(*arguments: Any) -> Any:
            if not self._stopped and arguments and isinstance(arguments[0], int):
                self._before(arguments[0])
            return reset(*arguments)

        return tell_then_reset


# --- devices ------------------------------------------------------------------------------------
#
# The accelerators that a recorder reads: PyTorch's own four counters, per device (C1, C3, C9).
#
# CUDA and HIP/ROCm share `torch.cuda`; XPU has the same functions under `torch.xpu` (D8). There is no
# way here to measure on a CPU: such a result is never a GPU measurement (C10).


class NoDevice(Exception):  # noqa: N818 - a refusal that callers print, no defect
    """There is nothing to measure with; its text is one sentence."""


class Device(Protocol):
    """One accelerator. Counters are bytes; any of them may raise, and then that reading is absent (C2)."""

    name: str
    index: int
    place: str

    def synchronize(self) -> None:
        """Wait for all that was queued on the device."""

    def allocated(self) -> int:
        """`memory_allocated`."""

    def reserved(self) -> int:
        """`memory_reserved`."""

    def peak_allocated(self) -> int:
        """`max_memory_allocated` since the last reset."""

    def peak_reserved(self) -> int:
        """`max_memory_reserved` since the last reset."""

    def reset_peaks(self) -> None:
        """`reset_peak_memory_stats` of this very device; frees nothing."""

    def empty_cache(self) -> None:
        """Give unused blocks back to the driver; live tensors stay."""


class Devices(Protocol):
    """The measured devices of this process, with what is read outside the allocator."""

    all: tuple[Device, ...]
    fresh: bool

    def environment(self) -> dict[str, Any]:
        """The `environment` block of a record."""

    def use(self, device: Device) -> dict[str, tuple[int, str]]:
        """(bytes, counter) by key; what cannot be read has no key (C2, C5)."""


class TorchDevice:
    """One device through `torch.cuda` or `torch.xpu`."""

    def __init__(self, api: Any, kind: str, index: int) -> None:
        self._api = api
        self.index = index
        self.name = self.place = f"{kind}:{index}"

    def synchronize(self) -> None:
        """Every stream of the device."""
        self._api.synchronize(self.index)

    def allocated(self) -> int:
        """Bytes."""
        return self._counter("allocated_bytes.all.current")

    def reserved(self) -> int:
        """Bytes."""
        return self._counter("reserved_bytes.all.current")

    def peak_allocated(self) -> int:
        """Bytes."""
        return self._counter("allocated_bytes.all.peak")

    def peak_reserved(self) -> int:
        """Bytes."""
        return self._counter("reserved_bytes.all.peak")

    def reset_peaks(self) -> None:
        """Of this device alone."""
        self._api.reset_peak_memory_stats(self.index)

    def empty_cache(self) -> None:
        """Of the whole process: PyTorch has no narrower one."""
        self._api.empty_cache()

    def capturing(self) -> bool:
        """Whether a CUDA graph is being captured: a synchronization would fail, and spoil the capture."""
        try:
            return self._api.is_current_stream_capturing() is True
        except Exception:  # noqa: BLE001 - XPU and old versions have no such thing
            return False

    def _counter(self, name: str) -> int:
        """What `memory_allocated` and its kin return, but for the zero they make of a missing counter.

        Raises:
            KeyError: this allocator does not keep it, so it is missing (C2).
        """
        return int(self._api.memory_stats(self.index)[name])


class TorchDevices:
    """Devices of an imported PyTorch."""

    def __init__(self, torch: Any, kind: str, names: str | Sequence[str] | None) -> None:
        api = getattr(torch, kind)
        self._torch = torch
        self._backend = "hip" if kind == "cuda" and _hip(torch) else kind
        self.fresh = not api.is_initialized()
        # Before anything initialises the device: a tool tells this process by its arrival.
        self._tool = system_tool(self._backend)
        indexes = _indexes(names, kind, int(api.device_count()), api)
        self.all: tuple[Device, ...] = tuple(TorchDevice(api, kind, index) for index in indexes)
        self._uuids = {index: _uuid(api, index) for index in indexes}

    def environment(self) -> dict[str, Any]:
        """As the programs themselves say (A5)."""
        return environment_block(self._torch, self._backend, self.all, self._tool)

    def use(self, device: Device) -> dict[str, tuple[int, str]]:
        """By the system's own tool; PyTorch's free reading where there is none."""
        found = self.tool_use(device)
        if "free_bytes" not in found:
            found.update(_free(getattr(self._torch, device.name.split(":")[0]), device.index))
        return found

    def tool_use(self, device: Device) -> dict[str, tuple[int, str]]:
        """By the system's tool alone, which another thread may ask while the device works."""
        if self._tool is None:
            return {}
        key = self._uuids.get(device.index)
        return dict(self._tool.use(device.index if key is None else key, os.getpid()))

    def watch_resets(self, before: Callable[[int], None]) -> ResetWatch:
        """Call `before` in front of every reset of peaks in this process, until the watch is stopped."""
        return ResetWatch(getattr(self._torch, "_C", None), before)


def find_devices(names: str | Sequence[str] | None = None) -> Devices:
    """The devices named: `cuda:0`, `xpu:1`, several, `all`; None is the current one (LOCAL_RANK's).

    Raises:
        NoDevice: no PyTorch, no usable accelerator, or none of that name.
    """
    torch = _torch()
    return TorchDevices(torch, _kind(torch), names)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        if getattr(error, "name", None) == "torch":
            raise NoDevice(
                "PyTorch is not installed in this Python, so nothing can be measured"
            ) from None
        raise NoDevice(f"PyTorch cannot be imported: {_first_line(error)}") from None
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        raise NoDevice(f"PyTorch cannot be imported: {_first_line(error)}") from None
    return torch


def _kind(torch: Any) -> str:
    for kind in ("cuda", "xpu"):
        api = getattr(torch, kind, None)
        if api is not None and api.is_available():
            return kind
    version = getattr(torch, "__version__", "of unknown version")
    if not _built_for_any(torch):
        raise NoDevice(
            f"this PyTorch ({version}) is built for the CPU only, and a CPU is no GPU: nothing to measure"
        )
    raise NoDevice(
        f"PyTorch {version} sees no usable GPU on this machine, so nothing can be measured"
    )


def _built_for_any(torch: Any) -> bool:
    version = getattr(torch, "version", None)
    xpu = getattr(getattr(torch, "xpu", None), "_is_compiled", lambda: False)
    return bool(getattr(version, "cuda", None) or _hip(torch) or xpu())


def _hip(torch: Any) -> bool:
    return bool(getattr(getattr(torch, "version", None), "hip", None))


_NAME = re.compile(r"(cuda|hip|xpu)(?::([0-9]{1,3}))?")


def _indexes(names: str | Sequence[str] | None, kind: str, count: int, api: Any) -> list[int]:
    if count == 0:
        raise NoDevice("PyTorch sees no device, so nothing can be measured")
    if names == "all":
        return list(range(count))
    if names is None:
        local = os.environ.get("LOCAL_RANK", "")
        names = f"{kind}:{local}" if local.isdigit() else kind
    asked = [names] if isinstance(names, str) else list(names)
    found = [_index(name, kind, count, api) for name in asked]
    if not found:
        raise NoDevice("no device is named: write cuda:0, xpu:0 or all")
    if len(set(found)) != len(found):
        raise NoDevice(f"a device is named twice: {', '.join(asked)}")
    return found


def _index(name: str, kind: str, count: int, api: Any) -> int:
    read = _NAME.fullmatch(name)
    if read is None:
        raise NoDevice(f"{name[:60]!r} names no device to measure: write cuda:0, xpu:0 or all")
    if read[1].replace("hip", "cuda") != kind:
        raise NoDevice(f"{name} is asked for, and this machine's PyTorch drives {kind} devices")
    index = int(api.current_device()) if read[2] is None else int(read[2])
    if index >= count:
        last = "only cuda:0 is" if count == 1 else f"{kind}:0 to {kind}:{count - 1} are"
        raise NoDevice(f"there is no {name}: {last.replace('cuda', kind)} visible to this process")
    return index


def _uuid(api: Any, index: int) -> str | None:
    """As the system's tools spell it, where PyTorch tells."""
    try:
        told = getattr(api.get_device_properties(index), "uuid", None)
    except Exception:  # noqa: BLE001 - absent where it cannot be read
        return None
    if told is None:
        return None
    text = str(told)
    return text if text.startswith(("GPU-", "MIG-")) else f"GPU-{text}"


def _free(api: Any, index: int) -> dict[str, tuple[int, str]]:
    try:
        free, _ = api.mem_get_info(index)
    except Exception:  # noqa: BLE001 - absent where it cannot be read
        return {}
    return {"free_bytes": (int(free), "mem_get_info_free")}


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:300]


# --- places -------------------------------------------------------------------------------------
#
# Where a record goes: a name that no other process of the same run uses.


def rank_of() -> dict[str, int | str] | None:
    """Which process of a distributed run this is, by the launcher's variables; None for one alone."""
    world, rank = _count("WORLD_SIZE"), _count("RANK")
    if world is None or rank is None or world < 2:
        return None
    told: dict[str, int | str] = {"rank": rank, "world": world}
    local = _count("LOCAL_RANK")
    if local is not None:
        told["local_rank"] = local
    node = os.environ.get("GROUP_RANK") or os.environ.get("SLURM_NODEID")
    if node:
        told["node"] = node[:100]
    return told


def record_path(output: str | Path | None) -> Path:
    """The document's path; each rank its own, and a new name where none is given.

    It starts at the root, so that a program may change its folder meanwhile.

    Raises:
        ValueError: it names no file.
    """
    rank = rank_of()
    mark = "" if rank is None else f"-rank{rank['rank']}"
    if output is None:
        folder = Path(os.environ.get("FICHE_RUN_FOLDER") or ".").absolute()
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return _unused(folder, f"fiche-record-{stamp}-{os.getpid()}", mark)
    path = Path(output).absolute()
    if not Path(output).name or path.name == "..":
        raise ValueError(f"output names no file: {str(output)[:200]!r}")
    return path.with_name(f"{path.stem}{mark}{path.suffix}")


def _unused(folder: Path, stem: str, mark: str) -> Path:
    """A second recorder of one process within one second takes the next name."""
    number, free = 1, folder / f"{stem}{mark}.json"
    while os.path.lexists(free) or os.path.lexists(f"{free}.journal"):
        number += 1
        free = folder / f"{stem}-{number}{mark}.json"
    return free


def _count(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() and len(text) < 10 else None


# --- words --------------------------------------------------------------------------------------
#
# What a caller may say to a recorder: refused at the call, so that no record is unreadable weeks later.
#
# The bounds are those of the record's schema. A number that is no whole one is never rounded (C2).

_PHASE_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_FACT_NAME = re.compile(r"[a-z][A-Za-z0-9_]{0,59}")
_LARGEST = 2**63 - 1
_DEEPEST = 20
_KNOWN: set[str] = set()
_MOST_KNOWN = 10_000
_PASSES = (None, "first", "later")


class MisusedError(RuntimeError):
    """The recorder was called in an order that would make a record say what did not happen."""


def phase_word(name: Any) -> str:
    """The name of a phase.

    Raises:
        TypeError: it is no text.
        ValueError: it is no such name.
    """
    return _word(
        "the name of a phase", name, _PHASE_NAME, "a to z, 0 to 9 and _, from a letter, 60"
    )


def covered_words(names: Iterable[str] | None) -> list[str]:
    """Names of the phases that a loop goes through, each once.

    Raises:
        TypeError: one name instead of several, or no text.
        ValueError: one is no name of a phase.
    """
    if isinstance(names, str):
        raise TypeError(f"covers is a list of phases: write [{names!r}]")
    return list(dict.fromkeys(phase_word(name) for name in names or ()))


def pass_word(told: Any) -> str | None:
    """`first`, `later`, or None where the recorder tells by itself.

    Raises:
        ValueError: anything else.
    """
    if told not in _PASSES:
        raise ValueError(f"pass_ is 'first' or 'later', not {plain_text(told, 60)!r}")
    return None if told is None else str(told)


def dimension_words(told: Mapping[str, Any]) -> dict[str, int]:
    """Dimensions as exact counts, whoever's integers they are.

    Raises:
        TypeError: a value is no whole number.
        ValueError: a negative one, or no name of a dimension.
    """
    return {
        _known_or_word("the name of a dimension", name): (
            value if type(value) is int and 0 <= value <= _LARGEST else whole_word(str(name), value)
        )
        for name, value in told.items()
    }


def whole_word(name: str, value: Any) -> int:
    """A count: any integer from 0, NumPy's and PyTorch's too, but no truth value and no fraction.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is negative, or beyond 2^63.
    """
    if isinstance(value, bool):
        raise TypeError(f"{name} is a whole number, not {value}")
    try:
        count = operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"{name} is a whole number, not {plain_text(value, 60)} ({kind})") from None
    if not 0 <= count <= _LARGEST:
        raise ValueError(f"{name} is a whole number from 0 to 2^63 - 1, not {_shown(count)}")
    return count


def text_word(name: str, value: Any, most: int = 500) -> str:
    """A text that a record can hold.

    Raises:
        TypeError: it is no text.
        ValueError: it is empty, or too long.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is a text, not {plain_text(value, 60)} ({type(value).__name__})")
    if not 0 < len(value) <= most:
        raise ValueError(f"{name} has 1 to {most} letters, not {len(value)}")
    return value


def id_word(name: str, value: Any, pattern: str) -> str:
    """An id of a catalog or of a site.

    Raises:
        TypeError: it is no text.
        ValueError: it is no such id.
    """
    return _word(name, value, re.compile(pattern + "{0,99}"), f"of {pattern}, 100")


def fact_words(words: Mapping[str, Any], path: str = "workload", depth: int = 0) -> dict[str, Any]:
    """Nested words of a fiche: leaves are texts, whole numbers and truth values.

    Raises:
        TypeError: a leaf of another kind, such as None or a fraction.
        ValueError: a name, a text or a number that no record can hold.
    """
    if not isinstance(words, Mapping):
        raise TypeError(f"{path} is a dict of words, not {type(words).__name__}")
    if depth == _DEEPEST:
        raise ValueError(f"{path[:200]} is nested deeper than {_DEEPEST}")
    which = "letters, digits and _, from a small letter, 60"
    return {
        _word(f"a key of {path[:200]}", name, _FACT_NAME, which): _fact(
            f"{path}.{name}", value, depth
        )
        for name, value in words.items()
    }


def _fact(path: str, value: Any, depth: int) -> Any:
    if isinstance(value, Mapping):
        return fact_words(value, path, depth + 1)
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if len(value) <= 2000 else text_word(path[:200], value, 2000)
    try:
        number = operator.index(value)
    except TypeError:
        kind = f"{plain_text(value, 60)} ({type(value).__name__})"
        raise TypeError(
            f"{path[:200]} is a text, a whole number, a truth value or a dict of those, not {kind}"
        ) from None
    if not -_LARGEST - 1 <= number <= _LARGEST:
        raise ValueError(f"{path[:200]} is a whole number of 64 bits, not {_shown(number)}")
    return number


_PLAN = {"kind", "variable", "value", "index", "of", "digest"}
_KINDS = ("repeat_process", "vary", "frontier", "campaign")


def plan_words(plan: Any) -> dict[str, Any]:
    """The place of a series among trials that were planned together.

    Raises:
        TypeError: no dict, a key that no plan has, a value of another kind.
        ValueError: a kind or a number that no plan has.
    """
    if not isinstance(plan, Mapping):
        raise TypeError(f"plan is a dict, not {type(plan).__name__}")
    wrong = [*map(str, set(plan) - _PLAN), *({"kind", "index"} - set(plan))]
    if wrong:
        raise TypeError(
            f"a plan has kind and index, and may have {', '.join(sorted(_PLAN))}: see {sorted(wrong)[0]}"
        )
    if plan["kind"] not in _KINDS:
        raise ValueError(f"the kind of a plan is one of {', '.join(_KINDS)}")
    counts = ("index", "of")
    return {
        key: whole_word(f"plan {key}", value) if key in counts else text_word(f"plan {key}", value)
        for key, value in plan.items()
    }


def noted_words(words: Mapping[str, Any]) -> dict[str, Any]:
    """Further words as JSON will hold them, whatever becomes of the caller's own objects.

    Raises:
        TypeError: something that JSON has no form for.
        ValueError: not a number, infinity, a circle, or nested too deep.
    """
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(words), allow_nan=False))
    except RecursionError:
        raise ValueError("a note is nested too deep") from None
    return kept


def verdict_word(passed: Any) -> bool | None:
    """A truth value, a framework's too; None for what is neither true nor false, such as a text."""
    if passed is None or not hasattr(type(passed), "__bool__"):
        return None
    return bool(passed)


def plain_text(value: Any, most: int) -> str:
    """What `str` says, cut; a text about it where even that raises."""
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001 - a broken __str__ must not cost the phase
        return f"(its text cannot be had: {type(error).__name__})"
    return text[:most]


def _known_or_word(what: str, name: Any) -> str:
    """A loop names the same few phases and dimensions a million times."""
    if type(name) is str and name in _KNOWN:
        return name
    _word(what, name, _PHASE_NAME, "a to z, 0 to 9 and _, from a letter, 60")
    if len(_KNOWN) < _MOST_KNOWN:
        _KNOWN.add(name)
    return str(name)


def _word(what: str, value: Any, pattern: re.Pattern[str], rule: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {plain_text(value, 60)} ({type(value).__name__})")
    if pattern.fullmatch(value) is None:
        raise ValueError(f"{what} is made of {rule} at most: {value[:80]!r} is not")
    return value


def _shown(number: int) -> str:
    """Python refuses to print integers of many thousand digits."""
    return str(number) if number.bit_length() < 200 else f"one of {number.bit_length()} bits"


# --- heading ------------------------------------------------------------------------------------
#
# The head of a record: which program, which series, which environment, which workload (A1, A5, C7).

FRESH = "one fresh process per series"
RUNNING = "a series inside a running process"
_SERIES = ("order", "warmups", "repeats", "empty_cache", "seed", "run", "plan")
_TOP = ("gpu", "machine")
_IDS = {"gpu": "[a-z0-9][a-z0-9._-]", "machine": "[A-Za-z0-9][A-Za-z0-9._-]"}
_WORDS = frozenset((*_SERIES, *_TOP, "series", "protocol"))


def heading(
    path: Path, devices: Devices, workload: dict[str, Any], told: Mapping[str, Any]
) -> dict[str, Any]:
    """All keys of a record but its phases, out of words that `series_words` has let through."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "tool": {"name": NAME, "version": VERSION},
        "series": _series(path, devices, told),
        "environment": devices.environment(),
        "workload": workload,
    }
    head.update({key: told[key] for key in _TOP if told.get(key)})
    return head


def series_words(told: Mapping[str, Any]) -> dict[str, Any]:
    """Further words of a record, each checked; what is not told is left out.

    Raises:
        TypeError: a word that no record has, or of another kind.
        ValueError: one that no record can hold.
    """
    unknown = sorted(set(told) - _WORDS)
    if unknown:
        raise TypeError(f"a record has no {', '.join(unknown)}; it has {', '.join(sorted(_WORDS))}")
    return {key: _checked(key, value) for key, value in told.items() if _is_told(value)}


def _is_told(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and value == "")


def _checked(key: str, value: Any) -> Any:
    if key in ("warmups", "repeats", "seed"):
        return whole_word(key, value)
    if key == "plan":
        return plan_words(value)
    if key in _IDS:
        return id_word(key, value, _IDS[key])
    return text_word(key, value)


def _series(path: Path, devices: Devices, told: Mapping[str, Any]) -> dict[str, Any]:
    protocol = told.get("protocol") or (FRESH if devices.fresh else RUNNING)
    series: dict[str, Any] = {
        "id": identifier(told.get("series") or path.stem),
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "process": {"protocol": protocol, "pid": os.getpid()},
        "empty_cache": "never",
    }
    series.update({key: told[key] for key in _SERIES if key in told})
    series.setdefault("run", _surrounding_run())
    if series["run"]:
        series["run"] = identifier(str(series["run"]))
    else:
        del series["run"]
    plan = series.get("plan") or _surrounding_plan()
    if plan:
        series["plan"] = plan
    rank = rank_of()
    if rank is not None:
        series["rank"] = rank
    return series


def _surrounding_run() -> str:
    """The run that this process belongs to: `fiche run`'s, else the one that torchrun's ranks share."""
    elastic = os.environ.get("TORCHELASTIC_RUN_ID", "")
    return os.environ.get("FICHE_RUN_ID") or ("" if elastic == "none" else elastic)


def _surrounding_plan() -> dict[str, Any]:
    """The place among a campaign's jobs, as the campaign tells its job; none where that is no plan."""
    try:
        return dict(plan_words(json.loads(os.environ.get("FICHE_PLAN") or "null")))
    except (TypeError, ValueError):
        return {}


def identifier(text: str) -> str:
    """The text as an id: letters, digits, dot, dash and underscore, at most 100 of them."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100]
    return plain or "series"


# --- journal ------------------------------------------------------------------------------------
#
# A record on disk while it is made: a journal line by line, then one JSON document.
#
# Every line is appended, flushed and synced before the next step runs, so that a kill, an exhausted
# device or a power cut loses no finished phase (C11). Nothing that exists is overwritten (C10).


def journal_of(path: Path) -> Path:
    """Where the journal of a document lies: beside it, `m.json.journal`."""
    return path.with_name(path.name + ".journal")


class Journal:
    """Lines that are safe once `write` has returned, and the document that takes their place.

    Raises:
        FileExistsError: the document or its journal is there already.
        OSError: the folder cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = journal_of(path)
        if os.path.lexists(path):
            raise FileExistsError(
                17, "it exists already, and no measurement is overwritten", str(path)
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(self.journal, flags, 0o644)
        self._good = 0
        _sync_folder(path.parent)

    def write(self, event: dict[str, Any]) -> None:
        """Append one line and see it on disk; where it does not fit, nothing of it stays.

        An interruption leaves the line whole or takes it back, too.

        Raises:
            OSError: the disk is full or gone; the lines before it stand.
        """
        line = (json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n").encode(
            "utf-8", "replace"
        )
        try:
            _write_whole(self._file, line)
            os.fsync(self._file)
        except OSError as error:
            self._take_back()
            raise OSError(error.errno, error.strerror, str(self.journal)) from None
        except BaseException:
            if os.fstat(self._file).st_size == self._good + len(line):
                self._good += len(line)
            else:
                self._take_back()
            raise
        self._good += len(line)

    def _take_back(self) -> None:
        with contextlib.suppress(OSError):
            os.ftruncate(self._file, self._good)
            os.lseek(self._file, self._good, os.SEEK_SET)

    def finish(self, document: dict[str, Any]) -> Path:
        """Write the document whole beside the journal, then take the journal away.

        Raises:
            OSError: it cannot be written; the journal stays and holds the same.
        """
        os.close(self._file)
        partial = self.path.with_name(f".{self.path.name[:40]}.{os.getpid()}.partial")
        try:
            _write_file(partial, document)
            _place(partial, self.path)
        except OSError as error:
            text = f"{error.strerror}; {self.journal} holds all that was measured"
            raise OSError(error.errno, text, str(self.path)) from None
        finally:
            with contextlib.suppress(OSError):
                partial.unlink()
        with contextlib.suppress(OSError):  # both hold the same
            self.journal.unlink()
        _sync_folder(self.path.parent)
        return self.path

    def discard(self) -> None:
        """Take an empty journal away: nothing was measured."""
        with contextlib.suppress(OSError):
            os.close(self._file)
        with contextlib.suppress(OSError):
            self.journal.unlink()


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _write_file(path: Path, document: dict[str, Any]) -> None:
    """In pieces, so that a record of very many phases does not stand in memory twice."""
    with contextlib.suppress(OSError):
        path.unlink()  # what an earlier process of this very id left; never written through a link
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    file = os.open(path, flags, 0o644)
    try:
        for piece in _pieces(document):
            _write_whole(file, piece)
        os.fsync(file)
    finally:
        os.close(file)


def _pieces(document: dict[str, Any]) -> Iterator[bytes]:
    """The same bytes as of `json.dumps`, some 100 KB each."""
    parts = json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(document)
    while True:
        piece = "".join(itertools.islice(parts, 10_000))
        if not piece:
            break
        yield piece.encode("utf-8", "replace")
    yield b"\n"


def _place(partial: Path, path: Path) -> None:
    """A link refuses an existing name, which a rename would replace; some file systems have no links."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise FileExistsError(
            17, "it has appeared meanwhile, and is not overwritten", str(path)
        ) from None
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(17, "it exists already", str(path)) from None
        partial.rename(path)


def _sync_folder(folder: Path) -> None:
    """So that the name is as safe as the content; where the system knows no such thing, as it is."""
    with contextlib.suppress(OSError):
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


# --- outside ------------------------------------------------------------------------------------
#
# What a process holds on a device beside its allocator's reserve: context, kernels, libraries (C5).
#
# Nothing counts its peak, so a peak is told only where it cannot well have been larger. A driver keeps
# contexts, kernels and library buffers until the process ends: this part grows, and a phase's last level
# is its largest. Samples hold that against what happened. Too few of them, too far apart, one that lies
# below an earlier one, or one below the reserve itself, and no peak is told.

FEWEST_SAMPLES = 3
LONGEST_GAP_NS = 1_000_000_000


class Outside:
    """Looks at the part outside, each a process reading and a reserve that held still around it."""

    def __init__(self) -> None:
        self.num_samples = 0
        self._largest = -1
        self._where = ""
        self._has_start = False
        self._fell = False
        self._below = False
        self._last_ns: int | None = None
        self._longest_ns = 0

    def watch_from(self, now_ns: int) -> None:
        """The phase begins: from here on no moment goes unwatched unnoticed."""
        self._last_ns = now_ns

    def look(self, used: int, reserved: int, where: str, now_ns: int) -> None:
        """One look: `start`, `sampled_max` or `current` (the end)."""
        if self._last_ns is not None:
            self._longest_ns = max(self._longest_ns, now_ns - self._last_ns)
        self._last_ns = now_ns
        self.num_samples += where == "sampled_max"
        self._has_start = self._has_start or where == "start"
        if used < reserved:
            self._below = True
            return
        if used - reserved < self._largest:
            self._fell = True
        elif used - reserved > self._largest or where == "current":
            self._largest, self._where = used - reserved, where

    def told(self, counter: str) -> dict[str, Any]:
        """The record's entry, once the end was looked at: the largest look, and what it is."""
        doubt = self._doubt()
        how = f"{counter} - memory_reserved, the largest at {self._looks()}"
        return {
            "bytes": self._largest,
            "stat": self._where if doubt else "peak",
            "how": f"{how}; no peak: {doubt}" if doubt else how,
        }

    def _looks(self) -> str:
        start = "start, " if self._has_start else ""
        if self.num_samples == 0:
            return "start and end" if start else "the end"
        gap = -(-self._longest_ns // 1_000_000)
        return f"{start}end and {self.num_samples} samples, at most {gap} ms apart"

    def _doubt(self) -> str:
        """Why the largest look is no peak; empty where it is one."""
        if self.num_samples < FEWEST_SAMPLES:
            return "too few samples" if self.num_samples else "no samples"
        if self._longest_ns > LONGEST_GAP_NS:
            return "too long unwatched"
        if self._below:
            return "a sample lay below the reserve"
        return "it fell on the way, so samples may have missed more" if self._fell else ""


# --- levels -------------------------------------------------------------------------------------
#
# Readings of one device over one phase, and peaks that no inner phase takes away (C1 to C4).
#
# A peak counter runs since its last reset. Before an inner phase resets it, the value so far is folded
# into every phase that is open; at its end, an outer phase's peak is the largest over its parts. Every
# part was read after a synchronization, and peaks are absolute levels, so nothing is lost or invented.

Use = dict[str, tuple[int, str]]
_COUNTERS = ("allocated_bytes", "reserved_bytes")


class Peaks:
    """The largest of each counter over the parts of a phase; lost once one part could not be read."""

    def __init__(self) -> None:
        self._largest: dict[str, int] = {}
        self._lost: set[str] = set()

    def fold(self, part: dict[str, int]) -> None:
        """Take in what one part showed; a counter that it lacks is unknown from then on (C2)."""
        for counter in _COUNTERS:
            if counter in part:
                self._largest[counter] = max(part[counter], self._largest.get(counter, 0))
            else:
                self._lost.add(counter)

    def told(self) -> dict[str, int]:
        """The peaks that are known."""
        return {name: peak for name, peak in self._largest.items() if name not in self._lost}

    def lose(self, counter: str) -> None:
        """It is unknown from now on."""
        self._lost.add(counter)


class DevicePeriod:
    """What one device shows over one phase."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.peaks = Peaks()
        self.start: dict[str, int] = {}
        self.end: dict[str, int] = {}
        self.use_start: Use = {}
        self.use_end: Use = {}
        self.sampled: int | None = None
        self.outside = Outside()
        self.is_running = False
        self._ended = False
        self.unread: dict[str, str] = {}

    def run(self) -> None:
        """Steps 2 and 3 are done: what is read from here on is of this phase."""
        self.outside.watch_from(time.monotonic_ns())
        self._look(self.use_start, self.start, "start")
        self.is_running = True

    def stop(self) -> None:
        """The phase has ended; a sample that is still on its way is not of it."""
        self.is_running = False

    def read_end(self, use: Callable[[Device], Use]) -> None:
        """Step 5, after the peaks: the final levels, and what the whole process holds."""
        self.end = self.levels()
        self.use_end = use(self.device)
        self._look(self.use_end, self.end, "current")

    def levels(self) -> dict[str, int]:
        """Allocated and reserved now: two counters, never added (C3)."""
        return self._read(
            {"allocated_bytes": self.device.allocated, "reserved_bytes": self.device.reserved}
        )

    def reset(self) -> None:
        """Reset the peaks of this device; where that fails, they are not this phase's, and are left out."""
        try:
            self.device.reset_peaks()
        except Exception as error:  # noqa: BLE001 - as any reading that fails
            self.unread["reset_peaks"] = f"{type(error).__name__}: {plain_text(error, 300)}"[:300]
            self.peaks.fold({})

    def running_peaks(self) -> dict[str, int]:
        """Peaks since the last reset, whoever asked for it."""
        return self._read(
            {
                "allocated_bytes": self.device.peak_allocated,
                "reserved_bytes": self.device.peak_reserved,
            }
        )

    def sample(self, used: int, reserved: int | None) -> None:
        """Take in one reading of the whole process made while the phase ran.

        `reserved` is None where the reserve moved meanwhile: it says nothing of the part outside.
        """
        self.sampled = used if self.sampled is None else max(self.sampled, used)
        if reserved is not None:
            self.outside.look(used, reserved, "sampled_max", time.monotonic_ns())

    def _look(self, use: Use, levels: dict[str, int], where: str) -> None:
        used, reserved = use.get(_USED), levels.get("reserved_bytes")
        if used is not None and reserved is not None:
            self._ended = where == "current"
            self.outside.look(used[0], reserved, where, time.monotonic_ns())

    def _read(self, counters: dict[str, Callable[[], int]]) -> dict[str, int]:
        found = {}
        for name, read in counters.items():
            try:
                found[name] = int(read())
            except Exception as error:  # noqa: BLE001 - a reading that fails is missing, never zero
                self.unread[name] = f"{type(error).__name__}: {plain_text(error, 300)}"[:300]
        return found

    def entry(self, period_ms: int) -> dict[str, Any]:
        """The record's entry: what was not read has no key."""
        self._doubt_peaks()
        entry: dict[str, Any] = {"device": self.device.name}
        for key, levels in (("start", self.start), ("peak", self.peaks.told()), ("end", self.end)):
            if levels:
                entry[key] = levels
        entry.update(self._process(period_ms))
        entry.update(self._outside())
        for key in ("other_processes_bytes", "free_bytes"):
            told = _larger(self.use_start.get(key), self.use_end.get(key), key)
            if told is not None:
                entry[key] = {"bytes": told[0], "counter": told[1]}
        if self.unread:
            entry["extra"] = {"unread": dict(self.unread)}
        return entry

    def _process(self, period_ms: int) -> dict[str, Any]:
        """Device use of the process. A lifetime's peak is this phase's where it rose during it."""
        start, end = self.use_start.get(_USED), self.use_end.get(_USED)
        peak = self._own_peak()
        known = peak or start or end
        told: dict[str, Any] = {} if known is None else {"counter": known[1]}
        if start is not None:
            told["start"] = start[0]
        if peak is not None:
            told["peak"] = peak[0]
        if self.sampled is not None and known is not None:
            told.update(sampled_max=self.sampled, period_ms=period_ms)
        if end is not None:
            told["end"] = end[0]
        return {"process_device_bytes": told} if len(told) > 1 else {}

    def _own_peak(self) -> tuple[int, str] | None:
        """It rose during the phase, or the process held nothing before; and no level lies above it."""
        before, after = self.use_start.get(_PEAK), self.use_end.get(_PEAK)
        if after is None or (before is None and _USED in self.use_start):
            return None
        if before is not None and after[0] <= before[0]:
            return None
        used = [use[_USED][0] for use in (self.use_start, self.use_end) if _USED in use]
        if after[0] < max([*used, self.sampled or 0]):
            self.unread[_PEAK] = f"{after[1]} says {after[0]}, below a level of the phase"
            return None
        return after

    def _doubt_peaks(self) -> None:
        """A peak below a level of its own period is none: somebody reset the counter unseen."""
        for name, peak in self.peaks.told().items():
            if peak < max(self.start.get(name, 0), self.end.get(name, 0)):
                self.peaks.lose(name)
                self.unread[f"peak {name}"] = f"the counter says {peak}, below a level of the phase"

    def _outside(self) -> dict[str, Any]:
        """Of a process reading that lies below the reserve nothing is told: it is not of this process."""
        used, reserved = self.use_end.get(_USED), self.end.get("reserved_bytes")
        if used is None or reserved is None or used[0] < reserved:
            return {}
        if not self._ended:  # a reader of its own, which set the levels itself
            self._look(self.use_end, self.end, "current")
        return {"outside_allocator_bytes": self.outside.told(used[1])}


_USED, _PEAK = "process_device_bytes", "process_device_peak"


def _larger(
    one: tuple[int, str] | None, other: tuple[int, str] | None, key: str
) -> tuple[int, str] | None:
    """Others' use at its most, free memory at its least: the cautious side of two checkpoints."""
    told: list[tuple[int, str]] = [reading for reading in (one, other) if reading is not None]
    if not told:
        return None
    return min(told) if key == "free_bytes" else max(told)


# --- seen ---------------------------------------------------------------------------------------
#
# What was really executed: shapes, dtypes and places of tensors, read off the tensors (A1, A3).

MOST_TENSORS = 64


def tensors_seen(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One entry a tensor: name, shape, dtype, kind of device; containers are looked into.

    Anything with a `shape` and a `dtype` is a tensor here, so that no framework is imported.
    """
    found: list[dict[str, Any]] = []
    for name, value in named.items():
        for entry in _tensors(name, value, 0):
            if len(found) == MOST_TENSORS:
                return found
            found.append(entry)
    return found


def _tensors(name: str, value: Any, depth: int) -> Iterator[dict[str, Any]]:
    entry = _entry(name, value)
    if entry is not None:
        yield entry
    elif depth < 3 and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _tensors(f"{name}.{plain_text(key, 100)}", inner, depth + 1)
    elif depth < 3 and isinstance(value, (list, tuple)):
        for place, inner in enumerate(value):
            yield from _tensors(f"{name}.{place}", inner, depth + 1)


def _entry(name: str, tensor: Any) -> dict[str, Any] | None:
    """None of what is no tensor, and of one whose shape is not made of whole numbers."""
    try:
        shape = [whole_word("length", length) for length in tensor.shape]
        dtype = str(tensor.dtype).replace("torch.", "")[:500]
    except Exception:  # noqa: BLE001 - whatever an object that only looks like a tensor raises
        return None
    if not dtype or len(shape) > MOST_TENSORS:
        return None
    entry: dict[str, Any] = {"name": name[:500] or "tensor", "shape": shape, "dtype": dtype}
    place = getattr(getattr(tensor, "device", None), "type", None)
    if place:
        entry["place"] = plain_text(place, 500)
    return entry


# --- phase --------------------------------------------------------------------------------------
#
# One phase: name and inputs, synchronize and read, reset, run, synchronize and read, keep (C1).

if TYPE_CHECKING:
    from types import TracebackType


Function = TypeVar("Function", bound=Callable[..., Any])


class Phase:
    """A context manager, a decorator, or by hand: `begin`, then `end` or `fail`.

    Inside a whole loop it is passive: it neither synchronizes nor resets, and gives the loop its name
    and dimensions (C8).
    """

    def __init__(self, recorder: Recorder, name: str, ordering: str, **given: Any) -> None:
        self._recorder = recorder
        self._given = given
        self.name = phase_word(name)
        self.ordering = ordering
        self.covers = covered_words(given["covers"])
        self.forced_pass = pass_word(given["pass_"])
        self.check: Callable[[Any], Any] | None = given["check"]
        if self.check is not None and not callable(self.check):
            raise TypeError(f"check is a function of the result, not {type(self.check).__name__}")
        self.declared = dimension_words(given["declared"])
        self.ran: dict[str, int] = {}
        self.tensors: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.notes: dict[str, Any] = {}
        self.is_over = False
        self._has_begun = False
        self._result: Any = None
        self._has_result = False

    def begin(self) -> Phase:
        """Steps 1 to 3: note the inputs, synchronize and read, reset the peaks.

        Raises:
            MisusedError: the phase has begun before, or a CUDA graph is being captured.
            OSError: the journal cannot be written.
            Exception: what the synchronization raised; earlier work failed, and the record says so.
        """
        if self._has_begun:
            raise MisusedError(
                f"this phase {self.name} has begun before: make another for another run of it"
            )
        self._recorder.begin(self)
        return self

    def take_off(self) -> None:
        """Note that it runs: an object is one phase, and what it was told belongs to that one."""
        self._has_begun = True

    def end(self) -> None:
        """Steps 5 and 6 after a success.

        Raises:
            MisusedError: it is not the innermost phase that runs.
            OSError: the journal cannot be written.
            Exception: what the synchronization raised; the phase is kept as a failure.
        """
        self._recorder.end(self, None)

    def fail(self, error: BaseException) -> None:
        """Steps 5 and 6 after an exception, which the caller goes on to raise (C11).

        Raises:
            TypeError: it is no exception.
        """
        if not isinstance(error, BaseException):
            raise TypeError(f"a phase fails with an exception, not {plain_text(error, 60)!r}")
        self._recorder.end(self, error)

    def executed(self, **dimensions: int) -> None:
        """What really ran, after tokenizing, padding, grouping, resizing: only this counts (A3).

        Raises:
            TypeError: a dimension is no whole number: none is rounded.
            ValueError: a negative one, or no name of a dimension.
            MisusedError: the phase is over, and what it says is on disk.
        """
        self._still()
        self.ran.update(dimension_words(dimensions))

    def saw(self, **tensors: Any) -> None:
        """Note shapes, dtypes and places of tensors that were executed."""
        self._still()
        self.tensors.extend(tensors_seen(tensors))

    def note(self, **words: Any) -> None:
        """Keep further words beside the phase, as JSON: no reader takes them for a reading.

        Raises:
            TypeError: something that JSON has no form for.
            ValueError: not a number, or infinity.
        """
        self._still()
        self.notes.update(noted_words(words))

    def output(self, passed: bool, method: str) -> None:
        """Say whether the output was right, and how that was looked at (C14).

        Raises:
            TypeError: `passed` is neither true nor false.
            MisusedError: the phase is over.
        """
        self._still()
        told = verdict_word(passed)
        if told is None:
            raise TypeError(f"passed is True or False, not {plain_text(passed, 60)!r}")
        method = text_word("method", method, sys.maxsize)[:500]
        self.checks.append({"status": "checked", "passed": told, "method": method})

    def result(self, value: Any) -> None:
        """Hand over what `check` looks at once the phase has been read: outside the measured period."""
        self._still()
        self._result, self._has_result = value, True

    def checked(self) -> None:
        """Run the check on the result, and let go of it."""
        value, self._result = self._result, None
        if self.check is None or not self._has_result:
            return
        method = _named_check(self.check)
        try:
            told = self.check(value)
            passed = verdict_word(told)
        except Exception as error:  # noqa: BLE001 - a check that raises has not passed
            text = f"{method} raised {type(error).__name__}: {plain_text(error, 400)}"
            self.output(False, text)
            return
        if passed is None:
            self.output(False, f"{method} returned {plain_text(told, 100)}, neither True nor False")
        else:
            self.output(passed, method)

    def _still(self) -> None:
        if self.is_over:
            raise MisusedError(f"the phase {self.name} is over, and what it says is on disk")

    def __enter__(self) -> Phase:
        return self.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.end()
        else:
            self.fail(error)

    def __call__(self, function: Function) -> Function:
        """Every call of the function is a phase of its own; its result goes to the check.

        Raises:
            TypeError: calling it only makes a coroutine or a generator, which runs after the phase.
        """
        if any(test(function) for test in _LATER):
            raise TypeError(
                "calling this function only makes a coroutine or a generator, which runs later: "
                "write `with rec.phase(...)` inside it"
            )

        @functools.wraps(function)
        def phased(*args: Any, **kwargs: Any) -> Any:
            with Phase(self._recorder, self.name, self.ordering, **self._given) as phase:
                returned = function(*args, **kwargs)
                phase.result(returned)
            return returned

        return phased  # type: ignore[return-value]


def start_of(
    phase: Phase, index: int, passed: str, case: str, parent: int | None
) -> dict[str, Any]:
    """What the journal says before the phase runs."""
    told: dict[str, Any] = {
        "index": index,
        "name": phase.name,
        "pass": passed,
        "ordering": phase.ordering,
    }
    if phase.covers:
        told["covers"] = list(dict.fromkeys(phase.covers))
    if case:
        told["case"] = case
    if phase.declared:
        told["declared"] = dict(phase.declared)
    if parent is not None:
        told["parent"] = parent
    return told


def check_of(checks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One check out of several: passed only where all did."""
    if not checks:
        return {"status": "not_checked"}
    methods = list(dict.fromkeys(check["method"] for check in checks))
    return {
        "status": "checked",
        "passed": all(check["passed"] for check in checks),
        "method": "; ".join(methods)[:500],
    }


def error_of(error: BaseException, surfaced: str) -> dict[str, Any]:
    """The exception as it was: its type by its full name, its whole message."""
    kind = type(error)
    module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    message = plain_text(error, LONGEST_MESSAGE + 1)
    told: dict[str, Any] = {
        "type": f"{module}{kind.__qualname__}"[:500],
        "message": message[:LONGEST_MESSAGE],
        "surfaced": surfaced,
    }
    if len(message) > LONGEST_MESSAGE:
        told["extra"] = {
            "cut": f"the message is longer: these are its first {LONGEST_MESSAGE} letters"
        }
    return told


LONGEST_MESSAGE = 100_000
_LATER = (
    inspect.iscoroutinefunction,
    inspect.isgeneratorfunction,
    inspect.isasyncgenfunction,
)


def _named_check(check: Callable[[Any], Any]) -> str:
    name = plain_text(getattr(check, "__name__", "check"), 100).strip("_").replace("_", " ")
    return name or "check"


# --- inside -------------------------------------------------------------------------------------
#
# What the phases inside a whole loop tell of it: names, dimensions, tensors, checks (A3, C8).
#
# A success covers every smaller case, so the dimensions of a loop must have run together. Where no run
# of a part is the largest in every dimension at once, the one with the largest product stands.

MOST_INSIDE = 64
RanTogether = dict[str, int]


class Inside:
    """The passive phases of one loop."""

    def __init__(self) -> None:
        self.running: list[Phase] = []
        self.names: list[str] = []
        self.failed: dict[str, str] = {}
        self.failed_in = ""
        self._ran: dict[tuple[str, ...], list[RanTogether]] = {}
        self._failed_ran: list[RanTogether] = []

    def take(self, loop: Phase, inner: Phase, error: BaseException | None) -> None:
        """One has ended; where it failed, a loop that goes on does not cover it (C11)."""
        if inner.name not in self.names:
            self.names.append(inner.name)
        _largest_into(loop.declared, inner.declared)
        if error is not None:
            self.failed_in = self.failed_in or inner.name
            told = f"{type(error).__name__}: {plain_text(error, 400)}"
            self.failed.setdefault(inner.name, told)
            self._failed_ran = [*self._failed_ran[-MOST_INSIDE:], dict(inner.ran)]
        elif inner.ran:
            _keep(self._ran.setdefault((inner.name, *inner.ran), []), inner.ran)
        _beside(loop, inner)

    def executed(self, succeeded: bool) -> RanTogether:
        """Of a success what ran together; of a failure the largest of all, at which it failed."""
        found: RanTogether = {}
        if succeeded:
            chosen = [max(kept, key=_product) for kept in self._ran.values()]
            apart = {name for kept in self._ran.values() for name in _apart(kept)}
        else:
            chosen = [*(ran for kept in self._ran.values() for ran in kept), *self._failed_ran]
            apart = set()
        for ran in chosen:
            for name, length in ran.items():
                least = name in apart
                so_far = found.get(name, length)
                found[name] = min(length, so_far) if least else max(length, so_far)
        return found

    def apart(self) -> list[dict[str, int]]:
        """Runs of one part of which none is the largest in every dimension."""
        return [ran for kept in self._ran.values() if len(kept) > 1 for ran in kept]


def _keep(kept: list[RanTogether], ran: RanTogether) -> None:
    """Only what no other run is at least as large as, in every dimension."""
    if ran in kept:
        return
    if any(all(ran[name] <= other[name] for name in ran) for other in kept):
        return
    kept[:] = [other for other in kept if any(other[name] > ran[name] for name in ran)]
    if len(kept) < MOST_INSIDE:
        kept.append(dict(ran))


def _apart(kept: list[RanTogether]) -> list[str]:
    return [name for name in kept[0] if len({ran[name] for ran in kept}) > 1]


def _product(ran: RanTogether) -> int:
    return math.prod(ran.values())


def _largest_into(mine: RanTogether, its: RanTogether) -> None:
    for name, length in its.items():
        if length > mine.get(name, -1):
            mine[name] = length


def _beside(loop: Phase, inner: Phase) -> None:
    """Tensors, checks and notes: each once, and no more than a reader can use."""
    if inner.tensors and len(loop.tensors) < MOST_INSIDE:
        known = {(seen["name"], tuple(seen["shape"]), seen["dtype"]) for seen in loop.tensors}
        for seen in inner.tensors:
            if (seen["name"], tuple(seen["shape"]), seen["dtype"]) not in known:
                loop.tensors.append(seen)
        del loop.tensors[MOST_INSIDE:]
    for check in inner.checks:
        # One that has not passed is never left out: it alone decides.
        if check not in loop.checks and (len(loop.checks) < MOST_INSIDE or not check["passed"]):
            loop.checks[MOST_INSIDE - 1 :] = [check]
    loop.notes.update(inner.notes)


# --- opened -------------------------------------------------------------------------------------
#
# A phase while it runs: its line of the journal, what each device shows, and what is told at its end (C1).


class Open:
    """One phase that has begun and has not ended."""

    def __init__(self, phase: Phase, start: dict[str, Any], devices: Sequence[Device]) -> None:
        self.phase = phase
        self.start = start
        self.periods = [DevicePeriod(device) for device in devices]
        self.inside = Inside()
        self._began = 0

    def begin(self, outer: Sequence[Open], use: Callable[[Device], Use]) -> None:
        """Steps 2 and 3: all devices are waited for, then all are read, then all are reset.

        Raises:
            Exception: what a synchronization raised.
        """
        for period in self.periods:
            period.device.synchronize()
        for place, period in enumerate(self.periods):
            period.start = period.levels()
            period.use_start = use(period.device)
            for around in outer:
                around.periods[place].peaks.fold(period.running_peaks())
        for period in self.periods:
            period.reset()
            period.run()
        self._began = time.monotonic_ns()

    def synchronized(self) -> Exception | None:
        """Wait for every device, also after one that failed; the first error."""
        failed = None
        for period in self.periods:
            try:
                period.device.synchronize()
            except Exception as error:  # noqa: BLE001 - kept as the phase's failure
                failed = failed or error
        return failed

    def elapsed_ns(self) -> int:
        """Since it began to run."""
        return time.monotonic_ns() - self._began

    def read_end(self, outer: Sequence[Open], use: Callable[[Device], Use]) -> None:
        """Step 5: peaks, for this phase and those around it, then levels."""
        for place, period in enumerate(self.periods):
            period.stop()
            part = period.running_peaks()
            for each in (*outer, self):
                each.periods[place].peaks.fold(part)
            period.read_end(use)

    def stop(self) -> None:
        """No sample is of it any more."""
        for period in self.periods:
            period.stop()

    def end_passive(self, phase: Phase, error: BaseException | None) -> None:
        """A phase inside this loop has ended: nothing is read (C8)."""
        self.inside.running.remove(phase)
        try:
            phase.checked()
        finally:
            phase.is_over = True
            self.inside.take(self.phase, phase, error)

    def told(
        self, error: BaseException | None, surfaced: str, duration_ns: int, period_ms: int
    ) -> dict[str, Any]:
        """The record's phase; what did not happen has no key (C2)."""
        phase = self.phase
        told = dict(self.start)
        if phase.ordering == "whole_loop":
            told["covers"] = self._covered(error is None) or [phase.name]
        ran = {**self.inside.executed(error is None), **phase.ran}
        told.update({k: dict(v) for k, v in (("declared", phase.declared), ("executed", ran)) if v})
        told["outcome"] = "success" if error is None else "failure"
        told["devices"] = [period.entry(period_ms) for period in self.periods]
        if surfaced != "at_start":
            told["duration_ns"] = duration_ns
        if phase.tensors:
            told["tensors"] = phase.tensors[:64]
        told["output_check"] = check_of(phase.checks)
        extra = {**phase.notes, **self._aside()}
        if extra:
            told["extra"] = extra
        if error is not None:
            told["error"] = error_of(error, surfaced)
            if self.inside.failed_in:
                told["error"].setdefault("extra", {})["phase"] = self.inside.failed_in
        return told

    def _covered(self, succeeded: bool) -> list[str]:
        """What a loop goes through; one that went on after a part had failed does not cover that part."""
        names = dict.fromkeys((*self.phase.covers, *self.inside.names))
        return [name for name in names if not (succeeded and name in self.inside.failed)]

    def _aside(self) -> dict[str, Any]:
        """What happened inside a loop that its dimensions and its outcome do not tell."""
        told = {"failed_inside": self.inside.failed, "executed_apart": self.inside.apart()}
        return {key: value for key, value in told.items() if value}


# --- sampler ------------------------------------------------------------------------------------
#
# Samples of what the whole process holds on a device, taken beside a running phase (C5).
#
# A sampled maximum is at most the true peak, and the record says so by its name and its period.


class Sampler:
    """A thread that reads while a phase is open; it asks the system's tool, and never the device itself."""

    def __init__(
        self, devices: Devices, open_periods: Callable[[Device], list[DevicePeriod]], period_ms: int
    ) -> None:
        self.period_ms = period_ms
        self.patience_s = 5.0
        self._devices = devices
        self._open = open_periods
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it runs already."""
        if self.period_ms <= 0 or self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="fiche-sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the sample in progress, but not for ever."""
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=self.patience_s)

    def _run(self) -> None:
        while not self._done.wait(self.period_ms / 1000):
            for device in self._devices.all:
                with contextlib.suppress(Exception):
                    self._sample(device)

    def _sample(self, device: Device) -> None:
        periods = [period for period in self._open(device) if period.is_running]
        if not periods:
            return
        before = _reserve(device)
        used = self._used(device)
        after = _reserve(device)
        for period in periods:
            # One that ended meanwhile was read at its end: this sample may be of what came after.
            if used is not None and period.is_running:
                period.sample(used, before if before == after else None)

    def _used(self, device: Device) -> int | None:
        read = getattr(self._devices, "tool_use", self._devices.use)
        told = read(device).get("process_device_bytes")
        return None if told is None else int(told[0])


def _reserve(device: Device) -> int | None:
    try:
        return device.reserved()
    except Exception:  # noqa: BLE001 - a reading that fails is missing
        return None


# --- recorder -----------------------------------------------------------------------------------
#
# The recorder: phases of any program, kept on disk as they finish (C1 to C11).
#
# Nothing is reset outside a phase. A phase resets the peak counters of the measured devices when it
# begins and leaves them running when it ends; memory that the program holds is never freed, and the
# allocator's cache is emptied only where the policy of the series says so.

__all__ = ["MisusedError", "Recorder", "recorder"]


class Recorder:
    """Writes one record of one series: one process, one order of trials, one policy (C7)."""

    def __init__(
        self, path: Path, devices: Devices, header: dict[str, Any], case: str, sample_ms: int
    ) -> None:
        self.path = path
        self.devices = devices
        self._header = header
        self._case = case
        self._journal = Journal(path)
        self._owner = (os.getpid(), threading.get_ident())
        self._open: list[Open] = []
        self._finished: list[dict[str, Any]] = []
        self._left: list[dict[str, Any]] = []
        self._seen: set[str] = set()
        self._index = 0
        self._closed = False
        self._sampler = Sampler(devices, self._periods_of, sample_ms)
        try:
            self._journal.write({"event": "header", **header})
        except BaseException:
            self._journal.discard()  # nothing was measured, and the name stays free
            raise
        watch = getattr(devices, "watch_resets", None)
        self._resets = None if watch is None else watch(self._before_reset)
        atexit.register(self.close)

    def phase(
        self,
        name: str,
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """A phase with the dimensions asked for; `pass_` is told by itself: first, then later.

        Raises:
            TypeError: a word of another kind; a dimension is a whole number.
            ValueError: a name or a number that no record can hold.
        """
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "phased", **given)

    def whole_loop(
        self,
        name: str = "loop",
        *,
        covers: Iterable[str] | None = None,
        pass_: str | None = None,
        check: Callable[[Any], bool] | None = None,
        **declared: int,
    ) -> Phase:
        """The un-phased loop in its real ordering: phases inside it only give it their names (C8).

        Raises:
            TypeError: as `phase`.
            ValueError: as `phase`.
        """
        given = {"covers": covers, "pass_": pass_, "check": check, "declared": declared}
        return Phase(self, name, "whole_loop", **given)

    def begin(self, phase: Phase) -> None:
        """See `Phase.begin`."""
        self._own()
        if self._open and self._open[-1].phase.ordering == "whole_loop":
            phase.take_off()
            self._open[-1].inside.running.append(phase)
            self._seen.add(phase.name)
            return
        self._refuse_capture()
        phase.take_off()
        opened = self._opened(phase)
        # Before its line is on disk: an interruption in between leaves it known, as unfinished.
        self._open.append(opened)
        self._index += 1
        self._seen.update({phase.name, *phase.covers})
        try:
            self._started(opened)
        except BaseException:
            self._abandon(opened)
            raise

    def end(self, phase: Phase, error: BaseException | None) -> None:
        """See `Phase.end` and `Phase.fail`."""
        opened = self._running(phase, error)
        if opened is None:
            return
        if phase in opened.inside.running:
            opened.end_passive(phase, error)
            return
        if error is not None and not isinstance(error, Exception):
            self._abandon(opened)  # an interruption is neither a success nor a failure
            return
        try:
            late = opened.synchronized()
            self._finish(opened, error or late, "in_phase" if error else "at_end")
        except OSError:
            if error is None:
                raise
            return  # the caller goes on to raise its own; the document will hold this phase
        except BaseException:
            self._abandon(opened)
            raise
        if late is not None and error is None:
            raise late

    def empty_cache(self) -> None:
        """Empty the allocator's cache, where the series' policy is to do so (C7)."""
        for device in self.devices.all:
            device.empty_cache()

    def close(self) -> Path:
        """Write the document; a phase that still runs has no known outcome.

        A forked child closes nothing: the record is its parent's.

        Raises:
            OSError: it cannot be written; the journal stays and holds the same.
        """
        if self._closed or os.getpid() != self._owner[0]:
            return self.path
        self._let_go()
        while self._open:
            self._abandon(self._open[-1])
        self._journal.write({"event": "footer", "phases": len(self._finished)})
        return self._journal.finish(self.document())

    def discard(self) -> None:
        """Leave no file behind: for a program that found out that there is nothing to measure."""
        if self._closed or os.getpid() != self._owner[0]:
            return
        self._let_go()
        self._journal.discard()

    def document(self) -> dict[str, Any]:
        """The record so far, in the order in which phases began."""
        phases = sorted(self._finished, key=lambda phase: int(phase["index"]))
        unfinished = [*self._left, *(opened.start for opened in self._open)]
        left = {"unfinished": unfinished} if unfinished else {}
        return {**self._header, **left, "phases": phases}

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self, phase: Phase) -> Open:
        parent = int(self._open[-1].start["index"]) if self._open else None
        start = start_of(phase, self._index, self._pass(phase), self._case, parent)
        return Open(phase, start, self.devices.all)

    def _pass(self, phase: Phase) -> str:
        """A whole loop is a first pass only where nothing at all began before it."""
        if phase.forced_pass is not None:
            return phase.forced_pass
        whole = phase.ordering == "whole_loop"
        return "later" if (self._index if whole else phase.name in self._seen) else "first"

    def _started(self, opened: Open) -> None:
        """Steps 1 to 3. A line that cannot be written starts no phase."""
        try:
            self._journal.write({"event": "phase_start", "phase": opened.start})
        except OSError:
            self._open.remove(opened)
            raise
        try:
            opened.begin(self._open[:-1], self._use_and_watch)
        except Exception as error:
            with contextlib.suppress(OSError):  # a full disk: the document will hold this phase
                self._finish(opened, error, "at_start")
            raise

    def _finish(self, opened: Open, error: BaseException | None, surfaced: str) -> None:
        duration = opened.elapsed_ns()
        if surfaced != "at_start":
            opened.read_end(self._open[:-1], self._use)
        self._open.remove(opened)
        try:
            opened.phase.checked()
        finally:  # interrupted or not, it has ended and has been read
            opened.phase.is_over = True
            told = opened.told(error, surfaced, duration, self._sampler.period_ms)
            self._finished.append(told)
            self._journal.write({"event": "phase_end", "phase": told})

    def _abandon(self, opened: Open) -> None:
        """Of unknown outcome, unless it has ended already.

        Phases around it lose nothing: what their counters showed was taken in before it reset them, and
        since then the counters run on.
        """
        if opened not in self._open:
            return
        self._open.remove(opened)
        self._left.append(opened.start)
        opened.stop()

    def _running(self, phase: Phase, error: BaseException | None) -> Open | None:
        """What ends with the phase; None where an exception on its way must not be replaced by another.

        Raises:
            MisusedError: it is not the innermost that runs, or not in this process and thread.
        """
        try:
            self._own()
        except MisusedError:
            if error is None and os.getpid() == self._owner[0]:
                raise
            return None
        top = self._open[-1] if self._open else None
        if top is not None and (top.phase is phase or phase in top.inside.running):
            return top
        if error is None:
            raise MisusedError(f"the phase {phase.name} is not the one that runs")
        for opened in [each for each in self._open if each.phase is phase]:
            self._abandon(opened)  # a generator that is closed while another phase runs, say
        return None

    def _refuse_capture(self) -> None:
        if any(getattr(device, "capturing", bool)() for device in self.devices.all):
            raise MisusedError(
                "a CUDA graph is being captured, and a phase would synchronize: put it around the capture"
            )

    def _before_reset(self, index: int) -> None:
        """Somebody resets the peaks of a device: what they show goes into every phase that runs."""
        for device in self.devices.all:
            if device.index == index:
                for period in self._periods_of(device):
                    if period.is_running:
                        period.peaks.fold(period.running_peaks())

    def _let_go(self) -> None:
        self._closed = True
        atexit.unregister(self.close)
        self._sampler.stop()
        if self._resets is not None:
            self._resets.stop()

    def _periods_of(self, device: Device) -> list[DevicePeriod]:
        return [p for opened in list(self._open) for p in opened.periods if p.device is device]

    def _use_and_watch(self, device: Device) -> Use:
        """Samples begin with the first phase at which the process can be read at all."""
        told = self._use(device)
        if "process_device_bytes" in told:
            self._sampler.start()
        return told

    def _use(self, device: Device) -> Use:
        try:
            return self.devices.use(device)
        except Exception:  # noqa: BLE001 - a reading that fails is missing
            return {}

    def _own(self) -> None:
        if self._closed:
            raise MisusedError("this record is closed")
        if self._owner != (os.getpid(), threading.get_ident()):
            raise MisusedError("phases run in the process and thread that made the recorder")


def recorder(
    output: str | Path | None = None,
    *,
    device: str | Sequence[str] | Devices | None = None,
    workload: Mapping[str, Any] | None = None,
    case: str = "",
    sample_ms: int = 20,
    **told: Any,
) -> Recorder:
    """Start a record of what this program does on its device.

    `output` is the document (m.json; in a run of several ranks m-rank0.json); a name of its own is
    made where it is left out. `workload` says in the words of a fiche what runs. Further words:
    `series`, `gpu`, `machine`, `run`, `warmups`, `repeats`, `empty_cache`, `seed`, `order`, `plan`,
    `protocol`.

    Raises:
        NoDevice: there is nothing to measure with, and no file is written (C10).
        FileExistsError: the record exists; no measurement is overwritten.
        OSError: the folder cannot be written.
        TypeError: a word that no record has, or of another kind.
        ValueError: one that no record can hold.
    """
    path = record_path(output)
    case = text_word("case", case) if case else ""
    sample_ms = whole_word("sample_ms", sample_ms)
    words = fact_words(workload or {})
    series = series_words(told)
    devices = _devices(device)
    return Recorder(path, devices, heading(path, devices, words, series), case, sample_ms)


def _devices(device: Any) -> Devices:
    """Those named, by text or as PyTorch's own `torch.device`; or those that are handed over."""
    if device is None or isinstance(device, str):
        return find_devices(device)
    if isinstance(device, (list, tuple)):
        return find_devices([str(each) for each in device])
    if hasattr(device, "all") and hasattr(device, "use"):
        return device  # type: ignore[no-any-return]
    if hasattr(device, "type") and hasattr(device, "index"):
        return find_devices(str(device))
    raise TypeError(f"device is a name such as cuda:0, not {type(device).__name__}")


# --- turns --------------------------------------------------------------------------------------
#
# Runs a ready workload: first pass, warm-ups and repeats, phase by phase or as a whole loop (C7, C8).

ORDERINGS = ("phased", "whole_loop")
POLICIES = ("never", "between_repeats")


@dataclass(frozen=True)
class Turn:
    """One pass: the `first`, a `warmup` or a `repeat`, counted from 0 within its kind."""

    kind: str
    number: int


class Workload(Protocol):
    """What runs: its words for the record, its dimensions, and its phases."""

    declared: dict[str, Any]

    @property
    def words(self) -> dict[str, Any]:
        """The `workload` block of a record."""

    def prepare(self, rec: Recorder, place: str) -> None:
        """Make model and inputs on the device, in phases of their own."""

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """Run one pass in its phases."""


def turns(warmups: int, repeats: int) -> Iterator[Turn]:
    """The first pass is neither a warm-up nor a repeat."""
    yield Turn("first", 0)
    yield from (Turn("warmup", number) for number in range(warmups))
    yield from (Turn("repeat", number) for number in range(repeats))


def measured(
    rec: Recorder,
    workload: Workload,
    *,
    ordering: str,
    warmups: int,
    repeats: int,
    empty_cache: str,
) -> None:
    """Measure all turns in one process.

    Raises:
        ValueError: no such ordering or policy.
        Exception: what the workload raised; its phase is kept.
    """
    if ordering not in ORDERINGS or empty_cache not in POLICIES:
        raise ValueError(f"no such protocol: {ordering}, {empty_cache}")
    place = rec.devices.all[0].place
    planned = list(turns(warmups, repeats))
    if ordering == "phased":
        workload.prepare(rec, place)
        workload.turn(rec, planned[0])
    else:
        with rec.whole_loop("loop", **workload.declared):
            workload.prepare(rec, place)
            workload.turn(rec, planned[0])
    for turn in planned[1:]:
        if turn.kind == "repeat" and empty_cache == "between_repeats":
            rec.empty_cache()
        if ordering == "phased":
            workload.turn(rec, turn)
        else:
            with rec.whole_loop("loop", pass_="later", **workload.declared):
                workload.turn(rec, turn)


# --- dense --------------------------------------------------------------------------------------
#
# A small dense network on synthetic inputs, to show the method and to vary one dimension (F3).
#
# Its `context` is the length of a tensor: there is no window of a language model and no KV cache. It
# says nothing about the capacity that any other model needs.

DTYPES = ("float32", "float16", "bfloat16")
DIMENSIONS = {"batch": 2, "context": 128, "width": 1024}
_FORMAT_WORDS = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}
_CONTEXT = "length of a synthetic tensor, not the window of a language model"


class DenseNetwork:
    """Two linear layers with a GELU between them: width, four times the width, width."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        unknown = sorted(set(options) - {*DIMENSIONS, "dtype", "seed"})
        if unknown:
            raise ValueError(f"the dense network has no option {', '.join(unknown)}")
        self.declared: dict[str, Any] = {
            name: _positive(name, options.get(name, usual)) for name, usual in DIMENSIONS.items()
        }
        self._dtype = options.get("dtype", "float32")
        if self._dtype not in DTYPES:
            raise ValueError(f"dtype {self._dtype!r} is none of {', '.join(DTYPES)}")
        self._seed = int(options.get("seed", 0))
        self._network: Any = None
        self._inputs: Any = None

    @property
    def words(self) -> dict[str, Any]:
        """The `workload` of its records: a model of its own, which no fiche's model is."""
        import torch

        word = _FORMAT_WORDS[self._dtype]
        return {
            "model": {"name": "fiche-dense-network", "revision": "1"},
            "operation": "forward",
            "engine": {"name": "torch", "version": torch.__version__},
            "formats": {"storage": word, "loaded": word, "compute": word},
            "placement": {"devices": 1, "resident": "all"},
            "weights": "random",
            "inputs": {"name": "synthetic", "context": _CONTEXT},
        }

    def prepare(self, rec: Recorder, place: str) -> None:
        """Phases model_load and inputs."""
        import torch

        dtype = getattr(torch, self._dtype)
        width = self.declared["width"]
        torch.manual_seed(self._seed)
        with rec.phase("model_load", **self.declared) as phase, torch.no_grad():
            self._network = torch.nn.Sequential(
                torch.nn.Linear(width, 4 * width, device=place, dtype=dtype),
                torch.nn.GELU(),
                torch.nn.Linear(4 * width, width, device=place, dtype=dtype),
            ).eval()
            phase.saw(parameters=dict(self._network.named_parameters()))
            phase.executed(width=int(self._network[0].weight.shape[1]))
        with rec.phase("inputs", **self.declared) as phase:
            batch, context = self.declared["batch"], self.declared["context"]
            self._inputs = torch.randn(batch, context, width, device=place, dtype=dtype)
            phase.saw(inputs=self._inputs)
            phase.executed(**_dimensions(self._inputs))

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """One forward: cold_forward, then warm-ups, then warm_forward (C7)."""
        import torch

        name = {"first": "cold_forward", "warmup": "warmup", "repeat": "warm_forward"}[turn.kind]
        passed = "first" if turn.kind == "first" else "later"
        phase = rec.phase(name, pass_=passed, check=self._finite_and_shaped, **self.declared)
        with phase, torch.no_grad():
            output = self._network(self._inputs)
            phase.saw(output=output)
            phase.executed(**_dimensions(self._inputs))
            phase.result(output)

    def _finite_and_shaped(self, output: Any) -> bool:
        return tuple(output.shape) == tuple(self._inputs.shape) and bool(output.isfinite().all())


def _dimensions(inputs: Any) -> dict[str, int]:
    batch, context, width = (int(length) for length in inputs.shape)
    return {"batch": batch, "context": context, "width": width}


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} is a whole number from 1, not {value!r}")
    return value


# --- command ------------------------------------------------------------------------------------
#
# The command line: calculation, environment, measurement.
#
# It ends with 0; 2 where it refuses, with one sentence and nothing written; 3 where the workload failed,
# its record kept; 130 where it was interrupted.

PLAIN_DIGITS = re.compile(r"(0|[1-9][0-9]{0,29})(\.[0-9]{1,29})?")
# Two thousand and forty-eight, or a little over two: two halves of the world read it differently.
TWO_READINGS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
DONE, REFUSED, FAILED, INTERRUPTED = 0, 2, 3, 130


def main(words: list[str] | None = None, script: str | None = None) -> int:
    """Run one command and return its exit code.

    `script` is the text of this script where it lies in no file, as in a notebook: measurements are
    made by fresh processes that run it.
    """
    asked = _parser().parse_args(words)
    try:
        code: int = asked.command(asked, script)
    except (NoDevice, UnknownDevice) as refusal:
        return _refused(str(refusal))
    except OSError as error:
        return _refused(f"{error.filename or 'the system'}: {error.strerror or error}")
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _refused(sentence: str) -> int:
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    return REFUSED


# --- Arguments --------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="fiche_lab.py",
        description="Calculate memory, look at the environment, measure a small dense network.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"fiche lab {VERSION}")
    below = top.add_subparsers(metavar="COMMAND", required=True)
    for name, words, options in (
        ("estimate", "weights and an assumed reserve, by arithmetic", _estimate_options),
        (
            "environment",
            "device, driver, PyTorch, allocator, and what is missing",
            _environment_options,
        ),
        ("measure", "measure a small dense network on a GPU", _measure_options),
    ):
        options(below.add_parser(name, help=words, description=words, allow_abbrev=False))
    return top


def _estimate_options(options: argparse.ArgumentParser) -> None:
    options.add_argument("--parameters", type=positive, required=True, metavar="COUNT")
    options.add_argument("--bits", type=positive, required=True, metavar="COUNT")
    reserve = options.add_mutually_exclusive_group()
    reserve.add_argument(
        "--reserve-gib", type=_amount, metavar="GIB", help="assumed, 2^30 bytes each"
    )
    reserve.add_argument(
        "--reserve-gb", type=_amount, metavar="GB", help="assumed, 10^9 bytes each"
    )
    options.set_defaults(command=_estimate)


def _environment_options(options: argparse.ArgumentParser) -> None:
    _where(options, "every visible one")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    options.set_defaults(command=_environment)


def _where(options: argparse.ArgumentParser, otherwise: str) -> None:
    options.add_argument("--device", metavar="NAME", help=f"cuda:0, xpu:0; {otherwise} if left out")
    options.add_argument(
        "--machine", default="", metavar="ID", help="what a fiche calls this machine"
    )


def _measure_options(options: argparse.ArgumentParser) -> None:
    _where(options, "the current one")
    for name, usual in DIMENSIONS.items():
        options.add_argument(f"--{name}", type=positive, default=usual, metavar="COUNT")
    options.add_argument("--dtype", choices=DTYPES, default=DTYPES[0])
    options.add_argument("--warmup", type=whole_number, default=3, metavar="COUNT")
    options.add_argument("--repeats", type=whole_number, default=5, metavar="COUNT")
    options.add_argument("--empty-cache", choices=_dashed(POLICIES), default=_dashed(POLICIES)[0])
    options.add_argument("--ordering", choices=(*_dashed(ORDERINGS), "both"), default="both")
    options.add_argument("--output", type=Path, required=True, metavar="FILE", help="a new file")
    options.add_argument("--gpu", default="", metavar="ID", help="the card's id in a fiche catalog")
    options.add_argument("--run", default="", help=argparse.SUPPRESS)
    options.set_defaults(command=_measure)


def _dashed(words: tuple[str, ...]) -> list[str]:
    return [word.replace("_", "-") for word in words]


def positive(text: str) -> int:
    """A count from 1, in plain digits."""
    count = whole_number(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is below 1")
    return count


def whole_number(text: str) -> int:
    """A count from 0, in plain digits: no sign, no exponent, no separators."""
    if PLAIN_DIGITS.fullmatch(text) is None or "." in text:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no whole number in plain digits")
    return int(text)


def _amount(text: str) -> Fraction:
    if PLAIN_DIGITS.fullmatch(text) is None or TWO_READINGS.fullmatch(text) is not None:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no number with one reading")
    whole, _, decimals = text.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


# --- Calculation, environment -----------------------------------------------------------------


def _estimate(asked: argparse.Namespace, script: str | None) -> int:
    reserve = 0
    if asked.reserve_gib is not None:
        reserve = reserve_bytes(asked.reserve_gib, 2**30)
    elif asked.reserve_gb is not None:
        reserve = reserve_bytes(asked.reserve_gb, 10**9)
    sys.stdout.write(estimate_text(asked.parameters, asked.bits, reserve))
    return DONE


def _environment(asked: argparse.Namespace, script: str | None) -> int:
    """What is here and what is missing; that something is missing is no failure (F2)."""
    found = found_environment(asked.device, asked.machine)
    if asked.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return DONE
    rows = list(environment_rows(found))
    for device in found["environment"].get("devices", ()):
        rows += device_rows(found, device)
    widest = max(len(label) for label, _ in rows)
    lines = [f"{label.ljust(widest)}  {text}" for label, text in rows]
    lines += [
        f"Missing: {lack['what']}. Try: {lack['command']}" for lack in found.get("missing", ())
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return DONE


# --- Measurement ------------------------------------------------------------------------------


def _measure(asked: argparse.Namespace, script: str | None) -> int:
    """One series here where an ordering is named; else both, each in a fresh process (C7, C8)."""
    if asked.ordering != "both":
        return _one_series(asked)
    paths = {ordering: series_path(asked.output, ordering) for ordering in ORDERINGS}
    for path in paths.values():
        for taken in (path, journal_of(path)):
            if os.path.lexists(taken):
                return _refused(
                    f"{taken} exists, and no measurement is overwritten: choose another name"
                )
    run = asked.run or identifier(f"{asked.output.stem[:60]}-{os.urandom(6).hex()}")
    worst = DONE
    for ordering, path in paths.items():
        words = ["--ordering", ordering.replace("_", "-"), "--output", str(path)]
        code = fresh([*_again(asked, run), *words], script)
        if code < 0:
            sys.stderr.write(
                f"signal {-code} ended it; {journal_of(path)} holds what was finished\n"
            )
            code = FAILED
        if code not in (DONE, FAILED):
            return code
        worst = max(worst, code)
    return worst


def series_path(output: Path, ordering: str) -> Path:
    """`m.json` by phases, `m.whole.json` for the whole loop."""
    if ordering == "phased":
        return output
    return output.with_name(f"{output.stem}.whole{output.suffix}")


def _again(asked: argparse.Namespace, run: str) -> list[str]:
    """The same command for another process."""
    words = ["measure", "--run", run]
    for name in ("batch", "context", "width", "dtype", "warmup", "repeats", "empty_cache"):
        words += [f"--{name.replace('_', '-')}", str(getattr(asked, name))]
    for name in ("device", "machine", "gpu"):
        if getattr(asked, name):
            words += [f"--{name}", getattr(asked, name)]
    return words


def fresh(words: list[str], script: str | None) -> int:
    """Run this script in a new process, as isolated as this one; its exit code.

    A script in a notebook goes in by standard input, and what is said comes back to the notebook.
    """
    flags = ["-I"] * sys.flags.isolated + ["-S"] * sys.flags.no_site
    sys.stdout.flush()
    if script is None:
        here = str(Path(__file__).resolve())
        return subprocess.run([sys.executable, *flags, here, *words], check=False).returncode
    command = [sys.executable, *flags, "-", *words]
    ended = subprocess.run(
        command, input=script, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    sys.stdout.write(ended.stdout)
    sys.stderr.write(ended.stderr)
    return ended.returncode


def _one_series(asked: argparse.Namespace) -> int:
    # In this order nothing is written where there is nothing to measure with.
    devices = find_devices(asked.device)
    dimensions = {name: getattr(asked, name) for name in ("batch", "context", "width", "dtype")}
    network = DenseNetwork(dimensions)
    counts = {
        "warmups": asked.warmup,
        "repeats": asked.repeats,
        "empty_cache": asked.empty_cache.replace("-", "_"),
    }
    told = {
        "machine": asked.machine,
        "gpu": asked.gpu,
        "run": asked.run,
        "protocol": FRESH,
        **counts,
    }
    rec = recorder(asked.output, device=devices, workload=network.words, **told)
    code = DONE
    try:
        measured(rec, network, ordering=asked.ordering.replace("-", "_"), **counts)
    except Exception as error:
        if isinstance(error, OSError) and str(error.filename) == str(journal_of(rec.path)):
            raise
        code = _failed(error)  # whatever the workload raises is an observation (C11)
    finally:
        rec.close()
    sys.stdout.write(f"{rec.path}\n{record_text(rec.document())}\n")
    return code


def _failed(error: Exception) -> int:
    lines = str(error).strip().splitlines()
    sys.stderr.write(f"{type(error).__name__}: {lines[0][:500] if lines else ''}\n")
    return FAILED


# --- A record in the terminal -----------------------------------------------------------------


def record_text(document: dict[str, Any]) -> str:
    """What a record shows, a line per phase and device, in bytes: two peaks, two columns (C3)."""
    rows = [("phase", "pass", "outcome", "ms", "device", "allocated peak, B", "reserved peak, B")]
    for phase in document["phases"]:
        took = grouped(phase["duration_ns"] // 10**6) if "duration_ns" in phase else "not read"
        covered = f" ({', '.join(phase['covers'])})" if "covers" in phase else ""
        head = (phase["name"] + covered, phase["pass"], phase["outcome"], took)
        for read in phase.get("devices", ()):
            peak = read.get("peak", {})
            peaks = (_or_absent(peak, "allocated_bytes"), _or_absent(peak, "reserved_bytes"))
            rows.append((*head, read["device"], *peaks))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(row[place].ljust(widths[place]) for place in range(len(row))) for row in rows
    ]
    return "\n".join(line.rstrip() for line in (*lines, *UNDER_A_RECORD)) + "\n"


def _or_absent(levels: dict[str, int], counter: str) -> str:
    """A reading, or that there is none: never zero in its place (C2)."""
    return grouped(levels[counter]) if counter in levels else "not read"


UNDER_A_RECORD = (
    "Peaks are absolute, and two peaks need not be one instant.",
    "This network says nothing about any other model.",
)


if __name__ == "__main__":
    sys.exit(main())
