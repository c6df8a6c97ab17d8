"""The user's own program is run, and not trusted: limits of time and output, and nothing of it is left."""

import os
import time
from pathlib import Path

import pytest
from cli.verapdf_stand_in import program, speaking, xml

from fiche.cli import verapdf
from fiche.cli.verapdf import program_of, validated
from fiche.kernel.diagnostic import Refused

PDF = b"%PDF-1.7 stand-in"


def outcomes(path):
    return [one.compliant for one in validated(PDF, str(path))]


def test_both_standards_are_asked_of_the_very_bytes(tmp_path):
    body = (
        f"assert open(pdf, 'rb').read() == {PDF!r}\n"
        "assert sys.stdin.read() == ''\n"
        f"print({ {'3a': xml('3a'), 'ua1': xml('ua1', False)}!r}[flavour])\nsys.exit(flavour == 'ua1')"
    )
    assert outcomes(program(tmp_path, body)) == [True, False]


def test_warnings_on_the_other_stream_do_no_harm(tmp_path):
    assert outcomes(speaking(tmp_path, f3a=xml("3a"), fua1=xml("ua1"))) == [True, True]


def test_the_copy_is_taken_away(tmp_path):
    validated(PDF, str(program(tmp_path, f"open({str(tmp_path / 'seen')!r}, 'w').write(pdf)")))
    assert not Path((tmp_path / "seen").read_text()).exists()


@pytest.mark.parametrize("told", ["no-such-program", "/", "", "./plain.txt"])
def test_a_program_that_is_none_is_refused(told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("no program", encoding="utf-8")
    with pytest.raises(Refused) as refused:
        program_of(told)
    assert [d.code for d in refused.value.diagnostics] == ["F603"]


def test_it_is_found_as_a_shell_would(tmp_path, monkeypatch):
    made = program(tmp_path, "")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert program_of("verapdf") == program_of(str(made)) == str(made)


def test_one_that_hangs_is_ended_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(verapdf, "SECONDS", 0.5)
    left = tmp_path / "child"
    body = (
        "child = os.fork()\n"
        f"if child: open({str(left)!r} + flavour, 'w').write(str(child))\n"
        "time.sleep(600)"
    )
    told = validated(PDF, str(program(tmp_path, body)))
    assert [(one.compliant, one.why) for one in told] == [(None, "no answer in 0.5 s")] * 2
    for flavour in ("3a", "ua1"):
        assert _gone(int(Path(f"{left}{flavour}").read_text()))


def _gone(number):
    for _ in range(100):
        try:
            if Path(f"/proc/{number}/stat").read_text().split()[2] == "Z":
                return True
            os.kill(number, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_one_that_never_stops_talking_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(verapdf, "MOST_BYTES", 100_000)
    told = validated(PDF, str(program(tmp_path, "while True: print('x' * 1000)")))
    assert [one.why for one in told] == ["it printed more than 100000 bytes"] * 2


@pytest.mark.parametrize("body", ["", "sys.exit(7)", "os.abort()", "print('<report>')"])
def test_one_that_says_nothing_readable_gives_no_verdict(tmp_path, body):
    assert outcomes(program(tmp_path, body)) == [None, None]


def test_one_that_cannot_be_started(tmp_path):
    path = tmp_path / "verapdf"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    told = validated(PDF, program_of(str(path)))
    assert [one.compliant for one in told] == [None, None]
    assert all("cannot be run" in one.why for one in told)
