"""The parent's side of a simulation: every way to end, its sentence, and that nothing of it is left."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from simulate.children import command, scripted

from fiche.simulate import run
from fiche.simulate.job import Job
from fiche.simulate.run import Ended, run_child, sentence

__all__ = ["scripted"]

JOB = Job(workload="dense", memory_bytes=2**30)


def told(ended, seconds=5, job=JOB):
    return sentence(ended, job, seconds)


def test_a_child_that_is_done_hands_over_its_document(scripted):
    scripted(says="a library speaks\n")
    ended = run_child(JOB)
    assert (ended.outcome, ended.code, ended.told) == (run.DONE, 0, "a library speaks")
    assert ended.document.startswith(b'{"format": "fiche-simulation/1"')
    assert ended.events == b""


def test_events_stand_behind_the_document(scripted):
    scripted()
    ended = run_child(Job(workload="dense", events=True))
    assert ended.document.endswith(b"}")
    assert ended.events == b"device,event\n0,0\n"


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ({"code": 2, "says": "noise\nno such operator\n"}, run.REFUSED, "no such operator"),
        ({"code": 3, "says": "RuntimeError: x\n"}, run.FAILED, "RuntimeError: x"),
        ({"code": 4}, run.MEMORY, "needs more host memory than its limit of 1.00 GiB"),
        ({"code": 9}, run.BROKEN, "ended with code 9: it said nothing"),
        (
            {"signal": 11},
            run.KILLED,
            "was ended by SIGSEGV, under a limit of host memory of 1.00 GiB",
        ),
        ({"hang": True}, run.TIME, "was not done after 1 s, its limit of time"),
        ({"half": True}, run.TIME, "was not done after 1 s, its limit of time"),
    ],
)
def test_every_other_end_has_a_sentence_and_no_document(scripted, script, outcome, said):
    scripted(**script)
    ended = run_child(JOB, 1)
    assert (ended.outcome, ended.document, ended.events) == (outcome, b"", b"")
    assert said in told(ended, 1)


def test_a_machine_without_a_limit_is_named_as_such():
    ended = Ended(outcome=run.MEMORY, code=4, told="")
    assert told(ended, job=Job(workload="dense")).endswith("its limit, that of this machine")


@pytest.mark.parametrize("wrote", ["", "{", "{}{}", "junk", "[" * 100_000])
def test_what_is_no_whole_document_is_none(scripted, wrote):
    """os._exit(0), two documents of a process that was copied, bytes that code wrote into our file."""
    scripted(writes=wrote)
    ended = run_child(JOB)
    assert (ended.outcome, ended.document) == (run.BROKEN, b"")
    assert "ended before it was done" in told(ended)


def test_temporary_files_of_the_child_go(scripted, tmp_path):
    scripted(temporary=True)
    run_child(JOB)
    folder = Path((tmp_path / "temporary").read_text(encoding="utf-8"))
    assert folder.name.startswith("fiche-")
    assert not folder.exists()


def test_no_place_for_temporary_files_is_said_as_such(monkeypatch):
    def none(**_):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(run.tempfile, "TemporaryDirectory", none)
    with pytest.raises(OSError, match="the folder of temporary files"):
        run_child(JOB)


def test_a_line_without_an_end_is_kept_as_far_as_its_beginning(scripted):
    """Law 8: that something was cut is said; and 60 lines are kept."""
    scripted(says="x" * 9_000 + "\n" + "y\n" * 70)
    said = run_child(JOB).told.splitlines()
    assert said == ["(of what it said, the last 60 lines:)", *["y"] * 60]
    scripted(says="x" * 9_000)
    assert run_child(JOB).told == "x" * 4_000 + " …"


def gone(pid):
    """True where a process has ended, or waits for somebody to ask how."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def until(test, seconds=20):
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("grandchild", [True, "apart"])
@pytest.mark.parametrize("script", [{}, {"hang": True}])
def test_whatever_the_child_started_ends_with_it(scripted, tmp_path, script, grandchild):
    """Services that libraries start lie in a session of their own: they end as well."""
    scripted(grandchild=grandchild, **script)
    run_child(JOB, 3)
    pid = int((tmp_path / "grandchild").read_text(encoding="utf-8"))
    until(lambda: gone(pid))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_end_it_leaves_nothing(scripted, tmp_path, number):
    """No half-written file, no child; the code is that of the signal."""
    script = scripted(half=True, grandchild=True)
    here = tmp_path / "here"
    here.mkdir()
    words = command(script, "simulate", "-o", "s.json", "--events", "e.csv")
    started = subprocess.Popen(words, cwd=here, stderr=subprocess.PIPE, text=True)
    until((tmp_path / "hanging").exists)
    os.kill(started.pid, number)
    _, err = started.communicate(timeout=20)
    assert started.returncode == (130 if number == signal.SIGINT else -number)
    assert err == ("interrupted\n" if number == signal.SIGINT else "")
    assert list(here.iterdir()) == []
    until(lambda: gone(int((tmp_path / "grandchild").read_text(encoding="utf-8"))))


def test_the_child_is_offline_and_sees_no_real_device(monkeypatch):
    """C10: nothing is downloaded; no context is made on a card that happens to be there."""
    show = "import os, sys; sys.stderr.write(repr([os.environ.get(n) for n in sys.argv[1:]]))"
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "kept")
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "CUDA_VISIBLE_DEVICES")
    names += ("TORCH_COMPILE_DISABLE", "TORCHINDUCTOR_CACHE_DIR")
    monkeypatch.setattr(run, "CHILD", (run.CHILD[0], "-c", show, *names))
    assert run_child(JOB).told == "['1', '1', '', '1', None]"


def test_sets_are_walked_in_the_same_order_each_time(monkeypatch):
    """Libraries make masks by the set of a model's kinds of layers: the events follow its order."""
    show = "import sys; sys.stderr.write(repr(list({'full_attention', 'sliding', *sys.argv})))"
    monkeypatch.setattr(run, "CHILD", (run.CHILD[0], "-c", show))
    told = set()
    for seed in ("1", "2", "3", "4"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        told.add(run_child(JOB).told)
    assert len(told) == 1
