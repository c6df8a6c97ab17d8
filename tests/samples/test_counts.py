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
from fiche.languages import tags
from fiche.render.text import check_text

STATUSES = ("retained", "to_confirm", "excluded")
VERDICTS = ("admissible", "to_confirm", "exclude")
# `3 candidates: 1 retained + 1 to confirm + 1 excluded`, in whatever words: a total, then what adds up to it.
SUM = re.compile(r"(\d+) [^\d:：]+[:：]\s*(\d+) [^+\d]+\+ (\d+) [^+\d]+\+ (\d+) ")


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


def said(text):
    """The first sum that a view states, whose parts add up."""
    plain = re.sub(r"[*\\\u00a0\u202f\s]+", " ", text)
    found = [tuple(map(int, one.groups())) for one in SUM.finditer(f"{plain} ")]
    assert found
    for total, *parts in found:
        assert sum(parts) == total
    return found[0]


@pytest.mark.parametrize("tag", tags())
@pytest.mark.parametrize("name", COMPLETE)
def test_every_view_states_the_same_sum(name, tag):
    compiled = compile_fiche(SAMPLES / name / "fiche.yaml")
    made = files(compiled, Asked(formats=("html", "md", "json"), language=tag))
    counts = json.loads(made["decision.json"])["counts"]
    wanted = (counts["candidates"], *(counts[status] for status in STATUSES))
    assert said(" \n".join(words_of(made["report.html"]))) == wanted
    assert said(made["report.md"].decode()) == wanted
    if tag == "en":
        assert said(check_text(compiled.decision, width=100, colour=False)) == wanted
