"""The head of a record: which program, which series, which environment, which workload (A1, A5, C7)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche.measure.protocol.devices import Devices
from fiche.measure.protocol.places import rank_of
from fiche.measure.protocol.tool import FORMAT, NAME, VERSION

FRESH = "one fresh process per series"
RUNNING = "a series inside a running process"
_SERIES = ("order", "warmups", "repeats", "empty_cache", "seed", "run", "plan")
_TOP = ("gpu", "machine")
_WORDS = frozenset((*_SERIES, *_TOP, "series", "protocol"))


def heading(
    path: Path, devices: Devices, workload: dict[str, Any], told: Mapping[str, Any]
) -> dict[str, Any]:
    """All keys of a record but its phases.

    Raises:
        TypeError: a word that no record has.
    """
    unknown = sorted(set(told) - _WORDS)
    if unknown:
        raise TypeError(f"a record has no {', '.join(unknown)}; it has {', '.join(sorted(_WORDS))}")
    head: dict[str, Any] = {
        "format": FORMAT,
        "tool": {"name": NAME, "version": VERSION},
        "series": _series(path, devices, told),
        "environment": devices.environment(),
        "workload": workload,
    }
    head.update({key: told[key] for key in _TOP if told.get(key)})
    return head


def _series(path: Path, devices: Devices, told: Mapping[str, Any]) -> dict[str, Any]:
    protocol = told.get("protocol") or (FRESH if devices.fresh else RUNNING)
    series: dict[str, Any] = {
        "id": identifier(told.get("series") or path.stem),
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "process": {"protocol": protocol, "pid": os.getpid()},
        "empty_cache": "never",
    }
    series.update({key: told[key] for key in _SERIES if told.get(key) not in (None, "")})
    if "run" not in series and os.environ.get("FICHE_RUN_ID"):
        series["run"] = os.environ["FICHE_RUN_ID"]
    if "run" in series:
        series["run"] = identifier(str(series["run"]))
    rank = rank_of()
    if rank is not None:
        series["rank"] = rank
    return series


def identifier(text: str) -> str:
    """The text as an id: letters, digits, dot, dash and underscore, at most 100 of them."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100]
    return plain or "series"
