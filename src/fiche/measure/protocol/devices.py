"""The accelerators that a recorder reads: PyTorch's own four counters, per device (C1, C3, C9).

CUDA and HIP/ROCm share `torch.cuda`; XPU has the same functions under `torch.xpu` (D8). There is no
way here to measure on a CPU: such a result is never a GPU measurement (C10).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from fiche.measure.protocol.environment import environment_block
from fiche.measure.protocol.resets import ResetWatch
from fiche.measure.protocol.system import system_tool


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
