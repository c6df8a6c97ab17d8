"""Where a record goes: a name that no other process of the same run uses."""

from __future__ import annotations

import os
import time
from pathlib import Path


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
    """The document's path; each rank its own, and a new name where none is given."""
    folder = Path(os.environ.get("FICHE_RUN_FOLDER") or ".")
    if output is None:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        path = _unused(folder / f"fiche-record-{stamp}-{os.getpid()}.json")
    else:
        path = Path(output)
    rank = rank_of()
    return path if rank is None else path.with_name(f"{path.stem}-rank{rank['rank']}{path.suffix}")


def _unused(path: Path) -> Path:
    """A second recorder of one process within one second takes the next name."""
    number, free = 1, path
    while free.exists() or free.with_name(f"{free.name}.journal").exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def _count(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() and len(text) < 10 else None
