"""Campaigns in tests: jobs are the stand-in of `measure/campaign/stand_in.py`, cards are made up.

`Processes` is an engine without submitit: a process for each job, as its local executor starts one.
"""

import subprocess
import sys
from pathlib import Path

from fiche.cli import campaign_run
from fiche.measure.campaign import cards, engine, plan

STAND_IN = Path(__file__).parent / "measure" / "campaign" / "stand_in.py"
WORK = "import sys; from fiche.measure.campaign.work import work; work(sys.argv[1])"


class Started:
    """A process that was started."""

    def __init__(self, folder):
        self.process = subprocess.Popen([sys.executable, "-c", WORK, str(folder)])
        self.job_id = str(self.process.pid)

    def done(self):
        return self.process.poll() is not None


class Processes:
    """Starts a process for each job; `names` are those that were given."""

    local = True

    def __init__(self):
        self.started = []

    def submit(self, folder, name):
        self.started.append(Started(folder))
        return self.started[-1]


def stand_in(monkeypatch, count=2):
    """Put the stand-in in the place of the commands, and `count` cards that nobody has."""
    words = (sys.executable, str(STAND_IN))
    monkeypatch.setattr(plan, "MEASURE", words)
    monkeypatch.setattr(plan, "RUN", words)
    told = f'{{"count": {count}, "backend": "cuda"}}'
    monkeypatch.setattr(cards, "PROBE", (sys.executable, "-c", f"print({told!r})"))
    # The stand-in has options of its own.
    monkeypatch.setattr(campaign_run, "_options_of", lambda _: frozenset())
    for name in cards._VISIBLE:
        monkeypatch.delenv(name, raising=False)


def without_submitit(monkeypatch):
    """Have campaigns start plain processes; returns what starts them."""
    processes = Processes()
    monkeypatch.setattr(engine, "require", lambda _: None)
    monkeypatch.setattr(engine, "engine", lambda *_: processes)
    return processes
