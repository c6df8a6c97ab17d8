"""What a machine offers for measuring, and what is missing for it: the document `fiche-environment/1` (F2, A5).

It never refuses for want of a GPU or of a framework: it says what is missing, in one sentence each with
one command that would help, and tells what it still knows.
"""

from __future__ import annotations

import os
import re
import warnings
from datetime import datetime, timezone
from typing import Any

from fiche.measure.protocol.environment import (
    backend_of,
    environment_block,
    framework,
    libraries,
    runtime,
    uuid_of,
)
from fiche.measure.protocol.found_rows import BUILT_FOR
from fiche.measure.protocol.host import host_block, kernel_driver
from fiche.measure.protocol.system import SystemTool, attempted, system_tool, whole
from fiche.measure.protocol.tool import NAME, VERSION

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
    document = _head(machine)
    if usable and backend is not None:
        document.update(_with_devices(torch, backend, device, tool, missing))
    else:
        document["environment"] = _without_devices(torch, backend, tool)
    return {**document, "missing": missing} if missing else document


def broken_environment(why: str, machine: str = "") -> dict[str, Any]:
    """The document where whoever looked at framework and devices did not come back: `why` says how."""
    told = {**_head(machine), "environment": _without_devices(None, None, None)}
    return {**told, "missing": [{"what": why, "command": _IMPORT}]}


def _head(machine: str) -> dict[str, Any]:
    return {
        "format": ENVIRONMENT_FORMAT,
        "tool": {"name": NAME, "version": VERSION},
        "observed_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017
        **({"machine": machine} if machine else {}),
    }


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
