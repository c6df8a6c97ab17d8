"""The command as it stands: its streams, its signals, its end; what only its parent can see (C10, C11)."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from measure.command_runs import FICHE, Done, environment

from fiche.measure.wrapped import command
from fiche.measure.wrapped.command import Ended

PYTHON = sys.executable
READY = "import os, signal, sys, time, torch\ntorch.take(1)\n"
WAIT = "open('ready', 'w').close()\ntime.sleep(60)\n"


@pytest.fixture
def started(tmp_path):
    """`fiche run` over a script, once the script says that it is ready."""

    @contextlib.contextmanager
    def start(path):
        folder = tmp_path / "run"
        line = [*FICHE, "run", "-o", str(folder), "--", PYTHON, str(path)]
        process = subprocess.Popen(
            line,
            env=environment(),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        until = time.monotonic() + 60
        while not (tmp_path / "ready").exists():
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < until
            time.sleep(0.02)
        yield process
        process.stdout, process.stderr = process.communicate(timeout=60)
        process.folder = folder

    return start


def test_streams_are_the_callers(script, tmp_path):
    """What fiche says goes to standard error, behind all that the command said."""
    path = script("import sys, torch\ntorch.take(1)\nprint(sys.stdin.read().upper(), end='')\n")
    line = [*FICHE, "run", "-o", str(tmp_path / "run"), "--", PYTHON, str(path)]
    done = subprocess.run(
        line, env=environment(), input="hello\n", capture_output=True, text=True, check=True
    )
    assert done.stdout == "HELLO\n"
    assert done.stderr.splitlines()[-1].startswith("  next: fiche import ")


def test_an_open_file_of_the_caller_stays_open(script, tmp_path):
    """A job server of make, a lock, a socket of systemd."""
    path = script("import os, sys, torch\ntorch.take(1)\nos.write(int(sys.argv[1]), b'seen')\n")
    reader, writer = os.pipe()
    line = [*FICHE, "run", "-o", str(tmp_path / "run"), "--", PYTHON, str(path), str(writer)]
    subprocess.run(line, env=environment(), pass_fds=[writer], capture_output=True, check=True)
    assert os.read(reader, 10) == b"seen"
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGHUP", "SIGINT"])
def test_a_signal_is_the_commands_to_answer(started, script, name):
    handler = "def answer(*_):\n    print('answered', flush=True)\n    sys.exit(0)\n"
    path = script(f"{READY}{handler}signal.signal(signal.{name}, answer)\n{WAIT}")
    with started(path) as process:
        process.send_signal(getattr(signal, name))
    assert (process.returncode, process.stdout) == (0, "answered\n")
    assert Done(process, process.folder).phase["outcome"] == "success"


def test_a_key_of_the_terminal_reaches_the_command_once(script, tmp_path):
    """The terminal sends it to the whole group: handed on as well, it would come twice."""
    path = script(
        READY + "seen = []\nsignal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "open('ready', 'w').close()\nuntil = time.monotonic() + 30\n"
        "while not seen and time.monotonic() < until: time.sleep(0.05)\n"
        "time.sleep(0.5)\nopen('seen', 'w').write(str(len(seen)))\n"
    )
    line = [*FICHE, "run", "-o", "run", "--", PYTHON, str(path)]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execve(line[0], line, environment())
    until = time.monotonic() + 60
    while not (tmp_path / "ready").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert (tmp_path / "seen").read_text() == "1"
    assert os.waitstatus_to_exitcode(status) == 0


def test_an_interrupted_command_ends_as_interrupted(started, script):
    """An interruption is neither a success nor a failure; the last values stay (C11)."""
    path = script(READY + WAIT)
    with started(path) as process:
        process.send_signal(signal.SIGINT)
    done = Done(process, process.folder)
    assert (process.returncode, done.index["exit"]) == (130, {"signal": "SIGINT"})
    (record,) = done.records
    (left,) = record["unfinished"]
    assert (record["phases"], left["extra"]["ended_by"]) == ([], "signal SIGINT")
    assert left["extra"]["devices"][0]["levels"]["allocated_bytes"] == 1 << 20


def test_journals_outlive_the_parent(started, script, tmp_path):
    """C11: what the processes wrote needs nobody to finish it."""
    from fiche.importers import _detect

    with started(script(READY + WAIT)) as process:
        process.kill()
        (journal,) = (tmp_path / "run").glob("program-*.json.journal")
        os.kill(int(journal.name.split("-")[1].split(".")[0]), signal.SIGKILL)
    reading = _detect.read(journal.read_bytes(), "0" * 64, journal.name)
    assert [run.outcome for run in reading.runs] == ["unknown"]
    assert not (process.folder / "run.json").exists()


def test_host_memory_is_told_beside_the_records(fiche_run, script):
    """The largest resident set of one process, in bytes; no fact about a device."""
    path = script(
        "import torch\ntorch.take(1)\nheld = bytearray(200 << 20)\nheld[:] = b'x' * len(held)"
    )
    host = fiche_run(command=[PYTHON, path]).index["host"]
    assert 200 << 20 < host["peak_rss_bytes"]["bytes"] < 4 << 30
    assert "never" not in host["peak_rss_bytes"]["counter"]
    assert "one process" in host["peak_rss_bytes"]["counter"]


def test_kills_of_the_control_group_are_a_difference(monkeypatch, tmp_path):
    """Version 2 and version 1 of control groups; what the system does not tell is absent (C2)."""
    events = tmp_path / "memory.events"
    monkeypatch.setattr(command, "_counters", lambda: iter([(events, "oom_kill")]))
    assert command._oom_kills() is None
    events.write_text("low 0\noom 3\noom_kill 2\n")
    assert command._oom_kills() == 2
    ended = command.run(
        [sys.executable, "-c", f"open({str(events)!r}, 'w').write('oom_kill 5')"], {**os.environ}
    )
    assert (ended.oom_kills, ended.status) == (3, 0)


def test_how_a_command_ended_is_a_status_or_a_signal():
    killed = command.run(["sh", "-c", "kill -KILL $$"], {**os.environ})
    assert (killed.status, killed.signal) == (None, "SIGKILL")
    left = command.run(["sh", "-c", "exit 200"], {**os.environ})
    assert (left.status, left.signal) == (200, None)
    assert isinstance(left, Ended)
    with pytest.raises(FileNotFoundError):
        command.run(["/nowhere/at/all"], {**os.environ})
