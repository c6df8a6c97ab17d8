"""What the machine says of itself without any framework: system, container limits, variables, driver.

Nothing that names a person or a machine is taken: no host name, no user, no address, no path of a home.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_UNLIMITED = 2**62
_PREFIXES = ("PYTORCH_", "CUDA_", "NCCL_", "HIP_", "ROCR_", "HSA_", "ZE_", "CUBLAS_")
_LONGEST = 500
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSWO?R?D|CREDENTIAL|API_?KEY|PRIVATE|AUTH", re.IGNORECASE
)
# What is called a secret, a user's folder, an address, a key of a well-known shape, credentials in an address,
# a long random word.
_PERSONAL = re.compile(
    r"\b[a-z_]*(?:token|secret|passw(?:or)?d|credentials?|api_?key|private_?key|auth)[a-z_]*['\"]?\s*[=:]"
    r"|/home/|/users/|\\users\\|/root\b|~|@|://"
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
        if len(value) > _LONGEST or _SECRET_NAME.search(name) or _PERSONAL.search(value):
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
