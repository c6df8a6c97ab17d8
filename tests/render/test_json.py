"""decision.json: canonical, walkable, and nothing in it is a float (E4, law 2, law 5)."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema_rs
import pytest
import rfc8785
from render.pages import NAMES, decision

from fiche.assets import schema_text
from fiche.kernel.figure import Figure
from fiche.kernel.ledger import ledger
from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE, count_of
from fiche.render._figures import amounts, decimal
from fiche.render.json import decision_bytes, decision_document

TESTS = Path(__file__).parents[1]
SCHEMA = jsonschema_rs.validator_for(json.loads(schema_text("decision.schema.json")))


def document(name):
    return json.loads(decision_bytes(decision(name)))


def parts(value):
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from parts(part)


@pytest.mark.parametrize("name", NAMES)
def test_it_fits_its_schema(name):
    assert [error.message for error in SCHEMA.iter_errors(document(name))] == []


@pytest.mark.parametrize("name", NAMES)
def test_its_bytes_are_canonical(name):
    content = decision_bytes(decision(name))
    assert content == rfc8785.dumps(json.loads(content))
    assert not any(isinstance(part, float) for part in parts(json.loads(content)))


def test_two_processes_of_two_zones_and_hash_seeds_agree():
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from render import decisions\n"
        "from fiche.render.json import decision_bytes\n"
        "sys.stdout.buffer.write(decision_bytes(decisions.rich()))"
    )
    made = [
        subprocess.run(
            [sys.executable, "-c", code, str(TESTS)],
            env={**os.environ, "TZ": zone, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for zone, seed in (("UTC", "1"), ("Asia/Tokyo", "2"))
    ]
    assert made[0] == made[1] == decision_bytes(decision("rich"))


@pytest.mark.parametrize("name", NAMES)
def test_every_id_leads_to_one_figure(name):
    """Inputs of formulas, sides of findings, dimensions, costs: all are in `figures`, once."""
    told = document(name)
    ids = [figure["id"] for figure in told["figures"]]
    assert len(ids) == len(set(ids))
    asked = [i for figure in told["figures"] for i in figure.get("inputs", ())]
    asked += [
        f[side]["id"] for f in told["findings"] for side in ("need", "have", "margin") if f[side]
    ]
    asked += [
        c[key] for c in told["candidates"] for key in ("cost", "useful_margin", "cards") if c[key]
    ]
    asked += [i for case in told["workload"]["cases"] for i in case["dimensions"].values()]
    asked += [i for r in told["requirements"] for i in r["figures"].values()]
    asked += [
        i
        for piece in told["pieces"]
        for run in piece["runs"]
        for i in (*run["executed"].values(), *run["declared"].values())
    ]
    assert asked
    assert set(asked) <= set(ids)


def test_a_computed_figure_tells_its_formula_in_words_and_as_a_tree():
    """B5: the KV cache of the limit case, 4 GiB, from 8192 tokens of four sequences."""
    told = {figure["id"]: figure for figure in document("rich")["figures"]}
    cache = told["limit.kv_cache"]
    assert cache["bytes"] == 4 * 2**30
    assert cache["basis"] == "computed"
    assert "limit.tokens_kept x limit.resident_sequences" in cache["formula"]
    assert cache["expression"][0] == "ceil"
    assert "model.kv_heads" in cache["inputs"]
    assert told["limit.envelope"]["rests_on"] == ["assumed", "stated"]
    assert told["limit.envelope"]["left_out"] == [
        "activations and workspace",
        "uses outside the process",
    ]


def test_addresses_are_places_that_people_write():
    told = {figure["id"]: figure for figure in document("rich")["figures"]}
    assert told["model.layers"]["at"] == "chat.yaml:9:9"
    assert told["run-6000ada/total.cuda0"]["at"] == "run-6000ada#line 5"
    assert told["reserve.cuda_context"]["by"] == "A. Martin"


def test_two_numbers_of_one_name_are_told_apart_by_their_candidate():
    """D10: a candidate that changes the cache has an envelope of its own."""
    told = {figure["id"]: figure for figure in document("rich")["figures"]}
    assert told["limit.kv_cache"]["bytes"] == 2 * told["fp8-cache/limit.kv_cache"]["bytes"]
    assert "fp8-cache/limit.kv_cache" in told["fp8-cache/limit.envelope"]["inputs"]


@pytest.mark.parametrize("name", NAMES)
def test_counts_add_up(name):
    counts = document(name)["counts"]
    assert counts["retained"] + counts["to_confirm"] + counts["excluded"] == counts["candidates"]
    verdicts = [v for key, v in counts.items() if key.startswith("findings_")]
    assert sum(verdicts) == counts["findings"] == len(document(name)["findings"])
    assert counts["candidates"] == len(document(name)["candidates"])


def test_what_is_unknown_is_never_zero():
    """C2: an open need has a floor, no ceiling, and the condition that would close it."""
    told = {figure["id"]: figure for figure in document("nothing_known")["figures"]}
    envelope = told["envelope"]
    assert (envelope["low_bytes"], envelope["high_bytes"]) == (14 * 10**9, None)
    assert envelope["conditions"][0]["topic"] == "context"
    assert told["limit.kv_cache"]["basis"] == "unknown"


def test_findings_bear_the_names_of_the_contract():
    found = document("rich")["findings"][0]
    assert {
        *(
            "requirement",
            "candidate",
            "verdict",
            "need",
            "have",
            "margin",
            "reason_code",
            "condition",
            "pieces",
        )
    } <= set(found)
    assert found["verdict"] == "admissible"
    assert found["need"]["bytes"] == int(20.93 * 2**30)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (60, "60"),
        (Fraction("47.14"), "47.14"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 40), "0.025"),
        (0, "0"),
    ],
)
def test_numbers_are_written_in_full(value, text):
    assert decimal(value) == text
    assert Fraction(text) == value


def test_half_a_byte_moves_outward():
    half = Figure(low=Fraction(5, 2), high=Fraction(5, 2), unit=BYTE, origin=Stated(span=None))
    assert amounts(half) == {"low_bytes": 2, "high_bytes": 3}


def test_a_date_is_said_as_people_write_it():
    day = Figure(low=739957, high=739957, unit=count_of("date"), origin=Stated(span=None))
    assert amounts(day) == {"value": "739957", "date": "2026-12-07"}


def test_the_ledger_lists_what_the_document_lists():
    made = decision("rich")
    listed = decision_document(made)["figures"]
    assert [figure["id"] for figure in listed] == sorted(ledger(made).figures)
