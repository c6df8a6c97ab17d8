"""One simulation as its process is told of it: a JSON object on standard input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fiche.kernel.record import field, field_names, record
from fiche.measure.job_text import COUNT, TABLE, TEXT, TEXTS, TRUTH, Kinds, told_of

FUNCTION = "function"
# Behind the document, where a second file follows it on one stream: JSON has no such byte.
SEPARATOR = b"\0"


@record
class Job:
    """One simulation in one process of its own.

    `workload` names a ready one of `measure`, or is `function`: then `function` is "module:name" or
    "file.py:name", and `folder` is where Python looks for it first. `options` are those of the workload, or the
    keyword arguments of the function. `words` are words of a fiche that the document repeats.

    `allocator` is what PYTORCH_CUDA_ALLOC_CONF would hold; `capacity_bytes` None is a device without an end.
    `capability` is the compute capability that code is told ("8.0"), `capability_by` and `capacity_by` say who
    says so. `placement` has `devices`, `rank`, `sharding` and `tensor_parallel`, as far as they are told.
    `memory_bytes` bounds the process itself, None does not. `events` asks for the stream of memory events,
    `every_step` for all steps of a long decode.
    """

    workload: str
    options: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    folder: str = ""
    case: str = ""
    gpu: str = ""
    machine: str = ""
    allocator: str = ""
    capacity_bytes: int | None = None
    capacity_by: str = ""
    capability: str = "8.0"
    capability_by: str = "assumed"
    placement: Mapping[str, Any] = field(default_factory=dict)
    memory_bytes: int | None = None
    events: bool = False
    every_step: bool = False
    notes: Sequence[str] = ()

    def json(self) -> dict[str, Any]:
        """The object that `job_of` reads back."""
        told = {name: getattr(self, name) for name in field_names(self)}
        return {**told, "notes": list(self.notes)}


# Per key, what JSON value it takes, and whether it may be null.
_KINDS: Kinds = {
    **dict.fromkeys(("workload", "function", "folder", "case", "gpu", "machine"), (TEXT, False)),
    **dict.fromkeys(
        ("allocator", "capacity_by", "capability", "capability_by"),
        (TEXT, False),
    ),
    **dict.fromkeys(("options", "words", "placement"), (TABLE, False)),
    **dict.fromkeys(("capacity_bytes", "memory_bytes"), (COUNT, True)),
    **dict.fromkeys(("events", "every_step"), (TRUTH, False)),
    "notes": (TEXTS, False),
}


def job_of(text: str) -> Job:
    """Read a job.

    Raises:
        ValueError: it is none; the text of the error is one sentence.
    """
    told = told_of(text, _KINDS)
    if not told.get("workload"):
        raise ValueError("the job has no workload")
    if told["workload"] == FUNCTION and not told.get("function"):
        raise ValueError("the job names no function")
    return Job(**{**told, "notes": tuple(told.get("notes", ()))})
