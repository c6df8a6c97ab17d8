"""docs/report.md names every part that a report may have, by its title and in its place, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.report.view import view
from fiche.report.words.en import MEMBER as ENGLISH

ROOT = Path(__file__).resolve().parents[2]
# Together they have every part that there is.
SAMPLES = ("serving", "one-change", "second-opinion", "buy-or-rent", "committee")
LISTED = re.compile(r"<!-- parts: (\w+) -->\n(.*?)<!-- end of parts -->", re.DOTALL)


@pytest.fixture(scope="module")
def parts():
    """Titles by place, as reports of the samples print them; the what-if joins where a page is made."""
    found = {"annex": {ENGLISH.phrases["sizer_title"]}}
    for sample in SAMPLES:
        folder = ROOT / "samples" / sample
        review = folder / "review.yaml"
        compiled = compile_fiche(folder / "fiche.yaml", review if review.exists() else None)
        for section in view(compiled.decision).sections:
            found.setdefault(section.place, set()).add(section.title)
    return found


def listed():
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    return {
        place: set(re.findall(r"^\| (?!part \||--- )([^|]+?) \|", table, re.MULTILINE))
        for place, table in LISTED.findall(text)
    }


def test_every_part_is_told_and_no_other(parts):
    assert listed() == parts
