"""Pictures of the documentation: those of the rule say what the rule says, and none is heavy or left over."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fiche.evaluate.rule import ROWS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "tools"))
pictures = import_module("pictures")
rule = import_module("_rule_pictures")
SVG = "{http://www.w3.org/2000/svg}"


def test_no_picture_of_the_rule_is_stale(capsys):
    assert pictures.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_picture_is_named_and_not_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    assert pictures.main(["--check"]) == 1
    assert sorted(re.findall(r"pictures/(\S+) ", capsys.readouterr().err)) == sorted(rule.PICTURES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", rule.PICTURES)
def test_a_drawing_is_told_in_words_and_asks_for_nothing(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.find(f"{SVG}title").text
    assert len(root.find(f"{SVG}desc").text) > 100
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<script|href=|url\(|@import", text)


def test_every_row_of_the_rule_is_a_question_of_its_picture():
    text = rule.order()
    assert [str(row.text) for row in ROWS if str(row.text) not in text] == []


def test_the_situations_show_every_answer():
    answers = {rule.judge(rule._comparison(case)).reason for case in rule.CASES}
    assert answers >= {
        "conflict",
        "proven_failure",
        "above_capacity",
        "within_capacity",
        "near_limit",
        "overlap",
        "open",
        "nothing_required",
    }


def test_every_picture_is_shown_somewhere_with_words_beside_it_and_is_small():
    shown = {}
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for words, target in re.findall(
            r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")
        ):
            shown[(page.parent / target).resolve()] = words
    files = set(FOLDER.iterdir()) | {ROOT / "docs" / "report.png"}
    assert set(shown) == files
    assert all(len(words.split()) >= 4 for words in shown.values())
    assert [path.name for path in files if path.stat().st_size > 300_000] == []
