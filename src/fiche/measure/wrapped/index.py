"""`run.json`, format fiche-run/1: what one run of a command left, and how the command ended."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.finishing import Left

FORMAT = "fiche-run/1"
NAME = "run.json"
_RSS = (
    "ru_maxrss: the largest resident set of one process, the command or a child that was waited for"
)
_KILLS = "oom_kill of this control group, the difference over the run"


def index(
    *,
    run: str,
    version: str,
    command: str,
    redacted: int,
    started_at: str,
    ended: Ended,
    left: list[Left],
    unwatched: list[str],
) -> dict[str, Any]:
    """The document; what the system did not tell has no key (C2).

    `command` is one line, secrets in it already replaced, and `redacted` how many there were.
    """
    found: dict[str, Any] = {
        "format": FORMAT,
        "tool": {"name": "fiche", "version": version},
        "run": run,
        "started_at": started_at,
        "duration_ns": ended.duration_ns,
        "command": {"line": command, "redacted": redacted, "pid": ended.pid},
        "exit": _exit(ended),
        "records": [_entry(each) for each in left if each.kind in ("program", "recorder")],
    }
    beside = [_entry(each) for each in left if each.kind in ("journal", "snapshot")]
    told = {"files": beside, "unwatched": unwatched, "host": _host(ended)}
    return {**found, **{key: value for key, value in told.items() if value}}


def _exit(ended: Ended) -> dict[str, Any]:
    return {"signal": ended.signal} if ended.signal else {"status": ended.status}


def _host(ended: Ended) -> dict[str, Any]:
    host: dict[str, Any] = {}
    if ended.peak_rss is not None:
        host["peak_rss_bytes"] = {"bytes": ended.peak_rss, "counter": _RSS}
    if ended.oom_kills is not None:
        host["oom_kills"] = {"count": ended.oom_kills, "counter": _KILLS}
    return host


def _entry(left: Left) -> dict[str, Any]:
    entry = {"file": left.path.name, "kind": left.kind, "sha256": _digest(left.path)}
    return {**entry, "outcome": left.outcome} if left.outcome else entry


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
