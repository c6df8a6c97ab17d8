"""What the parent makes of the journals that processes left (C2, C11)."""

import json
import os
import subprocess
import sys

import pytest

from fiche.importers import _detect
from fiche.measure.wrapped import finishing
from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.finishing import finish, unwatched

OWN = 4_000_000_000  # above every process id
SUCCESS = Ended(pid=OWN, status=0, signal=None, duration_ns=1, peak_rss=None, oom_kills=None)


def lines(pid=OWN, end=None, **phase):
    start = {
        "index": 0,
        "name": "program",
        "pass": "first",
        "ordering": "whole_loop",
        "covers": ["program"],
    }
    header = {
        "event": "header",
        "format": "fiche-measurement/1",
        "tool": {"name": "fiche run", "version": "0.1.0"},
        "series": {"id": "r.1", "process": {"protocol": "one", "pid": pid}, "run": "r"},
        "environment": {
            "framework": {"name": "torch", "version": "2.13.0"},
            "backend": "cuda",
            "devices": [{"index": 0, "name": "Simulated", "total_memory_bytes": 9}],
        },
        "workload": {},
    }
    events = [header, {"event": "phase_start", "phase": start}]
    if end is not None:
        events.append({"event": "phase_end", "phase": {**start, "outcome": end, **phase}})
    return "".join(json.dumps(event) + "\n" for event in events)


def written(folder, text, name="program-1"):
    (folder / f"{name}.json.journal").write_text(text)


def record(folder, name="program-1"):
    return json.loads((folder / f"{name}.json").read_text())


def ended(status=None, signal=None):
    return Ended(
        pid=OWN, status=status, signal=signal, duration_ns=1, peak_rss=None, oom_kills=None
    )


@pytest.mark.parametrize("cut", [2, 30, 100])
def test_a_journal_cut_at_the_end_keeps_what_was_whole(tmp_path, cut):
    """The disk was full, or the machine lost its power."""
    written(tmp_path, lines(end="success")[:-cut])
    (left,) = finish(tmp_path, SUCCESS)
    assert (left.kind, left.outcome) == ("program", "unknown")
    assert [p["name"] for p in record(tmp_path)["unfinished"]] == ["program"]
    content = (tmp_path / "program-1.json").read_bytes()
    assert [r.outcome for r in _detect.read(content, "0" * 64, "p.json").runs] == ["unknown"]


def test_a_journal_without_a_header_stays_as_it_is(tmp_path):
    written(tmp_path, '{"event": "hea')
    (left,) = finish(tmp_path, SUCCESS)
    assert (left.kind, left.path.name) == ("journal", "program-1.json.journal")


@pytest.mark.parametrize(
    ("end", "phase", "status", "signal", "outcome", "message"),
    [
        ("success", {}, 0, None, "success", None),
        ("success", {}, 4, None, "failure", "the process ended with exit status 4"),
        ("success", {}, None, "SIGSEGV", "failure", "the process ended with signal SIGSEGV"),
        ("failure", {"error": {"type": "SystemExit", "message": "x"}}, 0, None, "success", None),
        ("failure", {"error": {"type": "ValueError", "message": "bad"}}, 1, None, "failure", "bad"),
        # It said why itself, and somebody made the exit status good again.
        ("failure", {"error": {"type": "ValueError", "message": "bad"}}, 0, None, "failure", "bad"),
    ],
)
def test_the_parent_has_the_last_word_on_its_own_command(
    tmp_path, end, phase, status, signal, outcome, message
):
    written(tmp_path, lines(end=end, **phase))
    finish(tmp_path, ended(status, signal))
    (told,) = record(tmp_path)["phases"]
    assert (told["outcome"], told.get("error", {}).get("message")) == (outcome, message)


def test_of_other_processes_their_own_word_stands(tmp_path):
    """A shell runs two programs, and the second one fails."""
    written(tmp_path, lines(pid=OWN - 1, end="success"))
    (left,) = finish(tmp_path, ended(1))
    assert left.outcome == "success"


def test_a_process_that_goes_on_keeps_its_journal(tmp_path, monkeypatch):
    monkeypatch.setattr(finishing, "_PATIENCE_S", 0.1)
    written(tmp_path, lines(pid=os.getpid()))
    (left,) = finish(tmp_path, SUCCESS)
    assert (left.kind, left.outcome) == ("journal", "unknown")
    assert not (tmp_path / "program-1.json").exists()


def test_a_process_that_has_ended_unasked_is_no_living_one(tmp_path):
    """A zombie: in a container without an init, orphans stay so."""
    process = subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE)
    process.stdout.read()
    while not finishing._is_zombie(process.pid):
        pass
    written(tmp_path, lines(pid=process.pid))
    (left,) = finish(tmp_path, SUCCESS)
    assert left.kind == "program"
    process.wait()


def test_nothing_is_ever_replaced(tmp_path):
    """C10: the journal stays where its document's name is taken."""
    written(tmp_path, lines(end="success"))
    (tmp_path / "program-1.json").write_text("mine")
    with pytest.raises(FileExistsError):
        finish(tmp_path, SUCCESS)
    assert (tmp_path / "program-1.json").read_text() == "mine"
    assert (tmp_path / "program-1.json.journal").exists()
    assert not list(tmp_path.glob(".*partial"))


def test_files_of_others_are_not_taken_for_records(tmp_path):
    (tmp_path / "metrics.json").write_text('{"loss": 1}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "checkpoint").mkdir()
    assert finish(tmp_path, SUCCESS) == []


def test_notes_of_unwatched_processes_are_taken_up_once(tmp_path):
    (tmp_path / ".unwatched-1").write_text("KeyError: 'A'\n")
    (tmp_path / ".unwatched-2").write_text("KeyError: 'A'\nNoDevice: none\n")
    assert unwatched(tmp_path) == ["KeyError: 'A'", "NoDevice: none"]
    assert list(tmp_path.iterdir()) == []
