"""What a submitted job does: one process, its end noted once, nothing written over (C10, C11)."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from fiche.measure.campaign.files import is_locked, locked, read, write_new
from fiche.measure.campaign.work import ENDED, LOCK, STARTED, SUBMIT, records, work

RECORD = '{"format": "fiche-measurement/1"}'


@pytest.fixture
def tried(tmp_path):
    """Make a try whose command is a Python text; run it with `work`."""

    def make(text, seconds=60, **environment):
        told = {
            "command": [sys.executable, "-c", text],
            "cwd": str(tmp_path),
            "seconds": seconds,
            "environment": environment,
        }
        write_new(tmp_path / SUBMIT, told)
        return tmp_path

    return make


def test_the_end_is_noted_with_the_records_and_their_digests(tried):
    folder = tried(f"open('m.json', 'w').write({RECORD!r}); open('config.json', 'w').write('{{}}')")
    assert work(str(folder)) == 0
    ended = read(folder / ENDED)
    assert (ended["exit"], ended["how"]) == (0, "by itself")
    (left,) = ended["records"]
    assert left["file"] == "m.json"
    assert len(left["sha256"]) == 64


def test_a_refusal_is_told_by_its_first_line_and_an_error_by_its_last(tried, tmp_path):
    say = "import sys; print('one\\ntwo', file=sys.stderr); sys.exit({})"
    assert work(str(tried(say.format(2)))) == 2
    assert read(tmp_path / ENDED)["message"] == "one"


def test_an_error_is_told_by_its_last_line(tried, tmp_path):
    assert work(str(tried("raise ValueError('why')"))) == 1
    assert read(tmp_path / ENDED)["message"] == "ValueError: why"


def test_a_program_that_is_not_there_is_told(tmp_path):
    told = {"command": ["/nowhere/x"], "cwd": str(tmp_path), "seconds": 9, "environment": {}}
    write_new(tmp_path / SUBMIT, told)
    assert work(str(tmp_path)) == -1
    assert (
        read(tmp_path / ENDED)["message"]
        == "the command cannot be started: No such file or directory"
    )


def test_a_job_that_is_started_again_does_nothing(tried):
    """A scheduler may start a job again by itself: its first try stays as it is."""
    folder = tried("open('count', 'a').write('x')")
    assert [work(str(folder)), work(str(folder))] == [0, -1]
    assert (folder / "count").read_text() == "x"
    assert read(folder / ENDED)["exit"] == 0


def test_a_try_without_an_order_starts_nothing(tmp_path):
    assert work(str(tmp_path)) == -1
    assert not (tmp_path / STARTED).exists()


def test_one_that_takes_too_long_is_ended_and_says_so(tried):
    folder = tried("import time; time.sleep(60)", seconds=0.3)
    began = time.monotonic()
    assert work(str(folder)) == -signal.SIGTERM
    assert time.monotonic() - began < 10
    assert read(folder / ENDED)["how"] == "its time was up"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR2"])
def test_asked_to_end_it_ends_its_child_and_notes_who_asked(tried, name):
    """Slurm asks by SIGTERM (scancel) and SIGUSR2 (time), a terminal by SIGINT."""
    folder = tried("import time; open('up', 'w'); time.sleep(60)")

    def ask():
        while not (folder / "up").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), getattr(signal, name))

    asking = threading.Thread(target=ask)
    asking.start()
    work(str(folder))
    asking.join()
    assert read(folder / ENDED)["how"] == f"asked to end by {name}"
    assert not is_locked(folder / LOCK)


def test_variables_are_set_and_taken_away(tried, monkeypatch):
    """submitit hides every card: without ours a job would see none."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    shown = "[os.environ.get(n) for n in ('CUDA_VISIBLE_DEVICES', 'OWN')]"
    text = f"import os, json; json.dump({shown}, open('e', 'w'))"
    folder = tried(text, CUDA_VISIBLE_DEVICES=None, OWN="1")
    work(str(folder))
    assert json.loads((folder / "e").read_text()) == [None, "1"]


def test_the_lock_outlives_a_killed_worker_as_long_as_its_child_runs(tried):
    """`kill -9` of the worker leaves its child on the card: nothing may start beside it."""
    folder = tried("import time; open('up', 'w'); time.sleep(1.5)")
    worker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from fiche.measure.campaign.work import work; work({str(folder)!r})",
        ]
    )
    while not (folder / "up").exists():
        time.sleep(0.02)
    worker.kill()
    worker.wait()
    assert is_locked(folder / LOCK)
    end = time.monotonic() + 20
    while is_locked(folder / LOCK) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_locked(folder / LOCK)
    assert not (folder / ENDED).exists()


def test_a_file_is_never_written_over(tmp_path):
    assert write_new(tmp_path / "a.json", {"n": 1})
    assert not write_new(tmp_path / "a.json", {"n": 2})
    assert read(tmp_path / "a.json") == {"n": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        write_new(tmp_path / "a.json", {"n": object()})
    assert list(tmp_path.iterdir()) == []


def test_the_lock_is_one_processs(tmp_path):
    with locked(tmp_path / "lock") as mine:
        assert mine is not None
        with locked(tmp_path / "lock") as other:
            assert other is None
    assert not is_locked(tmp_path / "lock")
    assert not is_locked(tmp_path / "none")


def test_a_journal_counts_only_where_its_document_is_missing(tmp_path):
    for name in ("a.json", "a.json.journal", "b.json.journal", SUBMIT, "run.json"):
        text = '{"format": "fiche-run/1"}' if name == "run.json" else RECORD
        (tmp_path / name).write_text(text)
    assert [path.name for path in records(tmp_path)] == ["a.json", "b.json.journal"]
