"""What `fiche run` says when the command has ended: a few lines on standard error."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.finishing import Left, ending
from fiche.report.numbers import memory

_MOST = 16
_GIB = 1 << 30


def summary(folder: Path, ended: Ended, left: list[Left], missed: list[str]) -> str:
    """How the command ended, each record with its peaks, and what to type next."""
    return "\n".join(_lines(folder, ended, left, missed))


def _lines(folder: Path, ended: Ended, left: list[Left], missed: list[str]) -> Iterator[str]:
    yield f"fiche run: {ending(ended)} after {_seconds(ended.duration_ns)} s; {folder}/run.json"
    records = [each for each in left if each.kind in ("program", "recorder", "journal")]
    for each in records[:_MOST]:
        yield f"  {each.path.name}: {each.outcome}{_told(each.path)}"
    if len(records) > _MOST:
        yield f"  and {len(records) - _MOST} more"
    for each in left:
        if each.kind == "snapshot":
            yield f"  {each.path.name}: the allocator's memory at the first exhaustion"
    if ended.oom_kills:
        yield f"  the kernel killed {ended.oom_kills} of its processes for want of host memory"
    for sentence in missed[:_MOST]:
        yield f"  not watched: {sentence}"
    if records:
        yield f"  next: fiche import {shlex.quote(str(folder))}/*.json --to FICHE"
    else:
        yield "  no process used a GPU through PyTorch before the command ended"


def _told(path: Path) -> str:
    """The peaks of a program's record, by device, and why it failed."""
    try:
        phases = json.loads(path.read_bytes())["phases"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    told = [_peak(device) for phase in phases[:1] for device in phase.get("devices", ())]
    if len(phases) > 1:
        told = [f"{len(phases)} phases"]
    failed = next((phase["error"] for phase in phases if "error" in phase), None)
    why = "" if failed is None else f"\n    {_first_line(failed)}"
    return "".join(f"; {each}" for each in told if each) + why


def _peak(device: dict[str, Any]) -> str:
    """Two counters of the allocator, never added (C3)."""
    peak = device.get("peak", {})
    words = [
        f"{name} {memory(peak[key], 'GiB' if peak[key] >= _GIB else 'MiB')}"
        for name, key in (("allocated", "allocated_bytes"), ("reserved", "reserved_bytes"))
        if key in peak
    ]
    return f"{device['device']} peak {', peak '.join(words)}" if words else ""


def _first_line(error: dict[str, Any]) -> str:
    lines = str(error.get("message", "")).strip().splitlines()
    return f"{error.get('type', 'error')}: {lines[0][:300] if lines else 'no message'}"


def _seconds(nanoseconds: int) -> str:
    tenths = (nanoseconds + 50_000_000) // 100_000_000
    return f"{tenths // 10}.{tenths % 10}"
