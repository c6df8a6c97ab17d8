"""The tutorial, done from its first line to its last: files, changes, commands and what they print."""

from __future__ import annotations

import re
from pathlib import Path

import pikepdf
import pytest
from walked import BLOCK, Ran, agrees, run, walk

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tutorial")
    return folder, list(walk(PAGE, folder))


def test_each_command_prints_what_the_page_shows(done):
    _, commands = done
    assert len(commands) >= 10
    for ran in commands:
        assert (ran.command, ran.code) == (ran.command, ran.wanted_code), ran.printed
        assert ran.missing == [], ran.command


def test_it_ends_with_two_pages_and_the_record_to_sign(done):
    folder, _ = done
    with pikepdf.open(folder / "out" / "report.pdf") as pdf:
        assert len(pdf.pages) == 3
        assert {"decision.json", "fiche.yaml", "evidence_oom.log"} <= set(pdf.attachments)


def test_what_is_attached_compiles_to_the_same_decision(done, tmp_path, monkeypatch):
    """The script of docs/pdf.md takes the files out, and the command there puts them back."""
    folder, _ = done
    page = (ROOT / "docs" / "pdf.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.pdf").write_bytes((folder / "out" / "report.pdf").read_bytes())
    exec(compile(script, "docs/pdf.md", "exec"), {})
    assert (tmp_path / "files" / "decision.json").is_file()
    put_back = "fiche verify report.pdf --extract again"
    assert put_back in page
    verified = run(tmp_path, f"$ {put_back}\n", 0)
    assert verified.code == 0, verified.printed
    again = run(tmp_path, "$ fiche report again/fiche.yaml -o out --formats json\n", 0)
    assert again.code == 0, again.printed
    assert (tmp_path / "out" / "decision.json").read_bytes() == (
        folder / "out" / "decision.json"
    ).read_bytes()


def test_every_block_of_the_page_is_done():
    """A console that no comment stands above would be run by nobody."""
    text = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^```console", text, re.MULTILINE)) == sum(
        verb == "run" for verb, _, _ in BLOCK.findall(text)
    )
    assert len(re.findall(r"^```[a-z]+$", text, re.MULTILINE)) == len(BLOCK.findall(text))


@pytest.mark.parametrize(
    ("shown", "printed", "missing"),
    [
        ("a\n…\nc\n", "a\nb\nc\n", []),
        ("c\na\n", "a\nb\nc\n", ["a"]),
        ("out/x …\n", "out/x  12 B\n", []),
        ("b\n", "a\n", ["b"]),
    ],
)
def test_what_is_shown_is_printed_in_that_order(shown, printed, missing):
    assert Ran("fiche", shown, printed, 0, 0).missing == missing


def test_a_line_without_dots_is_the_whole_line():
    assert not agrees("out/x", "out/x  12 B")
