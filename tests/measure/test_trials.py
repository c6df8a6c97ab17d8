"""Trials seen from the process that starts them: every way to end, and what stays on disk (C7, C11)."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from measure.children import command

from fiche.kernel.record import replace
from fiche.measure import trials
from fiche.measure.job import Job
from fiche.measure.protocol.journal import journal_of
from fiche.measure.trials import run_trial


@pytest.fixture
def job(tmp_path):
    return Job(
        workload="dense", output=str(tmp_path / "m.json"), options={"context": 128}, repeats=1
    )


def phases(path):
    return [phase["name"] for phase in json.loads(path.read_text(encoding="utf-8"))["phases"]]


def test_a_trial_that_succeeds_leaves_its_document(scripted, job, tmp_path):
    scripted()
    trial = run_trial(job)
    assert (trial.outcome, trial.code, trial.told, trial.cut) == ("done", 0, "", False)
    assert trial.record == tmp_path / "m.json"
    assert phases(trial.record) == ["model_load", "inputs", "cold_forward", "warm_forward"]
    assert not journal_of(trial.record).exists()


def test_each_trial_is_a_process_of_its_own(scripted, job, tmp_path):
    """C7: five loops in a process and five processes are different protocols."""
    scripted()
    seen = set()
    for number in range(3):
        one = Job(workload="dense", output=str(tmp_path / f"{number}.json"))
        record = json.loads(run_trial(one).record.read_text(encoding="utf-8"))
        seen.add(record["series"]["process"]["pid"])
        assert record["series"]["process"]["protocol"] == "one fresh process per series"
    assert len(seen) == 3
    assert os.getpid() not in seen


@pytest.mark.parametrize(
    ("script", "outcome", "code", "names"),
    [
        ({"limit": {"context": 100}}, "failed", 3, ["model_load", "inputs", "cold_forward"]),
        ({"other": [128]}, "failed", 3, ["model_load", "inputs", "cold_forward"]),
        ({"other": [128], "at": "inputs"}, "failed", 3, ["model_load", "inputs"]),
    ],
)
def test_a_failed_workload_leaves_its_document(scripted, job, script, outcome, code, names):
    """C11: a failure is an observation."""
    scripted(**script)
    trial = run_trial(job)
    assert (trial.outcome, trial.code, trial.cut) == (outcome, code, False)
    assert phases(trial.record) == names


@pytest.mark.parametrize(
    ("script", "outcome", "code"),
    [({"kill": [128]}, "killed", -9), ({"broken": [128]}, "broken", 9)],
)
def test_a_child_that_is_cut_leaves_its_finished_phases(scripted, job, script, outcome, code):
    """Kill -9 in the middle of a phase loses no finished one."""
    scripted(**script)
    trial = run_trial(job)
    assert (trial.outcome, trial.code, trial.cut) == (outcome, code, True)
    lines = [json.loads(line) for line in trial.record.read_text(encoding="utf-8").splitlines()]
    told = [(line["event"], line.get("phase", {}).get("name")) for line in lines]
    assert told == [
        ("header", None),
        ("phase_start", "model_load"),
        ("phase_end", "model_load"),
        ("phase_start", "inputs"),
        ("phase_end", "inputs"),
        ("phase_start", "cold_forward"),
    ]


def test_a_refused_child_leaves_nothing(scripted, job, tmp_path):
    scripted(refuse="no GPU here", noise="a warning\nof a library\n")
    trial = run_trial(job)
    assert (trial.outcome, trial.code, trial.record) == ("refused", 2, None)
    assert trial.told.splitlines()[-1] == "no GPU here"
    assert [path.name for path in tmp_path.iterdir()] == ["script.json"]


def test_a_full_disk_keeps_what_fits(scripted, job):
    """The journal's lines that fit stay whole; what could not be written is no failure of the workload."""
    scripted(bytes=1500)
    trial = run_trial(job)
    assert (trial.outcome, trial.code, trial.cut) == ("refused", 2, True)
    assert "File too large" in trial.told
    assert "\n" not in trial.told
    lines = trial.record.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["event"] for line in lines][:3] == [
        "header",
        "phase_start",
        "phase_end",
    ]


def test_a_document_that_does_not_fit_leaves_the_journal(scripted, job):
    scripted()
    whole = run_trial(job).record
    length = whole.stat().st_size
    whole.unlink()
    scripted(bytes=length - 200)  # the journal is shorter than the indented document
    trial = run_trial(job)
    assert (trial.outcome, trial.cut) == ("refused", True)
    assert "holds all that was measured" in trial.told
    last = json.loads(trial.record.read_text(encoding="utf-8").splitlines()[-1])
    assert last == {"event": "footer", "phases": 4}
    assert sorted(path.suffix for path in whole.parent.iterdir()) == [
        ".journal",
        ".json",
    ]  # the script


def test_a_place_that_cannot_be_written_is_one_sentence(scripted, tmp_path):
    scripted()
    (tmp_path / "file").write_text("", encoding="utf-8")
    trial = run_trial(Job(workload="dense", output=str(tmp_path / "file" / "m.json")))
    assert (trial.outcome, trial.record) == ("refused", None)
    assert trial.told == f"{tmp_path / 'file'}: File exists"


@pytest.fixture
def closed():
    """A folder in which nobody may write; pytest's own folders are closed even to lookers-on."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    folder.rmdir()


def test_a_folder_that_is_read_only_is_one_sentence(scripted, closed):
    scripted(nobody=True)
    trial = run_trial(Job(workload="dense", output=str(closed / "m.json")))
    assert (trial.outcome, trial.code, trial.record) == ("refused", 2, None)
    assert trial.told == f"{closed / 'm.json.journal'}: Permission denied"
    assert list(closed.iterdir()) == []


def test_the_journal_is_told_as_it_grows(scripted, job):
    scripted(slow=[128])
    seen = []
    run_trial(job, watch=lambda event: seen.append(event["event"]))
    assert seen[:6] == ["header", *["phase_start", "phase_end"] * 2, "phase_start"]


def test_a_time_limit_ends_the_child_and_keeps_its_record(scripted, job):
    scripted(hang=[128])
    began = time.monotonic()
    trial = run_trial(job, seconds=1.0)
    assert time.monotonic() - began < 20
    assert trial.outcome == "stopped"
    record = json.loads(trial.record.read_text(encoding="utf-8"))
    assert [phase["name"] for phase in record["phases"]] == ["model_load", "inputs"]
    assert [phase["name"] for phase in record["unfinished"]] == ["cold_forward"]


def test_a_chatty_child_is_never_stuck(scripted, job):
    """A pipe that nobody reads fills, and the child would wait for ever."""
    scripted(noise="a line of a library\n" * 20_000)
    trial = run_trial(job)
    assert trial.outcome == "done"
    assert len(trial.told) < 20_000


def test_a_measurement_is_offline(scripted, job, monkeypatch):
    """C10: nothing is downloaded."""
    told = "import json, os, sys; sys.stderr.write(os.environ['HF_HUB_OFFLINE']); sys.exit(2)"
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-c", told))
    assert run_trial(job).told == "1"


def test_a_job_has_variables_of_its_own(job, monkeypatch):
    """C6: the allocator's settings are those of the fiche, and no others that happen to be set."""
    told = "import os, sys; sys.stderr.write(str([os.environ.get(n) for n in ('A1', 'B2')])); sys.exit(2)"
    monkeypatch.setattr(trials, "CHILD", (sys.executable, "-c", told))
    monkeypatch.setenv("A1", "set")
    assert run_trial(job).told == "['set', None]"
    own = replace(job, environment={"A1": "", "B2": "own"})
    assert run_trial(own).told == "[None, 'own']"


def test_nothing_that_a_user_types_changes_the_child():
    """C10: no option and no variable puts a simulated device in the place of a real one."""
    words = ("-u", "-P", "-m", "fiche.measure.child")
    assert trials.CHILD[1:] == words


def waiting(path):
    end = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < end, f"{path} has not come"
        time.sleep(0.02)
    return path


def hanging(scripted, tmp_path, how="hang"):
    """The command line in a process of its own, its child in the middle of a phase."""
    script = scripted(**{how: [128]})
    words = command(script, "measure", "--context", 128, "-o", tmp_path / "m.json")
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child = int(waiting(tmp_path / "hanging").read_text(encoding="utf-8") or 0)
    return running, child


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_asked_to_end_it_passes_that_on_and_keeps_what_was_finished(
    scripted, tmp_path, number, code
):
    """130 for Ctrl-C; the second record is not begun."""
    running, _ = hanging(scripted, tmp_path)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (code, "")
    assert "m.json" in err.splitlines()[0]
    assert "holds what was finished" in err.splitlines()[0]
    left = {path.name for path in tmp_path.iterdir()} - {"script.json", "hanging"}
    assert left == ({"m.json"} if number == signal.SIGINT else {"m.json.journal"})


def test_asked_twice_it_ends_a_child_that_does_not_listen(scripted, tmp_path):
    running, child = hanging(scripted, tmp_path, how="deaf")
    running.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert (running.returncode, alive(child)) == (130, False)
    assert (tmp_path / "m.json.journal").exists()


def test_a_parent_that_is_killed_leaves_no_orphan_on_the_device(scripted, tmp_path):
    running, child = hanging(scripted, tmp_path)
    running.kill()
    running.communicate(timeout=60)
    end = time.monotonic() + 10
    while time.monotonic() < end and alive(child):
        time.sleep(0.02)
    assert not alive(child)
    assert (tmp_path / "m.json.journal").exists()


def alive(number):
    """A process that has ended and waits to be reaped is none."""
    try:
        told = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
        return told.rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_was_written_just_before_the_document_took_the_place_is_told(tmp_path):
    """A short last phase is told too: the journal is gone by then, and its end is still read."""
    path, seen = tmp_path / "m.json.journal", []
    tail = trials._Tail(path, seen.append)
    tail.read()
    with path.open("wb") as journal:
        journal.write(b'{"event": "begin"}\n{"event": "ph')
        journal.flush()
        tail.read()
        assert seen == [{"event": "begin"}]
        journal.write(b'ase_end"}\n')
    path.unlink()
    tail.read()
    tail.close()
    assert seen == [{"event": "begin"}, {"event": "phase_end"}]
