"""The process of one simulation: `python -m fiche.simulate.child` reads a job on standard input.

It writes the document on standard output, and behind a zero byte the stream of events where the job asks for
it; whatever the simulated code prints goes to standard error instead. It ends with 0; 2 where it cannot be
simulated (one sentence on standard error, no document); 3 where what was simulated raised; 4 where its limit
of host memory was reached; 130 where it was interrupted.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from fiche.simulate import limits
from fiche.simulate.job import SEPARATOR, Job, job_of
from fiche.simulate.refusal import NotSimulatedError

DONE, REFUSED, FAILED, MEMORY, INTERRUPTED = 0, 2, 3, 4, 130
_NO_TORCH = "PyTorch is not installed in this Python: a simulation runs the model's own code on it"


def main(text: str | None = None) -> int:
    """Simulate one job, read from standard input where none is given; the exit code."""
    out, own = _own_output(), os.getpid()
    code, written = _run(text)
    if os.getpid() != own:  # a copy that the program made of its process, and let go on
        os._exit(code)
    return _write(out, written) if code == DONE else code


def _run(text: str | None) -> tuple[int, bytes]:
    """The exit code, and where it is `DONE` what there is to write."""
    try:
        job = job_of(sys.stdin.read() if text is None else text)
        limits.bound(job.memory_bytes)
        if find_spec("torch") is None:
            return _refused(_NO_TORCH), b""
        return _simulated(job)
    except (ValueError, NotSimulatedError) as error:
        return (MEMORY if limits.is_without_memory(error) else _refused(str(error))), b""
    except KeyboardInterrupt:
        return INTERRUPTED, b""
    except MemoryError:
        return MEMORY, b""


def _own_output() -> int:
    """Standard output for the document alone: what code prints joins standard error."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _simulated(job: Job) -> tuple[int, bytes]:
    """What is wrong with the job is a refusal; what is raised from then on is the workload's.

    Raises:
        NotSimulatedError: it cannot be simulated.
        ValueError: the job is wrong, or what ran had no phase.
        KeyboardInterrupt: it was interrupted.
    """
    from fiche.simulate import document
    from fiche.simulate.workload import simulation_of, workload_of

    workload = workload_of(job)
    try:
        with _threads_heard():
            simulation = simulation_of(job, workload)
    except (NotSimulatedError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever the workload raises, SystemExit included
        return (MEMORY if limits.is_without_memory(error) else _failed(error)), b""
    written = document.encoded(document.document(job, workload, simulation))
    if job.events:
        written += SEPARATOR + document.events_csv(simulation)
    return DONE, written


@contextlib.contextmanager
def _threads_heard() -> Iterator[None]:
    """What a thread of the program raises ends nothing in Python; what it did not do is in no figure then.

    Raises:
        BaseException: what the first one raised, once the program is through.
    """
    raised: list[BaseException] = []
    usual = threading.excepthook

    def hear(told: threading.ExceptHookArgs) -> None:
        if told.exc_value is not None:
            raised.append(told.exc_value)

    threading.excepthook = hear
    try:
        yield
    finally:
        threading.excepthook = usual
    if raised:
        raise raised[0]


def _write(out: int, content: bytes) -> int:
    view = memoryview(content)
    try:
        while view:
            view = view[os.write(out, view) :]
    except OSError as error:  # a full disk; a program that closes what is not its own
        sys.stderr.write(f"\nthe document of the simulation cannot be written: {error.strerror}\n")
        return FAILED
    return DONE


def _failed(error: BaseException) -> int:
    """The lines of code outside of libraries that led to it, and what was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if not _is_of_a_library(each.filename)]
    where = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    sys.stderr.write("\n" + "".join(traceback.format_list(own)))
    sys.stderr.write(f"{_raised(error)}{where}\n")
    return FAILED


def _raised(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the program ended its own process, by SystemExit {str(error.code)[:100]}"
    lines = limits.text_of(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:500]}" if lines else type(error).__name__


def _is_of_a_library(filename: str) -> bool:
    """Ours, Python's own and installed ones; a user's code lies elsewhere."""
    ours = str(Path(__file__).parents[1])
    return filename.startswith(("<", ours, sys.base_prefix, sys.prefix)) or "-packages" in filename


def _refused(sentence: str) -> int:
    sys.stderr.write(f"\n{' '.join(sentence.split())}\n")
    return REFUSED


if __name__ == "__main__":
    ended = main()
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(ended)  # a thread that the program left running would keep the process
