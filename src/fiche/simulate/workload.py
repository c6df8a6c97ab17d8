"""The workload of a job: a ready one of `measure`, or a user's own function (child process only)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fiche.simulate.job import FUNCTION, Job
from fiche.simulate.users import own_function

if TYPE_CHECKING:
    from fiche.measure.workloads import Workload
    from fiche.simulate.simulation import Simulation

TURNS = ("first", "repeat")
# Weights are never read: no tensor of a simulation has content.
_UNREAD = ("weights",)


def workload_of(job: Job) -> Workload:
    """The workload, not yet prepared; where it shortens something, its `notes` say so.

    Raises:
        ValueError: it is unknown, or one of its options is wrong; one sentence.
    """
    if job.workload == FUNCTION:
        return own_function(job.function, job.folder, job.options)
    from fiche.measure.workloads import ready

    one = ready(job.workload)
    options = one.checked({name: v for name, v in job.options.items() if name not in _UNREAD})
    if job.workload != "generation":
        return one.build(options)
    from fiche.simulate.decoding import SimulatedGeneration

    return SimulatedGeneration(options)


def simulation_of(job: Job, workload: Workload) -> Simulation:
    """The workload, run.

    Raises:
        NotSimulatedError: it cannot be simulated.
        Exception: what the workload itself raises.
    """
    from fiche.simulate.simulated import simulated

    # What fake tensors log of an operator that raises, stands in the exception.
    logging.getLogger("torch._subclasses").setLevel(logging.CRITICAL)
    major, _, minor = job.capability.partition(".")
    return simulated(
        workload,
        devices=int(job.placement.get("devices", 1)),
        turns=turns_of(workload),
        capability=None if job.capability_by == "assumed" else (int(major), int(minor)),
        capacity_bytes=job.capacity_bytes,
    )


def turns_of(workload: Workload) -> tuple[str, ...]:
    """The passes to run: the first and a later one; a user's function makes its own."""
    turns: tuple[str, ...] = getattr(workload, "turns", TURNS)
    return turns


def notes_of(workload: Workload) -> list[str]:
    """What the workload itself has to say, once it has run."""
    return list(getattr(workload, "notes", ()))
