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
