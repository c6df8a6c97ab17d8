"""Asked to end at any moment: one line, 130, and nothing half-written (laws 7 and 9)."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SERVING = Path(__file__).parents[2] / "samples" / "serving" / "fiche.yaml"
IN_THE_MIDDLE = """
import os, signal, sys
sys.argv = ["fiche", *sys.argv[1:]]
from fiche.cli import output, process
whole, replace, asked = output._write, output.Path.replace, []
def ask(path, *others):
    if path.name != "decision.json":
        asked.append(path)
        os.kill(os.getpid(), getattr(signal, "{name}"))
def write(path, content):
    whole(path, content[:1])
    ask(path)
    whole(path, content)
def rename(path, target):
    found = replace(path, target)
    ask(target)
    return found
output.{what}
process.main()
"""


def in_the_middle(name, what, *arguments):
    """Run a command that asks itself to end while it writes, or between two renames."""
    program = IN_THE_MIDDLE.format(name=name, what=what)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("SIGINT", 130, "interrupted\n"), ("SIGTERM", -15, ""), ("SIGHUP", -1, "")],
)
def test_an_interruption_while_writing_leaves_nothing(tmp_path, name, code, said):
    arguments = ("report", SERVING, "-o", tmp_path / "out", "--formats", "html,json")
    ended = in_the_middle(name, "_write = write", *arguments)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "", said)
    assert names(tmp_path) == []


def test_an_interruption_under_force_keeps_every_old_file(tmp_path):
    for name in ("report.html", "decision.json", "notes.txt"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    arguments = ("report", SERVING, "-o", tmp_path, "--force", "--formats", "html,json")
    assert in_the_middle("SIGINT", "_write = write", *arguments).returncode == 130
    assert names(tmp_path) == ["decision.json", "notes.txt", "report.html"]
    assert {path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"old"}


def test_an_interruption_between_two_renames_waits_for_the_last(tmp_path):
    """No new page beside an old decision."""
    for name in ("report.html", "decision.json"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    arguments = ("report", SERVING, "-o", tmp_path, "--force", "--formats", "html,json")
    ended = in_the_middle("SIGINT", "Path.replace = rename", *arguments)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    assert names(tmp_path) == ["SHA256SUMS", "decision.json", "report.html"]
    assert all(path.read_bytes() != b"old" for path in tmp_path.iterdir())


STARTED = """
import sys
sys.argv = ["fiche", *sys.argv[1:]]
from fiche.cli import interrupt, process
interrupt.end_when_asked()
print("started", flush=True)
process.main()
"""


@pytest.mark.parametrize("seconds", [0, 0.1, 0.3, 0.5, 0.7])
def test_an_interruption_at_any_moment_is_one_line(tmp_path, seconds):
    command = [sys.executable, "-c", STARTED, "report", str(SERVING), "-o", str(tmp_path / "out")]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "started\n"
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    if running.returncode == 0:  # a fast machine: it was done before
        written = ["SHA256SUMS", "decision.json", "report.html", "report.pdf"]
        assert names(tmp_path / "out") == written
    else:
        assert (running.returncode, said) == (130, "interrupted\n")
        assert names(tmp_path) in ([], ["out"])


def test_a_signal_that_the_caller_has_ignored_stays_ignored():
    """`nohup fiche ...`, and a shell's background jobs."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from fiche.cli.interrupt import end_when_asked; end_when_asked()\n"
        "import os; os.kill(os.getpid(), signal.SIGINT); print('on')"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "on\n", "")


def test_what_was_renamed_stays(tmp_path):
    from fiche.cli.interrupt import unfinished

    with unfinished(tmp_path / "partial") as partial:
        partial.write_bytes(b"x")
        os.replace(partial, tmp_path / "whole")  # noqa: PTH105
    with unfinished(tmp_path / "left") as left:
        left.mkdir()
    assert names(tmp_path) == ["whole"]


def attaching(tmp_path):
    """A fiche and a log beside its folder, and the command that attaches it."""
    folder = tmp_path / "mine"
    folder.mkdir()
    text = SERVING.parent.parent.joinpath("guide", "fiche.yaml").read_text(encoding="utf-8")
    (folder / "fiche.yaml").write_text(
        text.replace("catalogs: [offers.yaml]", "catalogs: []"), encoding="utf-8"
    )
    (folder / "fiche.yaml").write_text(
        re.sub(r", offer: [\w-]+", "", (folder / "fiche.yaml").read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    log = SERVING.parent / "evidence" / "oom-4080.log"
    return folder, ("import", log, "--to", folder / "fiche.yaml")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interruption_while_a_piece_is_attached_leaves_the_fiche_as_it_was(tmp_path, name):
    folder, arguments = attaching(tmp_path)
    before = (folder / "fiche.yaml").read_bytes()
    ended = in_the_middle(name, "_write = write", *arguments)
    assert ended.returncode in (130, -15)
    assert names(folder) == ["fiche.yaml"]
    assert (folder / "fiche.yaml").read_bytes() == before


def test_an_interruption_while_a_piece_is_put_in_its_place_waits_for_the_fiche(tmp_path):
    """No log without the fiche that names it, and no fiche without its log."""
    folder, arguments = attaching(tmp_path)
    ended = in_the_middle("SIGINT", "Path.replace = rename", *arguments)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")
    assert names(folder) == ["fiche.yaml", "pieces"]
    assert b"file: pieces/oom-4080.log" in (folder / "fiche.yaml").read_bytes()
