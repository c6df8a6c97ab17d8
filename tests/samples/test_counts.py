"""Counts of verdicts add up, and are the same, in every view of a decision (E4)."""

import csv
import io
import json
import re

import pytest
from render.printed import words_of
from samples.test_samples import COMPLETE, SAMPLES

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.languages import spoken, tags
from fiche.render.text import check_text

STATUSES = ("retained", "to_confirm", "excluded")
BLANKS = re.compile(r"[\u00a0\u202f\s]+")
VERDICTS = ("admissible", "to_confirm", "exclude")


@pytest.mark.parametrize("name", COMPLETE)
def test_json_and_csv_count_alike(name):
    made = files(compile_fiche(SAMPLES / name / "fiche.yaml"), Asked(formats=("json", "csv")))
    document = json.loads(made["decision.json"])
    counts = document["counts"]
    assert sum(counts[status] for status in STATUSES) == counts["candidates"]
    assert sum(counts[f"findings_{code}"] for code in VERDICTS) == counts["findings"]
    rows = {
        table: list(csv.DictReader(io.StringIO(made[f"tables/{table}.csv"].decode(), newline="")))
        for table in ("candidates", "findings")
    }
    for status in STATUSES:
        assert sum(row["status"] == status for row in rows["candidates"]) == counts[status]
        assert sum(c["status"] == status for c in document["candidates"]) == counts[status]
    for code in VERDICTS:
        assert sum(row["verdict"] == code for row in rows["findings"]) == counts[f"findings_{code}"]
    outcomes = {"passed": "admissible", "failed": "exclude"}
    for found in document["findings"]:
        assert outcomes.get(found["outcome"], "to_confirm") == found["verdict"]
        assert (found["unknown"] is None) == (found["outcome"] in (*outcomes, "inapplicable"))


def said(text, tag):
    """The sum that a view states: total, retained, to confirm, excluded; its parts add up."""
    phrase = BLANKS.sub(" ", spoken(tag).phrases["counts"])
    form = re.escape(phrase).replace(r"\{noun\}", r"\D+?")
    form = re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\d+)", form)
    found = re.search(form, BLANKS.sub(" ", text.replace("\\", "")))
    assert found, phrase
    total, *parts = (int(found[key]) for key in ("total", *STATUSES))
    assert sum(parts) == total
    return (total, *parts)


@pytest.mark.parametrize("tag", tags())
@pytest.mark.parametrize("name", COMPLETE)
def test_every_view_states_the_same_sum(name, tag):
    compiled = compile_fiche(SAMPLES / name / "fiche.yaml")
    made = files(compiled, Asked(formats=("html", "md", "json"), language=tag))
    counts = json.loads(made["decision.json"])["counts"]
    wanted = (counts["candidates"], *(counts[status] for status in STATUSES))
    assert said(" \n".join(words_of(made["report.html"])), tag) == wanted
    assert said(made["report.md"].decode(), tag) == wanted
    if tag == "en":
        assert said(check_text(compiled.decision, width=100, colour=False), tag) == wanted
