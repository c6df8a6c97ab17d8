"""Drives a campaign: starts what is due, a few at a time, and waits; what is over stays as it is."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fiche.kernel.campaign import Campaign
from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record, replace
from fiche.measure.campaign import slurm
from fiche.measure.campaign.cards import Cards
from fiche.measure.campaign.engine import Engine, Handle, ask_to_end, warning
from fiche.measure.campaign.files import write_new
from fiche.measure.campaign.folder import (
    INTERRUPTED,
    LIVING,
    RUNNING,
    Queue,
    Try,
    cards_of,
    is_due,
    new_try,
    seen,
    state,
    tries,
    try_folder,
    void,
)
from fiche.measure.campaign.plan import Job, command
from fiche.measure.campaign.work import QUEUED, now

# A worker leaves its command 20 s between asking and killing.
_STOP_S = 30.0
_FASTEST_S, _SLOWEST_S = 0.1, 1.0
_SLURM_S = (1.0, 15.0)  # a queue is shared: it is asked less often while nothing changes

Tell = Callable[[str], None]


@record
class Standing:
    """A job and its tries, as the folder and the queue show them at one moment."""

    job: Job
    tries: tuple[Try, ...]

    @property
    def state(self) -> str:
        """waiting, queued, running, done, failed, refused or interrupted."""
        return state(self.tries)

    @property
    def living(self) -> bool:
        """True where one of the tries runs or waits in a queue."""
        return any(each.state in LIVING for each in self.tries)

    @property
    def message(self) -> str:
        """Why, where the last try tells."""
        return self.tries[-1].message if self.tries else ""


def standings(campaign: Campaign, planned: Iterable[Job], output: Path) -> list[Standing]:
    """How every job stands; nothing is written.

    Raises:
        Refused: F562 Slurm has to be asked, and does not answer.
    """
    jobs = list(planned)
    found = [Standing(job=job, tries=tries(output, job)) for job in jobs]
    queue = _queue(campaign, found)
    if not queue:
        return found
    return [Standing(job=job, tries=tries(output, job, queue)) for job in jobs]


def _queue(campaign: Campaign, found: Iterable[Standing]) -> Queue:
    """Slurm is asked only where a try has not noted its end."""
    open_ = [each for one in found for each in one.tries if _is_open(each)]
    if campaign.executor != "slurm" or not open_:
        return {}
    return slurm.queue(each.queued for each in open_)


def _is_open(tried: Try) -> bool:
    return tried.state in LIVING or (tried.state == INTERRUPTED and tried.exit is None)


class Drive:
    """One process that works on a campaign's folder; no other does at the same time."""

    def __init__(
        self,
        campaign: Campaign,
        jobs: tuple[Job, ...],
        output: Path,
        engine: Engine,
        *,
        home: Path,
        cards: Cards | None,
        tell: Tell,
    ) -> None:
        self.campaign, self.output, self.engine = campaign, output, engine
        self.home, self.cards, self.tell = home, cards, tell
        self.jobs = {job.id: job for job in jobs}
        self.found: dict[str, Standing] = {}
        self.handles: dict[Path, Handle] = {}

    def run(self, *, retry_failed: bool, wait: bool) -> list[Standing]:
        """Start what is due and wait until nothing lives any more, or (`wait` False) only submit.

        Asked to end, the processes of this machine end first; jobs of a queue go on.

        Raises:
            Refused: F562 Slurm does not answer, F567 it does not take a job.
            OSError: the folder cannot be written.
            KeyboardInterrupt: from whoever asks this process to end.
        """
        try:
            self.look(self.jobs)
            self.forget_unstarted()
            due = [one.job for one in self.found.values() if is_due(one.tries, retry_failed)]
            self._run(due, wait=wait or self.engine.local)
        except BaseException:
            self.stop()
            raise
        return list(self.found.values())

    def _run(self, due: list[Job], *, wait: bool) -> None:
        fastest, slowest = (_FASTEST_S, _SLOWEST_S) if self.engine.local else _SLURM_S
        pause = fastest
        self._fill(due)
        while due or (wait and self.living()):
            time.sleep(pause)
            before = [each.state for each in self.living()]
            self.look([one.job.id for one in self.found.values() if one.living])
            changed = [each.state for each in self.living()] != before
            pause = fastest if changed else min(pause * 2, slowest)
            self._fill(due)

    def _fill(self, due: list[Job]) -> None:
        """Start as many as there is room for; Slurm's queue is asked once for all of them."""
        living, submitted = self.living(), list[str]()
        while due and self.has_room(len(living) + len(submitted)):
            job = due.pop(0)
            self.start(job, living)
            if self.engine.local:
                self.look([job.id])
                living = self.living()
            else:
                submitted.append(job.id)
        if submitted:
            self.look(submitted)

    def look(self, ids: Iterable[str]) -> None:
        """See how these jobs stand, and tell of each that changed."""
        for one in standings(self.campaign, [self.jobs[id] for id in ids], self.output):
            now_ = Standing(job=one.job, tries=tuple(self._started(each) for each in one.tries))
            before = self.found.get(one.job.id)
            self.found[one.job.id] = now_
            if now_.living or before is not None:
                self._say(now_, before)

    def _started(self, tried: Try) -> Try:
        """One of our own processes that has not taken its lock yet is no interrupted one."""
        handle = self.handles.get(tried.folder)
        if handle is None or not self.engine.local or tried.state != INTERRUPTED:
            return tried
        if not handle.done():
            return replace(tried, state=RUNNING, message="")
        return seen(tried.folder, tried.number, {})  # it may have noted its end meanwhile

    def _say(self, one: Standing, before: Standing | None) -> None:
        if before is None or before.state != one.state:
            why = f": {one.message}" if one.message else ""
            self.tell(f"[{one.job.index + 1}/{one.job.of}] {one.job.id} {one.state}{why}")

    def living(self) -> list[Try]:
        """The tries that run or wait in a queue."""
        return [each for one in self.found.values() for each in one.tries if each.state in LIVING]

    def forget_unstarted(self) -> None:
        """A try that was submitted and never started may not start beside the next one."""
        for one in self.found.values():
            for each in one.tries:
                if each.state == INTERRUPTED and not each.host and each.exit is None:
                    void(each, "it was never started")

    def has_room(self, living: int) -> bool:
        """True where one more job may start now."""
        limit = self.campaign.parallel
        if limit is None and self.cards is not None:
            limit = max(1, len(self.cards.tokens) // max(self.campaign.gpus, 1))
        return limit is None or living < limit

    def start(self, job: Job, living: list[Try]) -> None:
        """Start the next try of a job; its place in the queue is noted at once.

        Raises:
            Refused: F567 the queue does not take it: then there was no try.
            OSError: the folder cannot be written.
        """
        name = f"fiche-{job.id[:150]}-{os.urandom(4).hex()}"
        chosen = self._cards(living)
        number = 1 + max((each.number for each in self.found[job.id].tries), default=0)
        folder = new_try(self.output, job, number, self._submit(job, name, number, chosen))
        try:
            handle = self.engine.submit(folder, name)
        except Refused:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self.handles[folder] = handle
        write_new(folder / QUEUED, {"job": str(handle.job_id), "at": now()})

    def _submit(self, job: Job, name: str, number: int, chosen: list[str]) -> dict[str, Any]:
        """`submit.json`: all that the process needs, wherever it starts."""
        folder = str(try_folder(self.output, job, number))
        run = f"{self.campaign.id}.{job.id}"[:90] + f".t{number}"
        seconds = self.campaign.minutes * 60
        if not self.engine.local:
            seconds -= warning(self.campaign.minutes)
        return {
            "name": name,
            "digest": job.digest,
            "command": command(job, folder, run),
            "cwd": str(self.home),
            "seconds": seconds,
            "cards": chosen,
            "environment": {
                "FICHE_RUN_FOLDER": folder,
                "FICHE_RUN_ID": run,
                "FICHE_PLAN": json.dumps(job.plan()),
                **(self.cards.only(chosen) if self.cards is not None else {}),
            },
        }

    def _cards(self, living: list[Try]) -> list[str]:
        """The least used cards, as many as one job gets."""
        if self.cards is None:
            return []
        used = Counter(name for each in living for name in cards_of(each))
        return sorted(self.cards.tokens, key=lambda token: used[token])[: self.campaign.gpus]

    def stop(self) -> None:
        """Ask our own processes of this machine to end, and wait: they note how far they came."""
        own = [handle for handle in self.handles.values() if self.engine.local]
        end = time.monotonic() + _STOP_S
        # Asked again: one that just starts does not listen yet.
        while any(not handle.done() for handle in own) and time.monotonic() < end:
            for handle in own:
                ask_to_end(handle)
            time.sleep(_SLOWEST_S / 4)
