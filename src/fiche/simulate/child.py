"""The process of one simulation: `python -m fiche.simulate.child` reads a job on standard input.

It writes the document on standard output, and behind a zero byte the stream of events where the job asks for
it; whatever the simulated code prints goes to standard error instead. It ends with 0; 2 where it cannot be
simulated (one sentence on standard error, no document); 3 where what was simulated raised; 4 where its limit
of host memory was reached; 130 where it was interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib.util import find_spec
from pathlib import Path

from fiche.simulate import limits
from fiche.simulate.job import SEPARATOR, Job, job_of
from fiche.simulate.refusal import NotSimulatedError

DONE, REFUSED, FAILED, MEMORY, INTERRUPTED = 0, 2, 3, 4, 130
_NO_TORCH = "PyTorch is not installed in this Python: a simulation runs the model's own code on it"


def main(text: str | None = None) -> int:
    """Simulate one job, read from standard input where none is given; the exit code."""
    out = _own_output()
    try:
        job = job_of(sys.stdin.read() if text is None else text)
        limits.bound(job.memory_bytes)
        if find_spec("torch") is None:
            return _refused(_NO_TORCH)
        return _simulated(job, out)
    except (ValueError, NotSimulatedError) as error:
        return _refused(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:
        return MEMORY


def _own_output() -> int:
    """Standard output for the document alone: what code prints joins standard error."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _simulated(job: Job, out: int) -> int:
    """What is wrong with the job is a refusal; what is raised from then on is the workload's.

    Raises:
        NotSimulatedError: it cannot be simulated.
        ValueError: the job is wrong, or what ran had no phase.
    """
    from fiche.simulate import document
    from fiche.simulate.workload import simulation_of, workload_of

    workload = workload_of(job)
    try:
        simulation = simulation_of(job, workload)
    except NotSimulatedError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the workload raises
        return MEMORY if limits.is_without_memory(error) else _failed(error)
    _write(out, document.encoded(document.document(job, workload, simulation)))
    if job.events:
        _write(out, SEPARATOR + document.events_csv(simulation))
    return DONE


def _write(out: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(out, view) :]


def _failed(error: Exception) -> int:
    """The lines of code outside of libraries that led to it, and what was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if not _is_of_a_library(each.filename)]
    lines = str(error).strip().splitlines()
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    sys.stderr.writelines(traceback.format_list(own))
    sys.stderr.write(f"{type(error).__name__}: {lines[0][:500] if lines else ''}{where}\n")
    return FAILED


def _is_of_a_library(filename: str) -> bool:
    """Ours, Python's own and installed ones; a user's code lies elsewhere."""
    ours = str(Path(__file__).parents[1])
    return filename.startswith(("<", ours, sys.base_prefix, sys.prefix)) or "-packages" in filename


def _refused(sentence: str) -> int:
    sys.stderr.write(f"{' '.join(sentence.split())}\n")
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
