"""AMD SMI through its Python library `amdsmi`, read only.

Source: AMD SMI Python API reference; "N/A" and all-ones mean not available.
"""

from __future__ import annotations

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
