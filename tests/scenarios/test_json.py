"""decision.json of the samples: every reference, formula, count and digest, in any process (E4, law 5)."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest
from scenarios.story import asked, check, files, judged, parts

from fiche.assets import schema_text
from fiche.cli.compile import compile_fiche
from fiche.cli.explained import explained
from fiche.render.json import decision_bytes

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("guide", "serving", "qlora", "two-cards", "one-change")
SCHEMA = jsonschema_rs.validator_for(json.loads(schema_text("decision.schema.json")))


def document(name):
    return json.loads(decision_bytes(compile_fiche(SAMPLES / name / "fiche.yaml").decision))


@pytest.mark.parametrize("name", NAMES)
def test_a_samples_decision_holds_its_contract(name):
    """Ids, references, formulas worked out again, verdicts and their words, counts: see `check`."""
    told = document(name)
    check(told)
    assert [error.message for error in SCHEMA.iter_errors(told)] == []
    assert sum(f["basis"] == "computed" for f in told["figures"]) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_every_digest_is_of_the_bytes_beside_it(name):
    told = document(name)
    for one in (*told["pieces"], *told["inputs"]):
        file = SAMPLES / name / one["file"]
        if not one["file"].startswith("fiche:"):
            assert hashlib.sha256(file.read_bytes()).hexdigest() == one["sha256"]
            assert file.stat().st_size == one["bytes"]
    named = {one["file"] for one in told["inputs"]}
    assert {piece["file"] for piece in told["pieces"]} <= named


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_that_is_named_anywhere_is_listed(name):
    told = document(name)
    listed = {f["id"] for f in told["figures"]}
    load, policy = told["workload"], told["policy"]
    named = [*load["figures"].values(), *load["reserve"], *load["margin"], policy["tie_tolerance"]]
    named += [size for case in load["cases"] for size in case["dimensions"].values()]
    named += [figure for r in told["requirements"] for figure in r["figures"].values()]
    for piece in told["pieces"]:
        named += piece["dimensions"].values()
        named += [term for item in piece["attested"] for term in item["terms"].values()]
        for run in piece["runs"]:
            named += [*run["executed"].values(), *run["declared"].values()]
    for who in told["candidates"]:
        named += [who[key] for key in ("cards", "cost", "useful_margin") if who[key]]
    assert set(named) <= listed
    assert policy["machine_spread"] is None


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_an_address_or_a_formula(name):
    """Habit 1: a leaf says where it was read; what defines a unit or counts one has none to give."""
    for listed in document(name)["figures"]:
        if listed["basis"] in ("observed", "declared", "assumed"):
            assert listed["at"], listed["id"]
        if listed["basis"] == "stated":
            assert listed.get("at") or listed["because"], listed["id"]


@pytest.mark.parametrize("name", NAMES)
def test_every_id_that_a_report_bears_can_be_walked_back(name):
    """DESIGN 1: one id all the way; also of readings that no verdict needed."""
    made = compile_fiche(SAMPLES / name / "fiche.yaml")
    told = json.loads(decision_bytes(made.decision))
    ids = [f["id"] for f in told["figures"]]
    for piece in told["pieces"]:
        ids += [seen["id"] for seen in piece["observations"] if seen["value"]]
        ids += [seen["id"] for run in piece["runs"] for seen in run["observations"]]
        ids += [total["id"] for total in piece["capacities"]]
        for failure in piece["failures"]:
            ids += [q["id"] for q in failure["quantities"].values() if not q.get("unavailable")]
    for one in ids[::7]:  # each makes the whole list of names anew
        walked = explained(made, one, as_json=True)
        assert walked["figures"][0]["id"] == one
        assert explained(made, one, as_json=False).startswith(one)


@pytest.mark.parametrize("name", NAMES)
def test_two_processes_make_the_same_bytes(name):
    """Whatever the hashes and the addresses of a process are."""
    code = (
        "import sys, pathlib\n"
        "from fiche.cli.compile import compile_fiche\n"
        "from fiche.render.json import decision_bytes\n"
        "sys.stdout.buffer.write(decision_bytes(compile_fiche(pathlib.Path(sys.argv[1])).decision))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code, str(SAMPLES / name / "fiche.yaml")],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"), ("3", "America/Lima"))
    }
    assert len(made) == 1
    assert json.loads(made.pop())["format"] == "fiche-decision/1"


def test_bytes_are_integers_and_other_numbers_decimal_strings(tmp_path):
    told = judged(tmp_path)
    for listed in told["figures"]:
        numbers = {k: v for k, v in listed.items() if k in ("bytes", "low_bytes", "high_bytes")}
        assert all(isinstance(v, int) or v is None for v in numbers.values())
        values = {k: v for k, v in listed.items() if k in ("value", "low", "high")}
        assert all(isinstance(v, str) or v is None for v in values.values())
        assert (listed["unit"] == "B") == bool(numbers), listed["id"]
    assert not any(isinstance(part, float) for part in parts(told))


def test_the_order_of_what_is_written_changes_no_verdict(tmp_path):
    fiche = asked()
    fiche["candidates"].append(
        {"id": "fewer", "baseline": "rent", "change": {"attention": "eager"}}
    )
    before = judged(tmp_path, fiche)
    for key in ("pieces", "requirements", "candidates"):
        fiche[key] = fiche[key][::-1]
    after = judged(tmp_path, fiche)
    one, other = (
        {(f["candidate"], f["requirement"], f["case"]): f for f in told["findings"]}
        for told in (before, after)
    )
    for place, was in one.items():
        assert {k: v for k, v in other[place].items() if k != "at"} == was


def test_an_unused_file_changes_nothing(tmp_path):
    before = judged(tmp_path, None, files())
    (tmp_path / "other.json").write_text("{}")
    assert judged(tmp_path, None, files()) == before
