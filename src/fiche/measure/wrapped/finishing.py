"""Journals that the command's processes left become records, with what only the parent saw (C11)."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.program import PREFIX

_PATIENCE_S = 3.0


@dataclass(frozen=True)
class Left:
    """One file of the folder: a record that the hook or the program itself wrote, or a snapshot.

    `kind`: program, recorder, journal (its process had not ended, or nobody could finish it), snapshot.
    `outcome`: success, failure or unknown, of a program's record.
    """

    path: Path
    kind: str
    outcome: str = ""


def finish(folder: Path, ended: Ended) -> list[Left]:
    """Make documents of the hook's journals, and list all that the folder holds, in name order.

    Raises:
        OSError: a document cannot be written; its journal stays.
    """
    for journal in sorted(folder.glob(f"{PREFIX}*.json.journal")):
        _wait_for(journal, ended)
        _finish(journal, ended)
    for last in folder.glob(f"{PREFIX}*.last"):
        if not last.with_suffix(".json.journal").exists():
            last.unlink(missing_ok=True)
    return [left for path in sorted(folder.iterdir()) if (left := _left(path)) is not None]


def _wait_for(journal: Path, ended: Ended) -> None:
    """A launcher may leave a moment before the processes that it has just ended."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        events = events_of(journal)
        if not events or not _still_writes(events, ended):
            return
        time.sleep(0.05)


def _still_writes(events: list[dict[str, Any]], ended: Ended) -> bool:
    pid = events[0].get("series", {}).get("process", {}).get("pid")
    return pid != ended.pid and events[-1].get("event") == "phase_start" and _lives(pid)


def _finish(journal: Path, ended: Ended) -> None:
    events = events_of(journal)
    if not events or events[0].get("event") != "header":
        return
    if _still_writes(events, ended):
        return  # it goes on writing: its journal is its own
    last = journal.with_suffix("").with_suffix(".last")
    content = document(events, ended, _read(last))
    path = journal.with_suffix("")
    _write_new(path, json.dumps(content, ensure_ascii=False, indent=1).encode("utf-8", "replace"))
    journal.unlink()
    last.unlink(missing_ok=True)


def events_of(journal: Path) -> list[dict[str, Any]]:
    """The whole lines of a journal; a line that was cut says nothing."""
    events = []
    for line in journal.read_bytes().splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            break
    return events


def document(
    events: list[dict[str, Any]], ended: Ended, last: dict[str, Any] | None
) -> dict[str, Any]:
    """The record of a journal; of the command's own process the parent knows how it ended."""
    head = {key: value for key, value in events[0].items() if key != "event"}
    own = head["series"]["process"]["pid"] == ended.pid
    phases = [dict(each["phase"]) for each in events if each["event"] == "phase_end"]
    finished = {phase["index"] for phase in phases}
    starts = [each["phase"] for each in events if each["event"] == "phase_start"]
    open_ = [dict(start) for start in starts if start["index"] not in finished]
    for start in open_:
        start["extra"] = {**({"ended_by": ending(ended)} if own else {}), **(last or {})}
    for phase in phases if own else []:
        _settle(phase, ended)
    left = {"unfinished": open_} if open_ else {}
    return {**head, **left, "phases": phases}


def _settle(phase: dict[str, Any], ended: Ended) -> None:
    """What a process said of itself as it left, by how it really left."""
    if ended.status == 0 and phase.get("error", {}).get("type") == "SystemExit":
        phase["outcome"] = "success"
        del phase["error"]
    elif ended.status != 0 and phase["outcome"] == "success":
        phase["outcome"] = "failure"
        kind = "SystemExit" if ended.signal is None else ended.signal
        phase["error"] = {"type": kind, "message": f"the process ended with {ending(ended)}"}


def ending(ended: Ended) -> str:
    """In words: `exit status 1`, `signal SIGKILL`."""
    return f"signal {ended.signal}" if ended.signal else f"exit status {ended.status}"


def _left(path: Path) -> Left | None:
    if path.name.endswith(".json.journal"):
        return Left(path=path, kind="journal", outcome="unknown")
    if path.suffix == ".pickle":
        return Left(path=path, kind="snapshot")
    if path.suffix != ".json" or path.name.startswith("."):
        return None
    read = _read(path)
    if read is None or not str(read.get("format", "")).startswith("fiche-measurement/"):
        return None
    kind = "program" if path.name.startswith(PREFIX) else "recorder"
    return Left(path=path, kind=kind, outcome=_outcome(read))


def _outcome(record: dict[str, Any]) -> str:
    outcomes = {phase.get("outcome") for phase in record.get("phases", ())}
    if "failure" in outcomes:
        return "failure"
    return "unknown" if record.get("unfinished") or not outcomes else "success"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return read if isinstance(read, dict) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """It has ended, and nobody has asked how: orphans in a container without an init."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2]
    except OSError:
        return False
    return state.split()[:1] == ["Z"]


def _write_new(path: Path, content: bytes) -> None:
    """Whole, under a name that nobody had."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(partial, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise
            partial.rename(path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def unwatched(folder: Path) -> list[str]:
    """What processes noted that could not be watched, each sentence once; the notes go."""
    told = []
    for note in sorted(folder.glob(".unwatched-*")):
        with contextlib.suppress(OSError):
            told += note.read_text(encoding="utf-8", errors="replace").splitlines()
            note.unlink()
    return list(dict.fromkeys(told))
