"""The head of a record: which program, which series, which environment, which workload (A1, A5, C7)."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche.measure.protocol.devices import Devices
from fiche.measure.protocol.places import rank_of
from fiche.measure.protocol.tool import FORMAT, NAME, VERSION
from fiche.measure.protocol.words import id_word, plan_words, text_word, whole_word

FRESH = "one fresh process per series"
RUNNING = "a series inside a running process"
_SERIES = ("order", "warmups", "repeats", "empty_cache", "seed", "run", "plan")
_TOP = ("gpu", "machine")
_IDS = {"gpu": "[a-z0-9][a-z0-9._-]", "machine": "[A-Za-z0-9][A-Za-z0-9._-]"}
_WORDS = frozenset((*_SERIES, *_TOP, "series", "protocol"))


def heading(
    path: Path, devices: Devices, workload: dict[str, Any], told: Mapping[str, Any]
) -> dict[str, Any]:
    """All keys of a record but its phases, out of words that `series_words` has let through."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "tool": {"name": NAME, "version": VERSION},
        "series": _series(path, devices, told),
        "environment": devices.environment(),
        "workload": workload,
    }
    head.update({key: told[key] for key in _TOP if told.get(key)})
    return head


def series_words(told: Mapping[str, Any]) -> dict[str, Any]:
    """Further words of a record, each checked; what is not told is left out.

    Raises:
        TypeError: a word that no record has, or of another kind.
        ValueError: one that no record can hold.
    """
    unknown = sorted(set(told) - _WORDS)
    if unknown:
        raise TypeError(f"a record has no {', '.join(unknown)}; it has {', '.join(sorted(_WORDS))}")
    return {key: _checked(key, value) for key, value in told.items() if _is_told(value)}


def _is_told(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and value == "")


def _checked(key: str, value: Any) -> Any:
    if key in ("warmups", "repeats", "seed"):
        return whole_word(key, value)
    if key == "plan":
        return plan_words(value)
    if key in _IDS:
        return id_word(key, value, _IDS[key])
    return text_word(key, value)


def _series(path: Path, devices: Devices, told: Mapping[str, Any]) -> dict[str, Any]:
    protocol = told.get("protocol") or (FRESH if devices.fresh else RUNNING)
    series: dict[str, Any] = {
        "id": identifier(told.get("series") or path.stem),
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
        "process": {"protocol": protocol, "pid": os.getpid()},
        "empty_cache": "never",
    }
    series.update({key: told[key] for key in _SERIES if key in told})
    series.setdefault("run", _surrounding_run())
    if series["run"]:
        series["run"] = identifier(str(series["run"]))
    else:
        del series["run"]
    plan = series.get("plan") or _surrounding_plan()
    if plan:
        series["plan"] = plan
    rank = rank_of()
    if rank is not None:
        series["rank"] = rank
    return series


def _surrounding_run() -> str:
    """The run that this process belongs to: `fiche run`'s, else the one that torchrun's ranks share."""
    elastic = os.environ.get("TORCHELASTIC_RUN_ID", "")
    return os.environ.get("FICHE_RUN_ID") or ("" if elastic == "none" else elastic)


def _surrounding_plan() -> dict[str, Any]:
    """The place among a campaign's jobs, as the campaign tells its job; none where that is no plan."""
    try:
        return dict(plan_words(json.loads(os.environ.get("FICHE_PLAN") or "null")))
    except (TypeError, ValueError):
        return {}


def identifier(text: str) -> str:
    """The text as an id: letters, digits, dot, dash and underscore, at most 100 of them."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100]
    return plain or "series"
