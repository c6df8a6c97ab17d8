"""`fiche run`: refusals write nothing, a folder is never reused, a failed command's records stay (C10, C11)."""

import json
import sys

import pytest
from measure.command_runs import FICHE, environment

from fiche.cli import running_text
from fiche.cli.running_words import covered, declared, identifier
from fiche.kernel.diagnostic import Refused
from fiche.measure.wrapped.command import Ended
from fiche.measure.wrapped.finishing import Left

PYTHON = sys.executable


@pytest.fixture
def run(fiche, monkeypatch, tmp_path):
    """`fiche run` in this process; the command sees the stand-in for PyTorch."""
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return lambda *words: fiche("run", *words)


def train(tmp_path, text="import torch; torch.take(5)"):
    path = tmp_path / "train.py"
    path.write_text(text)
    return str(path)


def test_no_gpu_is_one_sentence_and_nothing_is_written(run, monkeypatch, tmp_path):
    """C10: the command is not even started."""
    monkeypatch.setenv("FAKE_NO_GPU", "1")
    path = train(tmp_path, "open('started', 'w')")
    before = sorted(tmp_path.iterdir())
    ended = run("-o", "out", "--", PYTHON, path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("F541 PyTorch 2.13.0+stand.in sees no usable GPU on this machine")
    assert len(ended.err.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_there_is_never_used(run, tmp_path):
    (tmp_path / "out").mkdir()
    path = train(tmp_path, "open('started', 'w')")
    ended = run("-o", "out", "--", PYTHON, path)
    assert ended.code == 2
    assert ended.err.startswith("F610 out exists already\n")
    assert list((tmp_path / "out").iterdir()) == []
    assert not (tmp_path / "started").exists()


def test_a_place_that_cannot_be_written_is_said(run, tmp_path):
    (tmp_path / "file").write_text("")
    ended = run("-o", "file/out", "--", PYTHON, train(tmp_path))
    assert (ended.code, ended.err[:4]) == (2, "F611")


def test_a_command_that_cannot_be_started_leaves_no_folder(run, tmp_path):
    ended = run("-o", "out", "--", "no-such-program")
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        "F542 no-such-program cannot be started: No such file or directory",
    )
    assert not (tmp_path / "out").exists()


def test_a_command_that_used_no_gpu_leaves_no_folder(run, tmp_path):
    ended = run("-o", "out", "--", PYTHON, train(tmp_path, "pass"))
    assert (ended.code, ended.err[:4]) == (2, "F543")
    assert not (tmp_path / "out").exists()


def test_the_folder_has_a_name_of_its_own_where_none_is_given(run, tmp_path):
    ended = run("--", PYTHON, train(tmp_path))
    assert ended.code == 0
    (folder,) = tmp_path.glob("fiche-run-*Z")
    assert json.loads((folder / "run.json").read_text())["run"] == folder.name


def test_what_is_said_names_the_next_command(run, tmp_path):
    ended = run("-o", "out", "--", PYTHON, train(tmp_path))
    first, record, last = ended.err.splitlines()
    assert first.startswith("fiche run: exit status 0 after ")
    assert record.endswith("success; cuda:0 peak allocated 5.00 MiB, peak reserved 7.00 MiB")
    assert last == "  next: fiche import out/*.json --to FICHE"


def test_json_is_the_index(run, tmp_path):
    ended = run("-o", "out", "--json", "--", PYTHON, train(tmp_path))
    assert ended.json() == json.loads((tmp_path / "out" / "run.json").read_text())
    assert ended.json()["format"] == "fiche-run/1"


def test_secrets_of_the_command_line_are_not_kept(run, tmp_path):
    token = "hf_" + "aB3" * 12
    ended = run("-o", "out", "--json", "--", PYTHON, train(tmp_path), "--hf-token", token)
    command = ended.json()["command"]
    assert command["line"].endswith("--hf-token <secret>")
    assert command["redacted"] == 1
    assert all(token not in path.read_text() for path in (tmp_path / "out").iterdir())


def test_the_records_of_a_run_are_imported_together(run, fiche, tmp_path):
    """What the summary tells one to type."""
    run(
        "-o", "out", "--", PYTHON, train(tmp_path, "import torch; torch.take(5); torch.take(30000)")
    )
    pieces = fiche("import", *sorted((tmp_path / "out").glob("*.json")), "--json").json()["pieces"]
    assert sorted(piece["kind"] for piece in pieces) == ["fiche_record", "fiche_run"]


def test_pieces_of_one_run_are_grouped(run, fiche, tmp_path):
    run("-o", "out", "--run", "one", "--", PYTHON, train(tmp_path))
    fiche("new", tmp_path / "fiche", "--date", "2026-11-30")
    path = tmp_path / "fiche" / "fiche.yaml"
    fiche("import", *sorted((tmp_path / "out").glob("*.json")), "--to", path)
    assert path.read_text().count("    run: one\n") == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: declared(["microbatch=two"]), "--dim: 'microbatch=two' is no dimension"),
        (lambda: declared(["microbatch"]), "--dim: 'microbatch' is no dimension"),
        (lambda: declared(["a=1", "a=2"]), "--dim: a is given twice"),
        (lambda: declared(["a=-1"]), "--dim: 'a=-1' is no dimension"),
        (lambda: covered("forward,Back Ward"), "--covers: 'Back Ward' names no phase"),
        (lambda: covered(""), "--covers: '' names no phase"),
        (lambda: identifier("--run", "a/b"), "--run: 'a/b' is no id"),
        (lambda: identifier("--gpu", "H100"), "--gpu: 'H100' is no id"),
    ],
)
def test_words_that_no_record_can_hold_are_refused(call, said):
    with pytest.raises(Refused) as refused:
        call()
    (one,) = refused.value.diagnostics
    assert (one.code, one.message) == ("F540", said)


def test_such_a_word_is_refused_before_anything_is_asked(run, tmp_path):
    ended = run("--dim", "x", "-o", "out", "--", "no-such-program")
    assert (ended.code, ended.err[:4]) == (2, "F540")


def test_the_summary_says_peaks_in_their_unit_and_why_it_failed(run, tmp_path):
    """C3, C11: allocated and reserved apart; the reason without opening the record."""
    text = "import torch; torch.take(300); torch.take(30000)"
    ended = run("-o", "out", "--", PYTHON, train(tmp_path, text))
    assert ended.code == 3
    lines = ended.err.splitlines()
    (at,) = [place for place, line in enumerate(lines) if ": failure" in line]
    assert lines[at].endswith("; cuda:0 peak allocated 300.00 MiB, peak reserved 302.00 MiB")
    assert lines[at + 1].startswith(
        "    torch.OutOfMemoryError: CUDA out of memory. Tried to alloc"
    )


def test_killed_processes_and_what_was_not_watched_are_said(tmp_path):
    ended = Ended(
        pid=1, status=None, signal="SIGKILL", duration_ns=61_260_000_000, peak_rss=None, oom_kills=2
    )
    lines = running_text.summary(tmp_path, ended, [], ["KeyError: 'X'"]).splitlines()
    assert lines[0] == f"fiche run: signal SIGKILL after 61.3 s; {tmp_path}/run.json"
    assert lines[1:] == [
        "  the kernel killed 2 of its processes for want of host memory",
        "  not watched: KeyError: 'X'",
        "  no process used a GPU through PyTorch before the command ended",
    ]
    many = [
        Left(path=tmp_path / f"program-{n}.json", kind="program", outcome="unknown")
        for n in range(40)
    ]
    assert "  and 24 more" in running_text.summary(tmp_path, ended, many, []).splitlines()
    assert FICHE[1:] == ("-m", "fiche")
