"""One measurement as its process is told of it: a JSON object on standard input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.kernel.record import field, field_names, record
from fiche.measure.job_text import COUNT, TABLE, TEXT, Kinds, told_of

ORDERINGS = ("phased", "whole_loop")
EMPTY_CACHE = ("never", "between_repeats")


@record
class Job:
    """One series in one fresh process (C7).

    `workload` names a ready one and `options` are its own; `words` are words of a fiche that the record
    repeats; `plan` is the record's `series.plan`. `device` None is the process's current one. `environment`
    are variables of that process, for whoever starts it; an empty one is taken away.
    """

    workload: str
    output: str
    device: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    ordering: str = "phased"
    warmups: int = 0
    repeats: int = 0
    empty_cache: str = "never"
    seed: int | None = None
    case: str = ""
    gpu: str = ""
    machine: str = ""
    run: str = ""
    order: str = ""
    plan: Mapping[str, Any] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """The object that `job_of` reads back."""
        return {name: getattr(self, name) for name in field_names(self)}


# Per key, what JSON value it takes, and whether it may be null.
_KINDS: Kinds = {
    "workload": (TEXT, False),
    "output": (TEXT, False),
    "device": (TEXT, True),
    "options": (TABLE, False),
    "words": (TABLE, False),
    "ordering": (TEXT, False),
    "warmups": (COUNT, False),
    "repeats": (COUNT, False),
    "empty_cache": (TEXT, False),
    "seed": (COUNT, True),
    "case": (TEXT, False),
    "gpu": (TEXT, False),
    "machine": (TEXT, False),
    "run": (TEXT, False),
    "order": (TEXT, False),
    "plan": (TABLE, True),
    "environment": (TABLE, False),
}


def job_of(text: str) -> Job:
    """Read a job.

    Raises:
        ValueError: it is none; the text of the error is one sentence.
    """
    told = told_of(text, _KINDS)
    for name in ("workload", "output"):
        if not told.get(name):
            raise ValueError(f"the job has no {name}")
    job = Job(**told)
    _one_of("ordering", job.ordering, ORDERINGS)
    _one_of("empty_cache", job.empty_cache, EMPTY_CACHE)
    return job


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value[:60]!r}, not one of {', '.join(known)}")
