"""NVML through its Python binding `pynvml` (package nvidia-ml-py), read only.

Source: NVML API reference; process lists hold ids of the host, 2^64 - 1 and None mean not available.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

from fiche.measure.protocol.system import (
    Key,
    Owner,
    Processes,
    Told,
    attempted,
    process_readings,
    untouched,
    whole,
)

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
        for index in range(_sane(attempted(self._nvml.nvmlDeviceGetCount))):
            handle = attempted(self._nvml.nvmlDeviceGetHandleByIndex, index)
            if handle is not None:
                yield handle

    def _instances(self, card: Any) -> Iterator[Any]:
        """The MIG devices of a card."""
        for index in range(_sane(self._read("nvmlDeviceGetMaxMigDeviceCount", card))):
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


def _sane(count: object) -> int:
    """How many devices to ask for; none where the count is no count."""
    return min(whole(count) or 0, _MOST_DEVICES)


_MOST_DEVICES = 1000
