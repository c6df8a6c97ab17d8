"""How each way of ending becomes an exit code, and how long it takes to start (law 9)."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

import fiche as package
from fiche.cli import app, main, named
from fiche.cli.terminal import put_text
from fiche.kernel.diagnostic import Diagnostic, Refused

ROOT = Path(__file__).parents[2]


def test_the_version_is_printed(fiche):
    ended = fiche("--version")
    assert (ended.code, ended.out) == (0, f"fiche {package.__version__}\n")


def test_help_names_every_command(fiche):
    ended = fiche("--help")
    assert ended.code == 0
    for command in ("new", "estimate", "import", "check", "report", "explain", "schema", "catalog"):
        assert command in ended.out


@pytest.mark.parametrize("group", [(), ("catalog",), ("lab",), ("archive",)])
def test_help_says_what_each_command_does_in_a_whole_sentence(fiche, monkeypatch, group):
    monkeypatch.setenv("COLUMNS", "80")
    listed = fiche(*group, "--help").out.partition("Commands:\n")[2].splitlines()
    assert listed
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("words", [("verify",), ("archive", "add"), ("archive", "check")])
def test_help_names_no_type_of_a_program(fiche, words):
    told = fiche(*words, "--help").out
    assert "Arguments:" in told
    assert "<" not in told.partition("Arguments:")[2].partition("Options:")[0]


@pytest.mark.parametrize(
    "arguments", [("nowhere",), ("estimate", "--nowhere"), ("schema", "a", "b"), ("explain",)]
)
def test_a_usage_error_is_refused(fiche, arguments):
    ended = fiche(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert "Usage: fiche" in ended.err


def raising(monkeypatch, error):
    def called(**options):
        raise error

    monkeypatch.setattr(app, "app_of", lambda names: called)


def test_diagnostics_are_refused_on_standard_error(fiche, monkeypatch):
    told = Diagnostic(code="F701", message="unknown card 'x'", address=None, hint="known: y")
    raising(monkeypatch, Refused([told]))
    ended = fiche()
    assert (ended.code, ended.out) == (2, "")
    assert "F701 unknown card 'x'" in ended.err
    assert "hint: known: y" in ended.err


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "standard output: No space left"),
        (OSError(errno.EBADF, "Bad file descriptor"), "standard output: it is closed"),
        (OSError(errno.EAGAIN, "try again"), "the system: try again"),
        (PermissionError(errno.EACCES, "Permission denied", "out"), "out: Permission denied"),
    ],
)
def test_what_the_system_refuses_is_one_line_and_no_traceback(fiche, monkeypatch, error, words):
    raising(monkeypatch, error)
    ended = fiche()
    assert ended.code == 2
    assert f"F700 {words}" in ended.err
    assert "Traceback" not in ended.err


def test_an_interruption_is_one_line_and_130(fiche, monkeypatch):
    raising(monkeypatch, KeyboardInterrupt())
    ended = fiche()
    assert (ended.code, ended.out, ended.err) == (130, "", "interrupted\n")


def test_a_defect_of_ours_shows_its_traceback(monkeypatch):
    """Law 4: a traceback means our bug."""
    raising(monkeypatch, ZeroDivisionError("ours"))
    with pytest.raises(ZeroDivisionError):
        main.run()


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (["check", "fiche.yaml"], ["check"]),
        (["lab", "export"], ["lab"]),
        ([], "all"),
        (["--help"], "all"),
        (["chek"], "all"),
    ],
)
def test_only_the_command_that_is_called_is_made(words, made, monkeypatch):
    """Making all of them takes a third of a `fiche check`; help and near misses need them."""
    monkeypatch.delenv("_FICHE_COMPLETE", raising=False)
    every = [*named.COMMANDS, *named.GROUPS]
    names = list(app.asked(words))
    assert names == (every if made == "all" else made)
    command = get_command(app.app_of(names))
    assert list(command.commands) == names


def test_completion_knows_every_command(monkeypatch):
    monkeypatch.setenv("_FICHE_COMPLETE", "complete_bash")
    assert list(app.asked(["check"])) == [*named.COMMANDS, *named.GROUPS]


def program(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "fiche", *arguments], capture_output=True, text=True, **options
    )


def test_a_reader_that_stops_reading_is_no_error():
    """`fiche ... | head -1`."""
    shell = f"{sys.executable} -m fiche catalog list --json | head -1; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert ended.stdout == "{\n0\n"
    assert ended.stderr == ""


def test_a_full_disk_behind_a_redirection_is_said():
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "fiche", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert ended.returncode == 2
    assert ended.stderr.startswith("F700 standard output: No space left on device")


def test_text_that_a_stream_cannot_encode_is_escaped():
    text = "from fiche.cli.terminal import put_text; put_text('caf\\u00e9\\n')"
    ended = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ended.stdout == b"caf\\xe9\n"


def test_help_and_estimate_import_nothing_heavy():
    code = (
        "import sys; sys.argv = ['fiche', *sys.argv[1:]]\n"
        "from fiche.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'weasyprint', 'jinja2', 'babel', 'rich', 'yaml', 'jsonschema_rs',\n"
        "    'sqlalchemy', 'sqlite3', 'fsspec', 'pyhanko', 'cryptography', 'pyarrow', 'pypdf'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    for arguments in (("--help",), ("estimate", "--parameters", "7", "--bits", "16")):
        ended = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert ended.stderr == "[]\n"


# What takes long to load and says nothing of a right fiche, for who wants one page or its verdicts.
UNASKED = {
    *("jsonschema_rs", "email", "socket", "sqlalchemy", "fsspec", "pyhanko", "pyarrow", "pypdf"),
    *("weasyprint", "torch", "babel", "rich", "asyncio", "ssl", "uuid_utils", "importlib.metadata"),
}
# Parts of a report that the sample has nothing for.
ABSENT = {
    *("fiche.evaluate.procedure", "fiche.evaluate.beside", "fiche.load.ownership"),
    *("fiche.load.efforts", "fiche.cli.reviewed", "fiche.report.comments", "fiche.report.draft"),
    *("fiche.archive", "fiche.verify", "fiche.render.pdf", "fiche.render.markdown"),
}


@pytest.mark.parametrize("command", ["check", "report"])
def test_a_command_loads_what_its_fiche_needs(command, tmp_path):
    code = (
        "import sys; sys.argv = ['fiche', *sys.argv[1:]]\n"
        "from fiche.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    asked = ["-o", str(tmp_path / "out"), "--formats", "html"] if command == "report" else []
    asked = [command, str(ROOT / "samples/serving/fiche.yaml"), *asked]
    ended = subprocess.run(
        [sys.executable, "-c", code, *asked], capture_output=True, text=True, check=True
    )
    loaded = set(ended.stderr.split())
    assert "fiche.load.fiche" in loaded
    pages = {"jinja2", "fiche.render.html", "fiche.report.view"} if command == "report" else set()
    assert pages <= loaded
    absent = UNASKED | ABSENT | ({"jinja2", "fiche.render.html"} if command == "check" else set())
    assert sorted(loaded & absent) == []


def test_a_closed_output_keeps_what_was_written(capsys):
    put_text("kept\n")
    assert capsys.readouterr().out == "kept\n"
