"""A record is held against its schema in one of two ways, and both say the same, however many came before."""

import json
from pathlib import Path

from fiche.importers import _record_json
from fiche.importers._record_json import follows_schema

RECORD = Path(__file__).parents[2] / "samples" / "serving" / "evidence" / "run-limit.json"


def test_the_first_and_the_hundredth_record_are_judged_alike():
    right = json.loads(RECORD.read_bytes())
    wrong = {**right, "phases": [{**right["phases"][0], "outcome": "perhaps"}]}
    for document, answer in ((right, True), (wrong, False)):
        assert {follows_schema(document) for _ in range(100)} == {answer}


def test_of_many_the_later_ones_are_left_to_the_library(monkeypatch):
    asked = []
    monkeypatch.setattr(_record_json, "_asked", iter(range(40)))
    monkeypatch.setattr(_record_json, "follows", lambda *_: asked.append(1) or True)
    right = json.loads(RECORD.read_bytes())
    assert all(follows_schema(right) for _ in range(40))
    assert len(asked) == _record_json._FEW
