"""The failure of a phase: its message read by the same grammar as a log's (C11)."""

from __future__ import annotations

from fiche.importers._reading import failure_of
from fiche.importers._record_doubts import index_of
from fiche.importers._record_form import Form
from fiche.importers._torch_messages import torch_events
from fiche.kernel.piece import Failure
from fiche.kernel.record import replace

_BACKENDS = {"hip": "rocm"}


def failure_of_phase(record: Form, place: int) -> Failure:
    """What the phase's error says; `workload_error` where it is not about memory.

    The device is the one that the message names, or the only one that the phase used.
    """
    phase = record.document["phases"][place]
    error = phase["error"]
    pointer = record.at("phases", place, "error", "message", text=error["message"][:2_000])
    text = f"{error['type']}: {error['message']}"
    found, _ = torch_events(text.encode(), record.sha256)
    backend = record.document["environment"]["backend"]
    if not found:
        return Failure(
            pointer=pointer,
            message_kind="workload_error",
            memory=None,
            backend=_BACKENDS.get(backend, backend),
            message=text[:2_000],
        )
    failure = failure_of(found[0], record.sha256)
    used = {index_of(device["device"]) for device in phase.get("devices", ())}
    index = failure.device_index
    if index is None and len(used) == 1:
        index = next(iter(used))
    return replace(failure, pointer=pointer, device_index=index)
