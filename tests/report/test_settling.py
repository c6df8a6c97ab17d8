"""What to do next, as a committee reads it: steps, sets that turn, letters, turns of the choice (D1, D6)."""

import json
import re
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest
from render.decisions import hostile
from report.test_view import inside, words

from fiche.assets import schema_text
from fiche.cli.compile import compile_fiche
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.settling import settling
from fiche.kernel.ledger import ledger
from fiche.kernel.record import replace
from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.report.parts import Amount, Box, Code, Table
from fiche.report.view import view

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@cache
def made(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


def section(decision):
    return next(one for one in view(decision).sections if one.id == "settling")


def table(decision, name):
    return next(one for one in inside(section(decision), Table) if one.id == name)


def lines(decision, name):
    return [
        [words(cell).replace("\xa0", " ") for cell in row.cells]
        for row in table(decision, name).rows
    ]


def test_steps_are_numbered_and_sets_name_them_by_number():
    told = lines(made("serving"), "steps")
    assert [row[0].split(" ")[0] for row in told] == ["1.", "2.", "3."]
    assert told[2][1].endswith("(preference)")
    assert all(row[3] == "not known" for row in told)
    flips = {row[0]: row[1:] for row in lines(made("serving"), "flips")}
    assert flips["rent-6000-ada"] == ["1 and 2", "1 or 2"]
    assert flips["own-4080"] == [
        "no step: only oom-4080 shown wrong would reopen memory",
        "nothing that is open",
    ]


def test_each_command_stands_whole_in_a_code_of_its_own():
    decision = made("second-opinion")
    codes = [part.text for part in inside(table(decision, "commands"), Code)]
    step = next(step for step in decision.settling.steps if step.commands)
    assert {*step.commands, *step.lines} <= set(codes)
    assert step.commands[0].startswith("fiche measure --from fiche.yaml --case limit ")


def test_page_one_names_the_next_step_in_one_sentence():
    (box,) = [block for block in view(made("serving")).opening if isinstance(block, Box)]
    said = [words(line) for line in box.closing]
    (line,) = [line for line in said if line.startswith("Next: ")]
    assert "rent-6000-ada" in line
    assert line.endswith("What it costs to obtain is not stated.")


def test_a_turn_is_printed_to_its_resolution_with_a_mark():
    """Law 2: a rounded number may lie on the other side of the turn."""
    told = {row[0]: row for row in lines(made("serving"), "sensitivities")}
    assert "168.01 h" in told["duration"][3]
    assert "155.98 USD" in told["requirement.budget.at_most"][2]
    assert "at 2.31 GiB CALC (2 477 785 089 B) or more" in told["margin.longer-prompts"][3]
    marks = {part.mark for part in inside(table(made("serving"), "sensitivities"), Amount)}
    assert marks == {"stated", "computed"}
    (idle,) = [
        words(block)
        for block in section(made("serving")).blocks
        if words(block).startswith("Turning nothing within the bounds that were looked at: ")
    ]
    assert "reserve.workspace, 2.00\u00a0GiB ASSUM, from " in idle


def test_a_letter_is_folded_and_says_for_whom_and_by_when():
    (letter,) = [one for one in inside(section(made("serving")), Table) if one.folded]
    assert "Arbor Cloud" in letter.caption
    assert "2026-11-29" in letter.caption
    requests = [words(row.cells[0]) for row in letter.rows]
    assert [text.split(" ")[0] for text in requests] == ["1.", "2.", "3.", "4."]


def test_every_number_printed_is_listed():
    decision = made("serving")
    listed = ledger(decision).figures
    assert all(part.figure in listed for part in inside(section(decision), Amount))


@pytest.mark.parametrize("name", ["serving", "guide", "one-change", "committee"])
def test_the_keys_of_decision_json_are_described_and_name_what_is_there(name):
    document = json.loads(decision_bytes(made(name)))
    validator = jsonschema_rs.validator_for(json.loads(schema_text("decision.schema.json")))
    assert not list(validator.iter_errors(document))
    steps = {step["id"] for step in document["next_steps"]}
    assert document["next_step"] in steps
    figures = {figure["id"] for figure in document["figures"]}
    for one in document["flip_sets"]:
        for names in (*one["retained_by_all_of"], *one["excluded_by_any_of"]):
            assert set(names) <= steps
    for letter in document.get("letters", ()):
        assert {request["step"] for request in letter["requests"]} <= steps
    for one in document.get("sensitivities", ()):
        named = {
            one["figure"],
            one["resolution"],
            one["below"]["looked_to"],
            one["above"]["looked_to"],
        }
        assert named <= figures


def test_words_of_a_fiche_stay_words():
    """Law 7: a hostile name is text in the page, and one word of a command."""
    decision = replace(hostile(), settling=settling(Judged(decision=hostile(), again=None)))
    assert decision.settling.steps
    page = html_bytes(
        view(decision), decision, attachments_of(decision, decision_bytes(decision), {})
    ).decode("utf-8")
    shown = page[re.search('id="?settling"?[ >]', page).start() :]
    shown = shown[: shown.index("</section>")]
    assert "<script" not in shown
    assert "<img" not in shown


def test_parts_of_one_amount_stand_together():
    """samples/package-cost: price, tax and time are one amount; a bad answer to one of them is none yet."""
    decision = made("package-cost")
    (one,) = [each for each in decision.settling.flips if each.candidate == "eight"]
    (joint,) = [names for names in one.exclude if len(names) > 1]
    flips = {row[0]: row[1:] for row in lines(decision, "flips")}
    number = {step.id: str(place) for place, step in enumerate(decision.settling.steps, 1)}
    together = sorted((number[name] for name in joint), key=int)
    assert f"({', '.join(together[:-1])} and {together[-1]})" in flips["eight"][1]
