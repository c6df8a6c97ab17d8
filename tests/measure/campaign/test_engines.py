"""Campaigns through submitit: processes of this machine, and a real Slurm that the test starts and ends.

No card is measured: jobs are the stand-in of `stand_in.py`. What is tested is which jobs start, how often,
and what is left when somebody ends them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from slurm_here import slurm

pytestmark = pytest.mark.cluster

FICHE = (sys.executable, str(Path(__file__).with_name("fiche_with_stand_in.py")))
HEAD = "campaign: 1\nid: c\nmeasure: {width: 64}\n"
SLURM = "executor: slurm\ngpus: 1\nlimits: {minutes: 4}\n"
HELD = "  - {id: held, change: {hold: HOLD}}\n"
FAILS = "  - {id: fails, change: {width: 13}}\n"


@pytest.fixture(scope="module")
def cluster():
    with slurm() as folder:
        yield folder


class Campaign:
    """A campaign's file and folder, and the command in processes of its own."""

    def __init__(self, folder):
        self.folder, self.file, self.hold = folder, folder / "c.yaml", folder / "hold"
        self.output = folder / "c"

    def write(self, text):
        self.hold.touch()
        self.file.write_text(text.replace("HOLD", str(self.hold)), encoding="utf-8")

    def start(self, *options):
        return subprocess.Popen(
            [*FICHE, "campaign", str(self.file), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *options):
        done = self.start(*options)
        done.out, done.err = done.communicate(timeout=120)
        return done

    def status(self):
        """The jobs by variant."""
        done = self.run("--status", "--json")
        assert done.returncode == 0, done.err
        return {job["variant"]: job for job in json.loads(done.out)["jobs"]}

    def until(self, variant, state):
        """Wait until the job of a variant is in a state; its last try."""
        end = time.monotonic() + 60
        while (job := self.status()[variant])["state"] != state:
            assert time.monotonic() < end, job
        return job["tries"][-1]

    def in_phase(self, running=None):
        """Wait until the held job is inside its phase; not longer than what starts it lives."""
        end = time.monotonic() + 60
        while not list(self.output.glob("jobs/held-*/try-1/in-prefill")):
            over = running is not None and running.poll() is not None
            assert not over, running.communicate()
            assert time.monotonic() < end, sorted(self.output.rglob("*"))
            time.sleep(0.05)


@pytest.fixture
def campaign(tmp_path):
    return Campaign(tmp_path)


def queue(*words):
    done = subprocess.run(
        ["squeue", "-h", *words], capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.split()


# --- Processes of this machine ----------------------------------------------------------------


def test_jobs_of_this_machine_each_see_one_card(campaign):
    """C9, C11: two cards, a job on each; what submitit hides is shown again; a failure is kept."""
    campaign.write(
        HEAD + "variants:\n  - {id: wide, change: {width: 128}}\n" + FAILS + "repeat_process: 2\n"
    )
    done = campaign.run("--json")
    assert done.returncode == 3, done.err
    told = json.loads(done.out)
    assert told["states"] == {"waiting": 0, "done": 4, "failed": 2}
    shown = {path.read_text() for path in campaign.output.glob("jobs/*/try-1/cards")}
    assert shown == {"'0'", "'1'"}


def test_interrupted_it_says_how_to_go_on_and_the_jobs_are_found_again(campaign):
    """As a terminal's Ctrl-C: the whole group is asked; no finished phase is lost (C11)."""
    campaign.write(HEAD + "variants:\n" + HELD)
    running = campaign.start()
    campaign.in_phase(running)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert f"campaign {campaign.file}" in err
    assert "Traceback" not in err
    held = campaign.status()["held"]
    assert held["state"] == "interrupted"
    (record,) = held["tries"][0]["records"]
    kept = (campaign.output / record["file"]).read_bytes()
    assert b"model_load" in kept
    campaign.hold.unlink()
    assert campaign.run().returncode == 0
    again = campaign.status()
    assert [each["state"] for each in again["held"]["tries"]] == ["interrupted", "done"]
    assert len(again[""]["tries"]) == 1
    assert (campaign.output / record["file"]).read_bytes() == kept


def test_a_killed_campaign_finds_its_running_job_and_starts_none_beside_it(campaign):
    campaign.write(HEAD + "variants:\n" + HELD)
    running = campaign.start()
    campaign.in_phase(running)
    running.kill()
    running.wait()
    assert campaign.status()["held"]["state"] == "running"
    again = campaign.start("--json")
    time.sleep(1)
    campaign.hold.unlink()
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    (held,) = [job for job in json.loads(out)["jobs"] if job["variant"] == "held"]
    assert [each["state"] for each in held["tries"]] == ["done"]


# --- Slurm ------------------------------------------------------------------------------------


def test_a_campaign_on_slurm_with_a_failure_and_a_cancelled_job_goes_on(campaign, cluster):
    """One job fails, one is cancelled: both are kept; again, only the cancelled one runs."""
    campaign.write(HEAD + SLURM + "variants:\n" + FAILS + HELD)
    running = campaign.start("--json")
    campaign.in_phase(running)
    held = campaign.until("held", "running")
    states = {
        name: campaign.until(name, state) for name, state in (("", "done"), ("fails", "failed"))
    }
    assert all(each["queue_id"].isdigit() for each in states.values())
    assert campaign.output.joinpath(states[""]["records"][0]["file"]).is_file()
    subprocess.run(["scancel", held["queue_id"]], check=True, timeout=30)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 3, err
    assert "asked to end by SIGTERM" in out
    rows = campaign.output.joinpath("summary.csv").read_text().splitlines()
    assert any("the job was interrupted" in row for row in rows)

    campaign.hold.unlink()
    again = campaign.run("--json")
    assert again.returncode == 3, again.err
    jobs = {job["variant"]: job["tries"] for job in json.loads(again.out)["jobs"]}
    assert [each["state"] for each in jobs["held"]] == ["interrupted", "done"]
    assert [len(jobs[name]) for name in ("", "fails")] == [1, 1]


def test_slurm_gives_the_cards_and_the_job_sees_those(campaign, cluster):
    campaign.write(HEAD + SLURM)
    assert campaign.run().returncode == 0
    (shown,) = campaign.output.glob("jobs/*/try-1/cards")
    assert shown.read_text() in ("'0'", "'1'")


def test_interrupted_the_jobs_of_slurm_go_on_and_are_not_submitted_twice(campaign, cluster):
    """Also where it was killed between the submission and its note: the job's name is known."""
    campaign.write(HEAD + SLURM + "baseline: false\nvariants:\n" + HELD)
    running = campaign.start()
    campaign.in_phase(running)
    os.killpg(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130
    assert "jobs that Slurm has go on without this command" in err
    before = queue("-o", "%i")
    assert len(before) == 1
    (noted,) = campaign.output.rglob("queued.json")
    noted.unlink()
    again = campaign.start("--json")
    time.sleep(3)
    assert queue("-o", "%i") == before
    campaign.hold.unlink()
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    (job,) = json.loads(out)["jobs"]
    assert [each["state"] for each in job["tries"]] == ["done"]


def test_without_waiting_jobs_are_submitted_and_collected_later(campaign, cluster):
    """A job that finds no card is told in the table: a login node is asked for none."""
    campaign.write(HEAD + SLURM + "variants:\n  - {id: none, change: {width: 99}}\n" + HELD)
    done = campaign.run("--no-wait")
    assert done.returncode == 0, done.err
    campaign.in_phase()
    campaign.hold.unlink()
    campaign.until("held", "done")
    assert campaign.run().returncode == 3
    rows = campaign.output.joinpath("summary.csv").read_text()
    assert "no usable GPU was found" in rows
    assert {name: len(job["tries"]) for name, job in campaign.status().items()} == {
        "": 1,
        "none": 1,
        "held": 1,
    }


def test_a_job_that_slurm_does_not_take_is_told_in_its_words(campaign, cluster):
    campaign.write(HEAD + SLURM + "slurm: {partition: nowhere}\n")
    done = campaign.run()
    assert done.returncode == 2
    assert "F567 Slurm did not take the job" in done.err
    assert "invalid partition specified: nowhere" in done.err
    assert list(campaign.output.rglob("try-*")) == []


def test_a_queue_that_does_not_answer_submits_nothing(campaign, cluster, monkeypatch):
    """Nobody knows then whether a job still waits, and it may not be submitted twice."""
    campaign.write(HEAD + SLURM + "slurm: {parameters: {hold: true}}\n")
    assert campaign.run("--no-wait").returncode == 0
    waiting = campaign.until("", "queued")
    assert waiting["message"] == "Slurm says PENDING (JobHeldUser)"
    silent = campaign.folder / "bin" / "squeue"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\necho 'Unable to contact slurm controller' >&2\nexit 1\n")
    silent.chmod(0o755)
    with monkeypatch.context() as broken:
        broken.setenv("PATH", f"{silent.parent}:{os.environ['PATH']}")
        done = campaign.run()
    assert done.returncode == 2
    assert "jobs stand: Unable to contact slurm controller" in done.err
    assert len(list(campaign.output.rglob("try-*"))) == 1
    subprocess.run(["scancel", waiting["queue_id"]], check=True, timeout=30)
    assert campaign.status()[""]["state"] == "interrupted"
