"""A campaign's folder is its state: what was tried, how it ended, what may be tried next (C10, C11).

    jobs/JOB/job.json        what the job is, with its digest
    jobs/JOB/try-1/          the first try: see `work`; a later one never touches it
    engine/                  submitit's own files

A job's name ends in the digest of what it does: a changed campaign makes other jobs beside these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche.kernel.record import field, record, replace
from fiche.measure.campaign.files import is_locked, read, write_new
from fiche.measure.campaign.plan import Job
from fiche.measure.campaign.work import ENDED, LOCK, QUEUED, STARTED, SUBMIT, now

JOB = "job.json"
FORMAT = "fiche-campaign-job/1"

WAITING, QUEUED_, RUNNING = "waiting", "queued", "running"
DONE, FAILED, REFUSED, INTERRUPTED = "done", "failed", "refused", "interrupted"
# A try in one of these may still make its record: nothing is started beside it.
LIVING = (QUEUED_, RUNNING)
_BY_EXIT: Mapping[int | None, str] = {0: DONE, 2: REFUSED, 130: INTERRUPTED}
_TRY = re.compile(r"try-([1-9][0-9]{0,8})")
_LONGEST_S = 10**9
_PROMPT = "its time was up"


@record
class Try:
    """One try at a job: its state, and whatever tells why.

    `queued` is the engine's own id of it, `records` the digests that it noted of its records.
    """

    number: int
    folder: Path
    state: str
    message: str = ""
    exit: int | None = None
    seconds: float | None = None
    host: str = ""
    queued: str = ""
    records: Mapping[str, str] = field(default_factory=dict)


@record
class Told:
    """What the queue of a cluster says of one of its jobs: queued, running, failed or interrupted."""

    state: str
    message: str = ""


# By the queue's id of a job, and by the name under which it was submitted.
Queue = Mapping[str, Told]


def job_folder(output: Path, job: Job) -> Path:
    """Where the tries of a job lie."""
    return output / "jobs" / job.id


def tries(output: Path, job: Job, queue: Queue | None = None) -> tuple[Try, ...]:
    """Every try at a job, the first one first."""
    found = job_folder(output, job).glob("try-*")
    numbered = {int(n[1]): path for path in found if (n := _TRY.fullmatch(path.name))}
    return tuple(seen(numbered[n], n, queue or {}) for n in sorted(numbered))


def seen(folder: Path, number: int, queue: Queue) -> Try:
    """How a try stands: by what it noted at its end, else by its lock, else by the queue."""
    queued = read(folder / QUEUED) or {}
    ended = read(folder / ENDED)
    started = read(folder / STARTED) or {}
    id, host = str(queued.get("job", "")), str(started.get("host", ""))
    plain = Try(number=number, folder=folder, state=RUNNING, queued=id, host=host)
    if ended is not None:
        return _ended(plain, ended)
    if is_locked(folder / LOCK):
        return plain
    told = queue.get(id) or queue.get(str((read(folder / SUBMIT) or {}).get("name", "")))
    if told is not None:
        return replace(plain, state=told.state, message=told.message)
    why = str(started.get("void", "")) or "it ended without a word"
    return replace(plain, state=INTERRUPTED, message=why)


def _ended(tried: Try, ended: dict[str, Any]) -> Try:
    code, how = ended.get("exit"), str(ended.get("how", ""))
    code = code if isinstance(code, int) else None
    state, message = _BY_EXIT.get(code, FAILED), str(ended.get("message", ""))
    noted = _noted(ended)
    if state == DONE and not ended.get("records"):
        state, message = FAILED, "it ended well and wrote no record"
    elif state == DONE and not (noted and all((tried.folder / name).is_file() for name in noted)):
        state, message = INTERRUPTED, "its record is gone"
    elif how.startswith("asked to end") and state != DONE:
        state, message = INTERRUPTED, how
    elif how == _PROMPT:
        state, message = FAILED, how
    elif state == FAILED and not message:
        message = f"exit code {code}"
    message = "" if state == DONE else message
    return replace(
        tried, state=state, message=message, exit=code, seconds=_seconds(ended), records=noted
    )


def _noted(ended: dict[str, Any]) -> dict[str, str]:
    """Digests by name of the records that were there at the end; none where somebody's hand made it unclear."""
    told = ended.get("records")
    entries = told if isinstance(told, list) else []
    pairs = [(e.get("file"), e.get("sha256", "")) for e in entries if isinstance(e, dict)]
    found = {n: sha for n, sha in pairs if isinstance(n, str) and isinstance(sha, str)}
    inside = all(n and not n.startswith("/") and ".." not in n.split("/") for n in found)
    return found if inside and len(found) == len(entries) else {}


def _seconds(ended: dict[str, Any]) -> float | None:
    told = ended.get("seconds")
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return told if 0 <= told < _LONGEST_S else None  # neither is true of what is no number


def state(found: tuple[Try, ...]) -> str:
    """How a job stands: done once one try is, else as its last try."""
    if any(each.state == DONE for each in found):
        return DONE
    return found[-1].state if found else WAITING


def is_due(found: tuple[Try, ...], retry_failed: bool) -> bool:
    """True where a job is to be tried: never once it has its record, nor beside a living try."""
    now_ = state(found)
    if any(each.state in LIVING for each in found):
        return False
    return now_ in (WAITING, INTERRUPTED) or (retry_failed and now_ in (FAILED, REFUSED))


def try_folder(output: Path, job: Job, number: int) -> Path:
    """Where a try lies."""
    return job_folder(output, job) / f"try-{number}"


def new_try(output: Path, job: Job, number: int, submit: dict[str, Any]) -> Path:
    """Make the folder of a try, with what it is to run.

    Raises:
        OSError: it is there already, or cannot be written.
    """
    folder = try_folder(output, job, number)
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_new(folder.parent / JOB, described(job))
    folder.mkdir()
    write_new(folder / SUBMIT, {"at": now(), **submit})
    return folder


def cards_of(tried: Try) -> list[str]:
    """The cards that a try was given, where the campaign chose them."""
    return [str(each) for each in (read(tried.folder / SUBMIT) or {}).get("cards", ())]


def void(tried: Try, why: str) -> bool:
    """Take a try that nobody has started out of play; False where somebody has by now.

    Raises:
        OSError: it cannot be written.
    """
    return write_new(tried.folder / STARTED, {"void": why, "at": now()})


def described(job: Job) -> dict[str, Any]:
    """`job.json`."""
    return {
        "format": FORMAT,
        "id": job.id,
        "case": job.case,
        "variant": job.variant,
        "changed": dict(job.changed_shown),
        "repetition": job.repetition,
        "words": list(job.words_shown),
        "digest": job.digest,
    }
