"""The failure of a phase: its message read by the same grammar as a log's (C11)."""

from __future__ import annotations

from typing import Any

from fiche.importers._failure_words import HOST
from fiche.importers._host_messages import host_messages
from fiche.importers._reading import failure_of
from fiche.importers._record_doubts import index_of
from fiche.importers._record_places import Form, rank_of
from fiche.importers._torch_messages import torch_events
from fiche.kernel.piece import Failure
from fiche.kernel.record import replace

_BACKENDS = {"hip": "rocm"}
# An asynchronous error comes up at a synchronization, behind the work that caused it.
_SURFACED = {
    "at_start": " (surfaced at the synchronization before the phase: earlier work failed)",
    "at_end": " (surfaced at the synchronization after the phase)",
}


def failure_of_phase(record: Form, place: int) -> Failure:
    """What the phase's error says; `workload_error` where it is not about memory.

    The device is the one that a merged record names, the one that the message names, or the only one that
    the phase used; one rank's own count of devices names none of the run's.
    """
    phase = record.document["phases"][place]
    error = phase["error"]
    pointer = record.at("phases", place, "error", "message", text=error["message"][:2_000])
    text = f"{error['type']}: {error['message']}"
    rank = error.get("rank", rank_of(record.document))
    surfaced = error.get("surfaced", "")
    note = _SURFACED.get(surfaced, "")
    where: dict[str, Any] = {"is_earlier": surfaced == "at_start", "phase": _part(phase)}
    found, _ = torch_events(text.encode("utf-8", "replace"), record.sha256)
    if not found:
        backend = record.document["environment"]["backend"]
        host = _is_host(error["type"], text)
        return Failure(
            pointer=pointer,
            message_kind="allocator_oom" if host else "workload_error",
            memory="host" if host else None,
            backend="cpu" if host else _BACKENDS.get(backend, backend),
            device_index=_device(record, phase, None) if "merged" in record.document else None,
            rank=rank,
            **where,
            message=f"{text[:2_000]}{note}",
        )
    failure = failure_of(found[0], record.sha256)
    return replace(
        failure,
        pointer=pointer,
        rank=rank,
        device_index=_device(record, phase, failure.device_index),
        **where,
        message=f"{failure.message}{note}",
    )


_LONGEST = 400  # of a message as it stands beside the name of a part that failed


def _part(phase: dict[str, Any]) -> str:
    """The phase inside a loop in which its error came up; one that failed before and was caught is another."""
    error = phase["error"]
    named = error.get("extra", {}).get("phase")
    failed = phase.get("extra", {}).get("failed_inside")
    if isinstance(failed, dict) and failed:
        text = error["message"][:_LONGEST]
        alike = [name for name, told in failed.items() if str(told).partition(": ")[2] == text]
        named = named if named in alike else next(reversed(alike), None)
    return named if isinstance(named, str) and named in phase.get("covers", ()) else ""


def _is_host(kind: str, text: str) -> bool:
    """The host's own memory ran out: Python says so by the error's type, PyTorch in its message."""
    named = kind.rpartition(".")[2] == "MemoryError"
    return named or next(host_messages(text.encode("utf-8", "replace"), "", HOST), None) is not None


def _device(record: Form, phase: dict[str, Any], named: int | None) -> int | None:
    if rank_of(record.document) is not None:
        return None
    if "merged" in record.document:
        device = phase["error"].get("device")
        return None if device is None else index_of(device)
    used = {index_of(device["device"]) for device in phase.get("devices", ())}
    return next(iter(used)) if named is None and len(used) == 1 else named
