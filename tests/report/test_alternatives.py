"""How the report and decision.json tell alternatives, remedies and what would void it (D7, D10, E3)."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from evaluate.build import stated
from report.test_view import inside, rows, table, words

from fiche import assets
from fiche.cli.compile import compile_fiche
from fiche.evaluate.invalidation import KINDS
from fiche.kernel.invalidation import Invalidation
from fiche.kernel.record import replace
from fiche.kernel.remedy import Lever
from fiche.kernel.unit import BYTE, count_of
from fiche.languages import spoken as language
from fiche.render.json import decision_bytes
from fiche.report.parts import Amount, Table
from fiche.report.view import view

SAMPLES = Path(__file__).parents[2] / "samples"


def compiled(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


@pytest.fixture(scope="module")
def made():
    return compiled("one-change")


@pytest.fixture(scope="module")
def page(made):
    return view(made)


def section(page, name):
    (found,) = [s for s in page.sections if s.id == name]
    return found


def test_one_row_a_change_with_its_sign_and_what_it_turns(page):
    """D10."""
    told = {row[0].split("\n")[0]: row for row in rows(page, "alternatives-1")}
    assert list(told) == ["larger-card", "four-at-once", "smaller-cache", "smaller-weights"]
    change, load, verdicts, pieces = told["four-at-once"]
    assert change.split("\n")[1:] == ["cases.limit.resident_sequences", "8 → 4"]
    assert load.startswith("KV cache, limit: −3.00 GiB CALC")
    why = "(the most that is needed is within what there is)"
    assert f"memory, limit: ✕ Excluded → ● Admissible {why}" in verdicts
    assert "● Admissible → ▲ To confirm (compatibility)" in told["larger-card"][2]
    assert verdicts.endswith("3 verdicts as before")
    assert "No longer settles: oom-eight (memory)" in pieces
    assert "To measure: the duration too" in pieces
    assert told["larger-card"][1] == "the load is the same"


def test_the_minimum_to_recover_is_said_with_its_number(page):
    """A7, D7."""
    (row,) = [r for r in rows(page, "alternatives-1") if r[0].startswith("smaller-weights")]
    assert "exact_match, which must recover its minimum of 0.62 STATED" in row[3]
    assert row[1].startswith("weights, usual, limit: −7.48 GiB")


def test_a_fiche_without_alternatives_has_no_such_section():
    assert "alternatives" not in [s.id for s in view(compiled("guide")).sections]


def test_a_failure_says_what_takes_most_and_who_tries_which_lever(page):
    """D7."""
    ((failed, points, most, levers),) = rows(page, "remedies")
    assert failed.split("\n") == ["oom-eight", "✕ Proven", "limit: as-it-is"]
    assert points.startswith("no phase told")
    assert "weights: 14.96 GiB CALC" in most
    assert "71.4 % CALC of the 20.96 GiB CALC" in most
    assert "not exact or assumed, and in no share: reserve" in most
    assert "Resident sequences — measure the duration too (tried by four-at-once)" in levers
    assert "recover the minimum quality (tried by smaller-weights)" in levers


def test_no_failure_no_remedies():
    assert "remedies" not in [s.id for s in view(compiled("two-cards")).sections]


def test_what_would_void_it_is_a_table_and_the_author_s_words(made, page):
    """E3: where it turns, and what that follows from."""
    told = {row[0]: row[1:] for row in rows(page, "invalidations")}
    assert told["Another engine, version or setting"][0] == "name transformers, version 5.17.0"
    turns, because = told["A larger load"]
    assert turns.startswith("no more than case limit in any dimension: 5 800 prompt tokens")
    assert because == "memory"
    assert told["Another machine, even with the same card"] == ["lab-1", "run-four"]
    assert "4 726 CALC tokens beyond case limit" in told["Longer sequences"][0]
    assert made.fiche.invalidated_by[0].value in words(section(page, "invalidation"))
    assert made.fiche.invalidated_by[0].value not in words(section(page, "limits"))


def test_dates_are_days_and_name_their_piece():
    told = {row[0]: row[1:] for row in rows(view(compiled("serving")), "invalidations")}
    assert told["A piece ends"][0] == "quote-4090, until 2026-12-15"
    assert "northlab-4090" in told["A piece ends"][1]
    assert "The offer ends" not in told  # on that day, by that piece: told once


@pytest.mark.parametrize("name", ["one-change", "serving", "qlora", "incident", "two-cards"])
def test_every_number_printed_is_one_of_decision_json(name):
    made = compiled(name)
    listed = {figure["id"] for figure in json.loads(decision_bytes(made))["figures"]}
    page = view(made)
    for block in ("alternatives", "remedies", "invalidation"):
        for one in [s for s in page.sections if s.id == block]:
            assert {part.figure for part in inside(one, Amount)} <= listed


@pytest.mark.parametrize("name", ["one-change", "serving", "qlora", "incident", "second-opinion"])
def test_decision_json_has_them_and_fits_its_schema(name):
    document = json.loads(decision_bytes(compiled(name)))
    schema = json.loads(assets.schema_text("decision.schema.json"))
    errors = jsonschema_rs.Draft202012Validator(schema).iter_errors(document)
    ours = ("alternatives", "remedies", "invalidations")
    wrong = [e.message for e in errors if list(e.instance_path)[:1] and e.instance_path[0] in ours]
    assert wrong == []
    assert document["invalidations"]
    listed = {figure["id"] for figure in document["figures"]}
    for one in document.get("alternatives", []):
        for each in (*one["items"], *one["phases"]):
            assert {each["from"], each["to"], each["difference"]} - {None} <= listed
    assert ("alternatives" in document) is any(c["baseline"] for c in document["candidates"])


def test_tables_say_what_their_rows_are(page):
    for block in ("alternatives-1", "remedies", "invalidations"):
        assert isinstance(found := table(page, block), Table)
        assert found.caption


def test_the_ages_of_a_policy_are_in_decision_json(made):
    """What makes a piece stale is a rule, and a rule that changed is seen in two documents."""
    aged = replace(made.fiche.policy, max_age={"record": 30}, changed={"memory": ("driver",)})
    told = json.loads(decision_bytes(replace(made, fiche=replace(made.fiche, policy=aged))))
    assert told["policy"]["max_age"] == {"record": 30}
    assert told["policy"]["changed"] == {"memory": ["driver"]}
    assert "max_age" not in json.loads(decision_bytes(made))["policy"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_has_its_words(made, kind):
    """E3: none of them is told by its code."""
    spread = stated(2**30, BYTE, "policy.machine_spread")
    turns = {
        "growth": {"figure": stated(100, count_of("tokens"), "x/growth.limit.tokens")},
        "spread": {"figure": spread},
        "guard_band": {"figure": spread, "subject": "memory"},
        "rate": {"figure": spread, "subject": "EUR -> USD", "day": "2026-11-27"},
        "larger": {"figures": (("prompt_tokens", stated(9, count_of("tokens"), "limit.p")),)},
        "machine": {"subject": "lab-1"},
        "shared": {},
        "assumption": {"text": "a reserve"},
        "author": {"text": "a window"},
    }
    dated = {"subject": "run-four", "day": "2026-12-31"}
    told = turns.get(kind, dated if "_" in kind else {"values": (("engine.name", "vllm"),)})
    event = Invalidation(
        kind=kind, case="limit", candidates=("as-it-is",), because=("run-four",), **told
    )
    text = words(section(view(replace(made, invalidations=(event,))), "invalidation"))
    assert language("en").phrases[f"void_{kind}"] in text
    assert "{" not in text
    for word in (told.get("day"), told.get("text") if kind != "author" else None):
        assert word is None or word in text


def test_a_failing_evaluation_is_not_mended_by_a_smaller_training_batch(made):
    """D7, in the words of the report."""
    one = replace(
        made.remedies[0],
        stage="evaluation",
        phase="evaluation",
        phase_told=True,
        levers=(Lever(name="evaluation", keeps=("result",)),),
        useless=("four-at-once",),
    )
    ((_, points, _, levers),) = rows(view(replace(made, remedies=(one,))), "remedies")
    assert points == "evaluation\nthe evaluation itself"
    assert "Reducing only the training batch does not mend it." in levers
    assert "So four-at-once would fail there again." in levers
