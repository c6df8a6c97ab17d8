"""A campaign from its file to its summary: where reading, measuring and reading back meet."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from fiche import __version__
from fiche.cli.campaign_rows import Row, rows, table_csv
from fiche.cli.interrupt import held
from fiche.cli.output import write_file
from fiche.cli.terminal import put_message
from fiche.cli.usage import together
from fiche.kernel.campaign import Campaign
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.campaign import load_campaign
from fiche.measure.campaign import cards, engine
from fiche.measure.campaign.drive import Drive, Standing, standings
from fiche.measure.campaign.files import locked, read, write_new
from fiche.measure.campaign.folder import DONE, FAILED, INTERRUPTED, REFUSED, WAITING, Try
from fiche.measure.campaign.plan import Job, hidden, jobs

FORMAT = "fiche-campaign/1"
DOCUMENT, TABLE, LOCK, ENGINE, PLANS = "campaign.json", "summary.csv", "lock", "engine", "plans"


@record(eq=False)
class Found:
    """How a campaign stands, with the rows of its table, and both as one JSON object."""

    ready: Ready
    standings: tuple[Standing, ...]
    rows: tuple[Row, ...]
    by_job: Mapping[str, Sequence[Row]]
    document: dict[str, Any]

    @property
    def is_well(self) -> bool:
        """True where no job failed or was refused, and none was cut."""
        return all(one.state not in _BAD for one in self.standings)

    def rows_of(self, job: str) -> Sequence[Row]:
        """The rows of one job."""
        return self.by_job.get(job, ())


_BAD = (FAILED, REFUSED, INTERRUPTED)


@record(eq=False)
class Ready:
    """A campaign file that was read, with its jobs; nothing is started or written yet."""

    file: Path
    campaign: Campaign
    jobs: tuple[Job, ...]

    @property
    def home(self) -> Path:
        """Where commands run: beside the file."""
        return self.file.parent.absolute()

    @property
    def output(self) -> Path:
        """The folder of the campaign."""
        return self.home / self.campaign.output

    def status(self) -> Found:
        """How the jobs stand; nothing is written.

        Raises:
            Refused: F560 the folder is another's, F562 Slurm does not answer.
        """
        _refuse_strange(self)
        return found(self, standings(self.campaign, self.jobs, self.output))

    def dry_json(self) -> dict[str, Any]:
        """The jobs for programs."""
        told = [_job(each) for each in self.jobs]
        return {"format": "fiche-campaign-plan/1", **_head(self), "jobs": told}


def prepared(file: Path) -> Ready:
    """Read a campaign.

    Raises:
        Refused: whatever is wrong with it.
    """
    campaign = load_campaign(file, _options_of("measure"))
    return Ready(file=file, campaign=campaign, jobs=jobs(campaign))


def _options_of(command: str) -> frozenset[str]:
    """The options of a command by name, as a campaign writes them; none where there is no such one."""
    import typer.main

    from fiche.cli.main import app

    found = getattr(typer.main.get_command(app), "commands", {}).get(command)
    named = (option for each in getattr(found, "params", ()) for option in each.opts)
    return frozenset(name[2:].replace("-", "_") for name in named if name.startswith("--"))


def carried_out(ready: Ready, *, retry_failed: bool, no_wait: bool) -> Found:
    """Run what is due, then write the table and `campaign.json`.

    Raises:
        Refused: F702 there is no queue to leave jobs to, F560 the folder is another's, F561 submitit is
            missing, F562 Slurm is, F564 another process works in the folder, F566 there is no card; all of
            these before anything is written; F567 Slurm does not take a job.
        KeyboardInterrupt: this process was asked to end; how to go on was said.
    """
    if no_wait and ready.campaign.executor == "local":
        hint = "leave it out, or say executor: slurm"
        raise Refused(
            [together("--no-wait leaves jobs to a queue, and this machine has none", hint)]
        )
    _refuse_strange(ready)
    engine.require(ready.campaign)
    seen = _cards(ready)
    _make_folder(ready)
    with locked(ready.output / LOCK) as lock:
        if lock is None:
            raise Refused([_busy(ready.output)])
        _keep_plan(ready)
        with _asked_to_end(ready):
            drive = _drive(ready, seen)
            stand = drive.run(retry_failed=retry_failed, wait=not no_wait)
        done = found(ready, stand)
        _write(ready, done)
    return done


def _drive(ready: Ready, seen: cards.Cards | None) -> Drive:
    return Drive(
        ready.campaign,
        ready.jobs,
        ready.output,
        engine.engine(ready.campaign, ready.output / ENGINE),
        home=ready.home,
        cards=seen,
        tell=put_message,
    )


def _cards(ready: Ready) -> cards.Cards | None:
    """The cards of this machine, where jobs run here and one is still to run."""
    if ready.campaign.executor == "slurm":
        return None
    if all(one.state == DONE for one in standings(ready.campaign, ready.jobs, ready.output)):
        return None
    seen = cards.cards(ready.jobs[0].own)
    if len(seen.tokens) < ready.campaign.gpus:
        message = f"each job is to get {ready.campaign.gpus} cards, and this machine has {len(seen.tokens)}"
        raise Refused([Diagnostic(code="F566", message=message, address=None)])
    return seen


# --- The folder -------------------------------------------------------------------------------


def _refuse_strange(ready: Ready) -> None:
    """Refuse a folder that holds something else than this campaign (F560)."""
    output = ready.output
    there = read(output / DOCUMENT) or {}
    if there.get("format") == FORMAT and there.get("id") == ready.campaign.id:
        return
    if output.is_symlink() or (output.exists() and (not output.is_dir() or any(output.iterdir()))):
        message = f"{output} holds something else than the campaign '{ready.campaign.id}'"
        hint = "name another folder as output, or give this campaign its own id back"
        raise Refused([Diagnostic(code="F560", message=message, address=None, hint=hint)])


def _make_folder(ready: Ready) -> None:
    if not (ready.output / DOCUMENT).exists():
        begun = [Standing(job=job, tries=()) for job in ready.jobs]
        _write_document(ready, _document(ready, begun, {}))


def _busy(output: Path) -> Diagnostic:
    message = f"another process works on the campaign in {output}"
    hint = "wait for it, or look with --status"
    return Diagnostic(code="F564", message=message, address=None, hint=hint)


def _keep_plan(ready: Ready) -> None:
    """The file as it was read: records are kept for years, and the file is edited tomorrow."""
    folder = ready.output / PLANS
    folder.mkdir(exist_ok=True)
    kept = {"format": FORMAT, "file": ready.file.name, "sha256": ready.campaign.sha256}
    text_ = ready.file.read_text(encoding="utf-8-sig", errors="replace")
    write_new(
        folder / f"{ready.campaign.sha256[:12]}.json", {**kept, "text": _public(text_, ready.jobs)}
    )


def _public(text: str, planned: Sequence[Job]) -> str:
    """The file without secrets, also those that only their option gives away."""
    pairs = {pair for job in planned for pair in zip(job.words, job.words_shown, strict=True)}
    for word, shown in pairs:
        text = text.replace(word, shown) if word != shown and len(word) > _TOO_SHORT else text
    return hidden(text)


_TOO_SHORT = 3  # a word so short stands everywhere


def _write(ready: Ready, done: Found) -> None:
    table = table_csv(done.rows).encode("utf-8")
    with held():
        write_file(ready.output / TABLE, table, force=True)
        _write_document(ready, done.document)


def _write_document(ready: Ready, document: dict[str, Any]) -> None:
    import json

    content = json.dumps(document, indent=1, allow_nan=False) + "\n"
    write_file(ready.output / DOCUMENT, content.encode("ascii"), force=True)


# --- Asked to end -----------------------------------------------------------------------------


@contextlib.contextmanager
def _asked_to_end(ready: Ready) -> Iterator[None]:
    """Let the work end in order when the process is asked to, and say how to go on."""
    asked: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        asked.append(number)
        if len(asked) == 1:
            put_message(_going(ready))
        raise KeyboardInterrupt

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    before = {n: signal.signal(n, note) for n in (getattr(signal, name) for name in names)}
    try:
        yield
    except KeyboardInterrupt:
        put_message(_resume(ready))
        if asked and asked[0] != signal.SIGINT:
            signal.signal(asked[0], signal.SIG_DFL)
            os.kill(os.getpid(), asked[0])
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _going(ready: Ready) -> str:
    if ready.campaign.executor == "slurm":
        return "jobs that Slurm has go on without this command"
    return "waiting for the running jobs to write down how far they came"


def _resume(ready: Ready) -> str:
    program = Path(sys.argv[0]).name if sys.argv else "fiche"
    return f"to go on: {program} campaign {ready.file}    to look: add --status"


# --- JSON -------------------------------------------------------------------------------------


def found(ready: Ready, stand: Sequence[Standing]) -> Found:
    """The rows and the document of how jobs stand."""
    table = tuple(rows(ready.campaign, stand, ready.output))
    by_job: dict[str, list[Row]] = {}
    for row in table:
        by_job.setdefault(row.job, []).append(row)
    return Found(
        ready=ready,
        standings=tuple(stand),
        rows=table,
        by_job=by_job,
        document=_document(ready, stand, by_job),
    )


def _head(ready: Ready) -> dict[str, Any]:
    campaign = ready.campaign
    return {
        "tool": {"name": "fiche", "version": __version__},
        "id": campaign.id,
        "title": campaign.title,
        "file": {"name": ready.file.name, "sha256": campaign.sha256},
        "executor": campaign.executor,
        "order": "listed" if campaign.seed is None else {"shuffled": campaign.seed},
    }


def _document(
    ready: Ready, stand: Sequence[Standing], by_job: Mapping[str, Sequence[Row]]
) -> dict[str, Any]:
    states = [one.state for one in stand]
    return {
        "format": FORMAT,
        **_head(ready),
        "states": {state: states.count(state) for state in dict.fromkeys((WAITING, DONE, *states))},
        "rows": sum(map(len, by_job.values())),
        "jobs_of_other_plans": others(ready),
        "jobs": [_stood(one, by_job.get(one.job.id, ()), ready.output) for one in stand],
    }


def others(ready: Ready) -> list[str]:
    """The jobs of earlier plans that the folder keeps, by name: no table shows them (law 8)."""
    own = {job.id for job in ready.jobs}
    return sorted(path.name for path in ready.output.glob("jobs/*") if path.name not in own)


def _job(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "case": job.case,
        "variant": job.variant,
        "changed": dict(job.changed_shown),
        "repetition": job.repetition,
        "index": job.index,
        "words": list(job.words_shown),
        "digest": job.digest,
    }


def _stood(one: Standing, own: Sequence[Row], output: Path) -> dict[str, Any]:
    pieces = {row.piece: row.sha256 for row in own if row.piece}
    return {
        **_job(one.job),
        "state": one.state,
        "message": one.message,
        "tries": [_tried(each, pieces, output) for each in one.tries],
    }


def _tried(tried: Try, pieces: Mapping[str, str], output: Path) -> dict[str, Any]:
    folder = tried.folder.relative_to(output).as_posix() + "/"
    own = [{"file": name, "sha256": sha} for name, sha in pieces.items() if name.startswith(folder)]
    return {
        "number": tried.number,
        "state": tried.state,
        "message": tried.message,
        "exit": tried.exit,
        "seconds": tried.seconds,
        "host": tried.host,
        "queue_id": tried.queued,
        "records": own,
    }
