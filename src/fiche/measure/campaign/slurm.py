"""What Slurm's own queue says of our jobs: one question for all of them, none of it guessed.

`squeue --states=all` also tells of jobs that ended some minutes ago (MinJobAge); `sacct`, where a
cluster keeps accounts, of older ones. A queue that does not answer is told as such: then nobody knows
whether a job still waits, and nothing may be submitted twice.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.measure.campaign.folder import FAILED, INTERRUPTED, QUEUED_, RUNNING, Told

_WAITS = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT")
# One that is over has not been seen to write its end yet: shared disks take a while.
_RUNS = ("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING", "STAGE_OUT")
_OVER = ("COMPLETED",)
_FAILS = ("FAILED", "TIMEOUT", "DEADLINE", "OUT_OF_MEMORY")
_SECONDS = 60
_FORMAT = "%i|%j|%T|%r"


def queue(ids: Iterable[str] = ()) -> dict[str, Told]:
    """What is known of this user's jobs, by job id and by job name; of `ids` also from the accounts.

    Raises:
        Refused: F562 Slurm is not here, or does not answer.
    """
    lines = _asked(["squeue", "--noheader", "--states=all", "--me", f"--format={_FORMAT}"])
    found: dict[str, Told] = {}
    for line in lines:
        id, _, rest = line.partition("|")
        name, _, state = rest.partition("|")
        word, _, reason = state.partition("|")
        found[id] = found[name] = told(word, reason)
    older = [id for id in ids if id and id not in found]
    return {**_accounts(older), **found}


def told(word: str, reason: str = "") -> Told:
    """One of Slurm's words for a job's state as ours."""
    plain = word.split()[0].rstrip("+") if word.split() else ""
    why = f"Slurm says {plain}" + (f" ({reason})" if reason not in ("", "None") else "")
    if plain in _WAITS:
        return Told(state=QUEUED_, message=why)
    if plain in (*_RUNS, *_OVER):
        return Told(state=RUNNING, message="" if plain == "RUNNING" else why)
    return Told(state=FAILED if plain in _FAILS else INTERRUPTED, message=why)


def _asked(command: list[str]) -> list[str]:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        raise Refused([absent(command[0])]) from None
    except subprocess.TimeoutExpired:
        raise Refused([_silent(f"no answer in {_SECONDS} s")]) from None
    if done.returncode:
        raise Refused([_silent((done.stderr.strip().splitlines() or ["no reason given"])[-1])])
    return done.stdout.splitlines()


def _accounts(ids: list[str]) -> dict[str, Told]:
    """What the accounts say, where the cluster keeps any; only how a job ended is taken from there."""
    if not ids:
        return {}
    command = ["sacct", "-n", "-X", "-P", "-o", "JobID,State", "-j", ",".join(ids)]
    try:
        lines = _asked(command)
    except Refused:
        return {}
    pairs = (line.partition("|") for line in lines)
    return {id: found for id, _, word in pairs if (found := told(word)).state != RUNNING}


def require() -> None:
    """Refuse where jobs cannot be submitted.

    Raises:
        Refused: F562 there is no sbatch here.
    """
    for program in ("sbatch", "squeue", "srun"):
        if shutil.which(program) is None:
            raise Refused([absent(program)])


def absent(program: str) -> Diagnostic:
    """F562: Slurm is not on this machine."""
    message = f"Slurm is asked for, and this machine has no {program}"
    hint = "run it where jobs are submitted, or say executor: local"
    return Diagnostic(code="F562", message=message, address=None, hint=hint)


def _silent(why: str) -> Diagnostic:
    message = f"Slurm does not say how its jobs stand: {why}"
    hint = "nothing was submitted; say the same command again once squeue answers"
    return Diagnostic(code="F562", message=message, address=None, hint=hint)


def log_of(folder: Path, job: str) -> str:
    """The last line that the engine itself said on a job's standard error."""
    for path in sorted(folder.glob(f"{job}_*_log.err")):
        with contextlib.suppress(OSError):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            return next((line[:500] for line in reversed(lines) if line.strip()), "")
    return ""


def environment() -> dict[str, str]:
    """The variables by which a job inside a job would take itself for the outer one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
