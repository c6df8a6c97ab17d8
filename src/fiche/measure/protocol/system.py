"""Readings outside the allocator: what the system's own tool says of a device and of its processes (C5).

A reading that cannot be had is absent, never zero (C2). Nothing is ever set: no mode, no clock, no limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Optional, Protocol, TypeVar, Union

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
        from fiche.measure.protocol.system_nvidia import nvidia_tool

        return _guarded(attempted(nvidia_tool))
    if backend == "hip":
        from fiche.measure.protocol.system_amd import amd_tool

        return _guarded(attempted(amd_tool))
    return None


def _guarded(tool: SystemTool | None) -> SystemTool | None:
    return None if tool is None else Guarded(tool)


class Guarded:
    """A tool whose library may raise or answer nonsense: then a reading is absent, and no run stops (C2)."""

    def __init__(self, tool: SystemTool) -> None:
        self._tool = tool
        self.name = tool.name

    def use(self, device: Key, own_pid: int) -> dict[str, Told]:
        """See `SystemTool.use`."""
        told = attempted(self._tool.use, device, own_pid) or {}
        return {key: pair for key, pair in told.items() if whole(pair[0]) is not None}

    def device(self, device: Key) -> dict[str, Any]:
        """See `SystemTool.device`."""
        return _plain(attempted(self._tool.device, device) or {})

    def driver(self) -> str | None:
        """See `SystemTool.driver`."""
        told = attempted(self._tool.driver)
        return told if isinstance(told, str) else None

    def listed(self) -> list[dict[str, Any]]:
        """See `SystemTool.listed`."""
        return [_plain(each) for each in attempted(self._tool.listed) or ()]


def _plain(told: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON knows, without numbers of bytes that are none."""
    kept = {key: each for key, each in told.items() if isinstance(each, (str, int))}
    counts = {key for key in kept if key.endswith("_bytes") and whole(kept[key]) is None}
    return {key: each for key, each in kept.items() if key not in counts}


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
