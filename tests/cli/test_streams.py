"""Streams that a caller closed, filled up or stopped reading, and few signs to write with (laws 4, 7, 9)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
SERVING = SAMPLES / "serving" / "fiche.yaml"
GUIDE = SAMPLES / "guide" / "fiche.yaml"


def shell(line, **variables):
    """Run a line of bash in which `$fiche` is the command."""
    return subprocess.run(
        ["bash", "-c", f"fiche='{sys.executable} -m fiche'; {line}"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("command", ["--version", "--help", "schema", f"check {GUIDE}"])
def test_a_closed_output_is_said_and_refused(command):
    ended = shell(f"$fiche {command} >&-")
    assert ended.returncode == 2
    assert ended.stderr.startswith("F700 standard output: it is closed")


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", "2>&- <&-"])
@pytest.mark.parametrize(("command", "code"), [("schema", 0), ("nowhere", 2), ("check none", 2)])
def test_an_error_stream_that_takes_nothing_changes_no_exit_code(closed, command, code):
    ended = shell(f"$fiche {command} {closed}")
    assert (ended.returncode, ended.stderr) == (code, "")


def test_what_is_written_never_lands_in_the_number_of_a_closed_stream(tmp_path):
    """A library that complains on stream 2 would write into the report itself."""
    line = f"$fiche report {GUIDE} -o {tmp_path}/{{}} --formats html {{}}"
    assert shell(line.format("all", "")).returncode == 0
    assert shell(line.format("none", ">&- 2>&- <&-")).returncode == 2
    pages = [(tmp_path / name / "report.html").read_bytes() for name in ("all", "none")]
    assert pages[0] == pages[1]


def test_a_gate_holds_when_nobody_reads_what_is_said():
    """`fiche check --require-retained ... | head -1` still ends with 3 (law 9)."""
    ended = shell(f"$fiche check {GUIDE} --require-retained | true; echo ${{PIPESTATUS[0]}}")
    assert (ended.stdout, ended.stderr) == ("3\n", "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_stream_of_few_signs_gets_plain_ones(encoding):
    ended = shell(f"$fiche check {SERVING}", PYTHONIOENCODING=encoding)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "+ Fits rent-4090" in ended.stdout
    assert "\\u" not in ended.stdout


def test_a_usage_error_repeats_no_control_character():
    ended = shell("$fiche $'\\e[31mred\\e]0;title\\a' 2>&1")
    assert ended.returncode == 2
    assert "\x1b" not in ended.stdout
    assert "red" in ended.stdout
