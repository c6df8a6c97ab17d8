"""The process of one measurement: `python -m fiche.measure.child` reads a job on standard input.

It ends with 0; 2 where it is refused (one sentence on standard error, nothing written); 3 where the
workload failed, its record kept; 130 where it was interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiche.measure import workloads
from fiche.measure.job import Job, job_of
from fiche.measure.protocol import devices
from fiche.measure.protocol.journal import journal_of
from fiche.measure.protocol.places import record_path

if TYPE_CHECKING:
    from fiche.measure.workloads import Workload

DONE, REFUSED, FAILED, INTERRUPTED = 0, 2, 3, 130


def main(text: str | None = None) -> int:
    """Measure one job, read from standard input where none is given; the exit code."""
    try:
        job = job_of(sys.stdin.read() if text is None else text)
        # In this order nothing is written where there is nothing to measure with.
        found = devices.find_devices(job.device)
        workload = workloads.build(job)
    except (ValueError, devices.NoDevice) as error:
        return _refused(str(error))
    except ImportError as error:
        return _refused(f"{job.workload} needs {error.name or error}, which cannot be imported")
    except KeyboardInterrupt:
        return INTERRUPTED
    return _measured(job, found, workload)


def _measured(job: Job, found: devices.Devices, workload: Workload) -> int:
    from fiche.measure.protocol.recorder import recorder
    from fiche.measure.protocol.turns import measured

    try:
        with recorder(
            job.output,
            device=found,
            workload=merged(workload.words, job.words),
            case=job.case,
            gpu=job.gpu,
            machine=job.machine,
            run=job.run,
            warmups=job.warmups,
            repeats=job.repeats,
            empty_cache=job.empty_cache,
            seed=job.seed,
            order=job.order,
            plan=None if job.plan is None else dict(job.plan),
        ) as rec:
            _seed(job.seed)
            measured(
                rec,
                workload,
                ordering=job.ordering,
                warmups=job.warmups,
                repeats=job.repeats,
                empty_cache=job.empty_cache,
            )
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever the workload raises is an observation (C11)
        return _unwritten(job, error) or _failed(error)
    return DONE


def merged(own: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Words of a fiche beside those of the workload: where both speak, what really runs stands."""
    both = dict(told)
    for name, value in own.items():
        other = told.get(name)
        both[name] = value
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            both[name] = merged(value, other)
    return both


def _seed(seed: int | None) -> None:
    if seed is not None:
        import torch

        torch.manual_seed(seed)


def _unwritten(job: Job, error: Exception) -> int:
    """2 where it is the record that could not be written, which is no failure of the workload."""
    if not isinstance(error, OSError) or not isinstance(error.filename, str | Path):
        return DONE
    path = record_path(job.output).absolute()
    if Path(error.filename).absolute() not in (path, journal_of(path), *path.parents):
        return DONE
    return _refused(f"{error.filename}: {error.strerror}")


def _failed(error: Exception) -> int:
    lines = str(error).strip().splitlines()
    sys.stderr.write(f"{type(error).__name__}: {lines[0][:500] if lines else ''}\n")
    return FAILED


def _refused(sentence: str) -> int:
    sys.stderr.write(f"{' '.join(sentence.split())}\n")
    return REFUSED


if __name__ == "__main__":
    sys.exit(main())
