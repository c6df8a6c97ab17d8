"""Workloads that fiche runs by itself: a door of which each member is one module."""

from __future__ import annotations

from fiche.measure.job import Job
from fiche.measure.workloads._ready import ReadyWorkload, Workload
from fiche.registry import member, member_names

__all__ = ["ReadyWorkload", "Workload", "build", "ready"]

_DOOR = "fiche.measure.workloads"


def ready(name: str) -> ReadyWorkload:
    """The member of that name.

    Raises:
        ValueError: there is none; one sentence.
    """
    known = member_names(_DOOR)
    if name not in known:
        raise ValueError(f"{name[:60]!r} is no workload: there are {', '.join(known)}")
    return member(_DOOR, name, ReadyWorkload)


def build(job: Job) -> Workload:
    """The workload of a job, not yet prepared.

    Raises:
        ValueError: it is unknown, or one of its options is wrong; one sentence.
    """
    one = ready(job.workload)
    seeded = {"seed": job.seed} if "seed" in one.options and job.seed is not None else {}
    return one.build(one.checked({**seeded, **job.options}))
