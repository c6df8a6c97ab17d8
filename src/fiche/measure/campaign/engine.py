"""submitit, which starts the jobs: processes of this machine, or jobs of Slurm. It is an extra.

Ours are the limits on how many run at once, and what is kept: submitit's own results are not read.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from fiche.kernel.campaign import Campaign
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.measure.campaign import slurm
from fiche.measure.campaign.work import work

# Slurm sends a warning so long before it ends a job: time to write down how far it came.
_WARNING_S = 60
_QUARTER = 4


class Handle(Protocol):
    """One submitted job."""

    job_id: str

    def done(self) -> bool:
        """True once its process is no more."""


class Engine(Protocol):
    """What starts a try."""

    local: bool

    def submit(self, folder: Path, name: str) -> Handle:
        """Start the try of a folder, or queue it, under a name of its own."""


def ask_to_end(handle: Handle) -> None:
    """Ask a process of this machine to end its job; the job notes that it was asked."""
    if not handle.done():
        with contextlib.suppress(OSError):
            os.kill(int(handle.job_id), signal.SIGTERM)


def engine(campaign: Campaign, folder: Path) -> Engine:
    """The engine that a campaign asks for; it keeps its own files in `folder`.

    Raises:
        Refused: F561 submitit is missing, F562 Slurm is.
    """
    if campaign.executor == "slurm":
        slurm.require()
    submitit = _submitit()
    return (_Slurm if campaign.executor == "slurm" else _Local)(submitit, campaign, folder)


def require(campaign: Campaign) -> None:
    """Refuse before anything is written.

    Raises:
        Refused: F561 submitit is missing, F562 Slurm is.
    """
    if campaign.executor == "slurm":
        slurm.require()
    _submitit()


def _submitit() -> Any:
    os.environ.setdefault("SUBMITIT_LOG_LEVEL", "WARNING")
    try:
        return import_module("submitit")
    except ImportError:
        message = "a campaign needs submitit, which is not installed"
        hint = "pip install 'fiche[cluster]'"
        raise Refused([Diagnostic(code="F561", message=message, address=None, hint=hint)]) from None


class _Local:
    """One process of this machine for each job; how many at once is the caller's."""

    local = True

    def __init__(self, submitit: Any, campaign: Campaign, folder: Path) -> None:
        self._executor = submitit.LocalExecutor(folder)
        # The job ends itself before: this one is for a job that cannot.
        self._executor.update_parameters(timeout_min=campaign.minutes + 5, signal_delay_s=60)

    def submit(self, folder: Path, name: str) -> Handle:
        """Start it now; a terminal's Ctrl-C reaches it through us alone."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is ignored stays so in a child
        try:
            handle: Handle = self._executor.submit(work, str(folder))
        finally:
            signal.signal(signal.SIGINT, before)
        return handle


class _Slurm:
    """One job of the queue for each job; Slurm decides when."""

    local = False

    def __init__(self, submitit: Any, campaign: Campaign, folder: Path) -> None:
        self._executor = submitit.SlurmExecutor(folder)
        errors = submitit.core.utils
        self._refused = (errors.FailedSubmissionError, errors.UncompletedJobError, OSError)
        self._executor.update_parameters(**parameters(campaign))

    def submit(self, folder: Path, name: str) -> Handle:
        """Queue it.

        Raises:
            Refused: F567 sbatch refuses it, with its own words.
        """
        self._executor.update_parameters(job_name=name)
        try:
            with _outside_a_job():
                handle: Handle = self._executor.submit(work, str(folder))
        except self._refused as error:
            raise Refused([_refusal(error)]) from None
        return handle


def parameters(campaign: Campaign) -> dict[str, Any]:
    """What submitit is told; further parameters go to sbatch as they stand, and win."""
    told: dict[str, Any] = {
        "time": campaign.minutes,
        "signal_delay_s": warning(campaign.minutes),
        # Started again by Slurm itself, a job would write where one has written.
        "additional_parameters": {"no-requeue": True, **campaign.cluster.parameters},
    }
    if campaign.gpus:
        told["gpus_per_node"] = campaign.gpus
    if campaign.cluster.partition:
        told["partition"] = campaign.cluster.partition
    if campaign.cluster.setup:
        told["setup"] = list(campaign.cluster.setup)
    return told


def warning(minutes: int) -> int:
    """Seconds before the end of its time at which Slurm warns a job."""
    return min(_WARNING_S, minutes * 60 // _QUARTER)


@contextlib.contextmanager
def _outside_a_job() -> Iterator[None]:
    """A campaign inside an allocation hands none of that allocation's variables on."""
    kept = dict(os.environ)
    for name in set(kept) - set(slurm.environment()):
        if name != "SLURM_CONF":
            del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(kept)


def _refusal(error: Exception) -> Diagnostic:
    lines = [line for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if line.startswith("sbatch:")] or lines
    message = f"Slurm did not take the job: {said[-1].strip()[:300] if said else 'no reason given'}"
    hint = "mend the partition or the parameters, and say the same command again"
    return Diagnostic(code="F567", message=message, address=None, hint=hint)
