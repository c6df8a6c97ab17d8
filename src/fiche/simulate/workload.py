"""The workload of a job: a ready one of `measure`, or a user's own function (child process only)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fiche.kernel.said import tell
from fiche.measure.workloads import _library
from fiche.simulate.job import FUNCTION, Job
from fiche.simulate.placement.asked import Placement
from fiche.simulate.users import own_function

if TYPE_CHECKING:
    from fiche.measure.workloads import ReadyWorkload, Workload
    from fiche.simulate.simulation import Simulation

TURNS = ("first", "repeat")
# PyTorch c10/cuda/CUDAMacros.h: C10_COMPILE_TIME_MAX_GPUS.
_MOST_DEVICES = 120
# No tensor of a simulation has content: nothing is read, and nothing can be written.
_WITHOUT = ("weights", "export")
_NO_EXPORT = tell(
    "export is not simulated: it moves the weights to the host one by one, and there are none"
)


def workload_of(job: Job) -> Workload:
    """The workload, laid out but not yet prepared; where it shortens something, its `notes` say so.

    Raises:
        ValueError: it is unknown, one of its options is wrong, or it is not laid out so; one sentence.
    """
    if job.workload == FUNCTION:
        if set(job.placement) - {"devices", "rank"}:
            raise ValueError(
                "a function lays its own load out: it is told how many devices there are"
            )
        if placement_of(job).devices > _MOST_DEVICES:
            raise ValueError(f"PyTorch gives one process no more than {_MOST_DEVICES} devices")
        return own_function(job.function, job.folder, job.options)
    from fiche.simulate.placement.workload import placed

    return placed(_ready(job), placement_of(job))


def placement_of(job: Job) -> Placement:
    """How the load lies on devices; the rank that is asked about is not part of it.

    Raises:
        ValueError: the words make no placement; one sentence.
    """
    return Placement.of({name: v for name, v in job.placement.items() if name != "rank"})


def _ready(job: Job) -> Workload:
    from fiche.measure.workloads import ready

    one = ready(job.workload)
    options = one.checked({name: v for name, v in job.options.items() if name not in _WITHOUT})
    if job.workload == "training":
        return _training(one, options)
    if job.workload != "generation":
        return one.build(options)
    from fiche.simulate.decoding import SimulatedGeneration

    return SimulatedGeneration(options, every_step=job.every_step)


def _training(one: ReadyWorkload, options: dict[str, Any]) -> Workload:
    """A training; where bitsandbytes packs something of it, with what stands in for that library."""
    from fiche.simulate import packed

    if (
        "quantize" in options
        or options.get("method") == "qlora"
        or "8bit" in str(options.get("optimizer", ""))
    ):
        _library.transformers()
        packed.stand_in()
    made = one.build(options)
    found: Workload = packed.stood_in(made) if packed.uses_packed(made) else made
    return found


def simulation_of(job: Job, workload: Workload) -> Simulation:
    """The workload, run.

    Raises:
        NotSimulatedError: it cannot be simulated.
        Exception: what the workload itself raises.
    """
    from fiche.simulate.loaders import loaders_drawn
    from fiche.simulate.simulated import simulated

    # What fake tensors log of an operator that raises, stands in the exception.
    logging.getLogger("torch._subclasses").setLevel(logging.CRITICAL)
    major, _, minor = job.capability.partition(".")
    placed = placement_of(job)
    with loaders_drawn():
        return simulated(
            workload,
            devices=placed.devices if job.workload == FUNCTION else placed.stand_ins,
            turns=turns_of(workload),
            capability=None if job.capability_by == "assumed" else (int(major), int(minor)),
            capacity_bytes=job.capacity_bytes,
            allocator=job.allocator,
        )


def turns_of(workload: Workload) -> tuple[str, ...]:
    """The passes to run: the first and a later one; a user's function makes its own."""
    turns: tuple[str, ...] = getattr(workload, "turns", TURNS)
    return turns


def notes_of(job: Job, workload: Workload) -> list[str]:
    """What is left out of the load, said once it has run."""
    left = [_NO_EXPORT] if job.workload != FUNCTION and job.options.get("export") else []
    return [*left, *getattr(workload, "notes", ())]
