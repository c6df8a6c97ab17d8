"""One measurement as its process is told of it: a JSON object on standard input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from fiche.kernel.record import field, field_names, record

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


# Per key, what JSON value it takes; the words for a person who wrote it by hand.
_TEXT, _COUNT, _TABLE = "a text", "a whole number from 0", "an object"
_KINDS: dict[str, tuple[str, bool]] = {
    "workload": (_TEXT, False),
    "output": (_TEXT, False),
    "device": (_TEXT, True),
    "options": (_TABLE, False),
    "words": (_TABLE, False),
    "ordering": (_TEXT, False),
    "warmups": (_COUNT, False),
    "repeats": (_COUNT, False),
    "empty_cache": (_TEXT, False),
    "seed": (_COUNT, True),
    "case": (_TEXT, False),
    "gpu": (_TEXT, False),
    "machine": (_TEXT, False),
    "run": (_TEXT, False),
    "order": (_TEXT, False),
    "plan": (_TABLE, True),
    "environment": (_TABLE, False),
}


def job_of(text: str) -> Job:
    """Read a job.

    Raises:
        ValueError: it is none; the text of the error is one sentence.
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the job is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise ValueError("the job is not a JSON object")
    for name, value in told.items():
        _check(name, value)
    for name in ("workload", "output"):
        if not told.get(name):
            raise ValueError(f"the job has no {name}")
    job = Job(**told)
    _one_of("ordering", job.ordering, ORDERINGS)
    _one_of("empty_cache", job.empty_cache, EMPTY_CACHE)
    return job


def _check(name: str, value: object) -> None:
    if name not in _KINDS:
        raise ValueError(f"the job has an unknown key {name[:60]!r}")
    kind, optional = _KINDS[name]
    if not (_is(value, kind) or (optional and value is None)):
        raise ValueError(f"{name} of the job is not {kind}")


def _is(value: object, kind: str) -> bool:
    if kind == _COUNT:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, str if kind == _TEXT else dict)


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value[:60]!r}, not one of {', '.join(known)}")
