"""What README.md and docs/ promise is there: links, commands, and the lines of the walk-through."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.cli.main import app
from fiche.registry import member_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted(ROOT.glob("samples/**/*.md")),
)
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_picture_is_small():
    assert (ROOT / "docs" / "report.png").stat().st_size < 300_000


def test_every_command_is_in_the_table_and_no_other():
    """A command that does not exist yet is not promised."""
    known = {c.name or c.callback.__name__.rstrip("_") for c in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    listed = set(re.findall(r"^\| `fiche ([a-z]+)", README, flags=re.MULTILINE))
    assert listed == known


def run(folder, *arguments):
    command = [sys.executable, "-m", "fiche", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_walk_through_says_what_the_readme_shows(tmp_path):
    """The skeleton is valid as it is, and its first mistake is told as printed there."""
    assert run(tmp_path, "new", "chat").returncode == 0
    assert run(tmp_path, "check", "chat/fiche.yaml").returncode == 0
    fiche = tmp_path / "chat" / "fiche.yaml"
    text = fiche.read_text(encoding="utf-8")
    fiche.write_text(text.replace("parameters: 8030261248", "parameters: 8B"), encoding="utf-8")
    shown = re.search(r"^    chat/fiche.yaml:.*\n(?:    .*\n)+", README, flags=re.MULTILINE)
    told = run(tmp_path, "check", "chat/fiche.yaml")
    assert told.returncode == 2
    assert shown is not None
    assert told.stderr == re.sub(r"^    ", "", shown[0], flags=re.MULTILINE)


def transcripts():
    for page in (
        ROOT / "README.md",
        ROOT / "docs" / "estimate.md",
        ROOT / "docs" / "evidence.md",
    ):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```console\n\$ fiche (.*?)\n(.*?)```", text, flags=re.DOTALL):
            yield pytest.param(*block, id=f"{page.name}: {block[0][-40:]}")


@pytest.mark.parametrize(("command", "shown"), list(transcripts()))
def test_a_transcript_is_what_the_command_prints(command, shown, monkeypatch):
    """Every line that a page shows is printed, in that order; `…` stands for what it leaves out."""
    monkeypatch.setenv("COLUMNS", "80")
    ended = run(ROOT, *shlex.split(command))
    assert ended.returncode == 0, ended.stderr
    printed = iter(ended.stdout.splitlines())
    lines = [line for line in shown.splitlines() if line and line != "…"]
    assert [line for line in lines if line not in printed] == []


def test_the_card_of_the_docs_is_valid(tmp_path):
    page = (ROOT / "docs" / "add-a-card.md").read_text(encoding="utf-8")
    block = re.search(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    assert block is not None
    (tmp_path / "cards.yaml").write_text(block[1], encoding="utf-8")
    result = run(tmp_path, "catalog", "validate", "cards.yaml")
    assert (result.returncode, result.stdout) == (0, "valid: 1 cards, 0 offers\n")


@pytest.mark.parametrize(
    "sample",
    [
        "guide",
        "serving",
        "one-change",
        "two-cards",
        "qlora",
        "long-context",
        "latent-cache",
        "dense",
        "second-opinion",
    ],
)
def test_a_copied_sample_compiles_elsewhere(sample, tmp_path):
    """A sample is a folder that a person can copy: nothing in it leads out."""
    shutil.copytree(ROOT / "samples" / sample, tmp_path / "mine")
    assert compile_fiche(tmp_path / "mine" / "fiche.yaml").decision.outcomes


def test_every_kind_of_evidence_is_listed_and_no_other():
    """A format that is not read is not promised."""
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    table = page.partition("## What is read")[2].partition("\n## ")[0]
    rows = [line.split("|")[2] for line in table.split("\n") if line.startswith("| ")]
    listed = [kind for row in rows for kind in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(member_names("fiche.importers"))
