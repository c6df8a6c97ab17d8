"""docs/reference is what the sources say, and whatever links anywhere in the documentation arrives."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
reference = import_module("reference")
Page = reference.Page

PAGES = (
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("**/*.md")),
    *sorted(ROOT.glob("samples/**/*.md")),
    *sorted((ROOT / "src" / "fiche" / "codes").glob("*.md")),
)
FENCED = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def test_the_reference_is_not_stale(capsys):
    assert reference.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_page_a_missing_one_and_one_too_many_are_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(reference, "FOLDER", tmp_path)
    monkeypatch.setattr(reference, "pages", lambda: {"a.md": "as it is\n", "b.md": "new\n"})
    (tmp_path / "b.md").write_text("old\n", encoding="utf-8")
    (tmp_path / "gone.md").write_text("left over\n", encoding="utf-8")
    assert reference.main(["--check"]) == 1
    assert re.findall(r"reference/(\S+) ", capsys.readouterr().err) == ["a.md", "b.md", "gone.md"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.md", "gone.md"]
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "b.md"]


def keys_of(schema):
    """Every key that a schema names, at any depth; what a condition looks at is told in words."""
    if isinstance(schema, dict):
        named = schema.get("properties", {})
        yield from (key for key, value in named.items() if isinstance(value, dict))
        for word, value in schema.items():
            yield from () if word in ("if", "not") else keys_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys_of(value)


@pytest.mark.parametrize("path", sorted((ROOT / "schemas").glob("*.json")), ids=lambda p: p.name)
def test_every_key_of_a_schema_has_a_row(path):
    schema = json.loads(path.read_text(encoding="utf-8"))
    rows = set(re.findall(r"^\| `([^`]+)` \|", Page(schema, path.stem).text(), flags=re.MULTILINE))
    assert set(keys_of(schema)) - rows == set()


def test_every_key_has_a_meaning():
    """A row whose fourth cell is a dash tells nobody anything."""
    silent = [
        (name, cells[1])
        for name, text in reference.pages().items()
        for cells in (line.split(" | ") for line in text.splitlines() if line.startswith("| `"))
        if len(cells) == 5 and cells[3] == "–"
    ]
    assert silent == []


def test_what_a_kind_asks_for_stands_beside_its_key():
    text = reference.pages()["fiche.md"]
    part = text.partition("**Where `kind` is `capacity`**")[2].partition("**Where")[0]
    assert "| `at_least` | where `level` is `must` |" in part
    assert "memory: B, kB to PB (10^3) or KiB to PiB (2^10)" in text


def test_every_command_and_option_is_told():
    told = reference.pages()["commands.md"]
    options = json.loads((ROOT / "tests" / "cli_options.json").read_text(encoding="utf-8"))
    shown_by_typer = {"--install-completion", "--show-completion"}
    for command, names in options.items():
        part = told.partition(f"## `{command}`\n")[2].partition("\n## ")[0]
        assert part, command
        listed = set(re.findall(r"`(-{1,2}[a-z0-9-]+)`", part))
        assert set(names) - shown_by_typer - listed == set(), command


def anchors(page):
    """The anchors of a page, as code hosts make them: a heading that comes again is numbered."""
    seen = {}
    for heading in HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        made = reference.anchor(plain)
        count = seen[made] = seen.get(made, -1) + 1
        yield made if count == 0 else f"{made}-{count}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_arrives_at_its_file_and_its_heading(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name) if name else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            lost.append(target)
    assert lost == []


def commands_of(text):
    """Every command line of fiche that a page writes, in a block or among its words."""
    lines = re.findall(r"^(?: {4,}|\$ |)(?:> )?(fiche [a-z][^\n]*)$", text, flags=re.MULTILINE)
    lines += re.findall(r"`(fiche [a-z][^`]*)`", text)
    for line in lines:
        yield re.sub(r"\s+", " ", re.split(r" # | \| | -- |  +#", line)[0])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_that_a_page_writes_exists(page):
    known = json.loads((ROOT / "tests" / "cli_options.json").read_text(encoding="utf-8"))
    wrong = []
    for line in commands_of(page.read_text(encoding="utf-8")):
        words = line.split()
        name = next((one for n in (3, 2) if (one := " ".join(words[:n])) in known), None)
        if name is not None:
            asked = [word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word)]
            wrong += [(line, word) for word in asked if word not in {*known[name], "--help"}]
    assert wrong == []


def test_no_two_tables_of_the_reference_have_one_heading():
    for name, text in reference.pages().items():
        headings = HEADING.findall(text)
        assert sorted(set(headings)) == sorted(headings), name


def test_every_page_of_docs_is_listed_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", index))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert "](reference/README.md)" in index
