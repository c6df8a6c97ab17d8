"""Steps that are really taken: what a decision says they would turn, the next decision shows (D1, D2, D6)."""

import copy
import json
import shutil
from pathlib import Path

import pytest
from scenarios.story import ATTESTS, asked, files, judged, status

from fiche.cli.compile import compile_fiche

SERVING = Path(__file__).resolve().parents[2] / "samples" / "serving"
# The words of a step's text, and what attests it in the story's quote.
WORDS = {
    "get a quote": "price",
    "includes tax": "tax",
    "until when": "validity",
    "how offer-1 is extended": "extension",
}


def bare(duration="80 h"):
    """The story without any of its pieces: two lots of time, so that an extension is asked for."""
    story = asked()
    story["pieces"] = []
    story["workload"]["duration"]["value"] = duration
    story["requirements"][2]["at_most"] = "120 USD"
    return story


def taken(story, step):
    """The story once one step has come out well: its piece is there."""
    whole = asked()
    by_id = {piece["id"]: piece for piece in whole["pieces"]}
    pieces = {piece["id"]: piece for piece in story["pieces"]}
    if step["id"].startswith("run:"):
        pieces["run"] = by_id["run"]
    elif step["id"].startswith("measure:quality"):
        pieces["result"] = by_id["result"]
    else:
        (fact,) = [fact for words, fact in WORDS.items() if words in step["text"]]
        quote = pieces.setdefault("quote", {**by_id["quote"], "attests": []})
        quote["attests"] = [*quote["attests"], ATTESTS[fact]]
    return {**story, "pieces": list(pieces.values())}


def after(story, steps):
    for step in steps:
        story = taken(copy.deepcopy(story), step)
    return story


def flips(document, candidate="rent"):
    (one,) = [each for each in document["flip_sets"] if each["candidate"] == candidate]
    return one


def planned(document, names):
    by_id = {step["id"]: step for step in document["next_steps"]}
    return [by_id[name] for name in names]


def test_all_of_the_set_retains_and_all_but_one_does_not(tmp_path):
    open_ = judged(tmp_path / "open", bare())
    (names,) = flips(open_)["retained_by_all_of"]
    steps = planned(open_, names)
    assert {step["kind"] for step in steps} == {"measurement", "document"}
    assert len(steps) == 6
    whole = judged(tmp_path / "whole", after(bare(), steps))
    assert status(whole) == "retained"
    assert flips(whole)["retained_by_all_of"] == []
    for place, step in enumerate(steps):
        fewer = [each for each in steps if each is not step]
        less = judged(tmp_path / str(place), after(bare(), fewer))
        assert status(less) == "to_confirm", step["id"]
        assert flips(less)["retained_by_all_of"] == [[step["id"]]]


def test_one_run_answers_need_total_and_software_at_once(tmp_path):
    """D6: one run on one machine with one command."""
    story = bare()
    story["requirements"].append({"id": "works", "kind": "software", "level": "must"})
    made = judged(tmp_path, story)
    (run,) = [step for step in made["next_steps"] if step["id"].startswith("run:")]
    topics = {one["topic"] for one in run["settles"]}
    assert topics == {"need", "memory_available", "compatibility"}
    ran = judged(tmp_path / "ran", taken(story, run))
    assert not topics & {c["topic"] for f in ran["findings"] for c in f["conditions"]}


LATE = {"fact": "delivery", "earliest": "2027-01-04", "quote": "prices are before tax"}


def badly(story, verb):
    """The story once a step of this kind has come out badly, with its files."""
    if verb == "measure:":
        result = asked()["pieces"][1]
        result["attests"][0].update(value=0.5, quote="exact_match 0.5")
        bad = {"result_txt": "exact_match 0.5 on internal-qa-200\n"}
        return {**story, "pieces": [result]}, files(**bad)
    quote = {**asked()["pieces"][2], "attests": [LATE]}
    return {**story, "pieces": [quote]}, files()


@pytest.mark.parametrize(("verb", "failed"), [("measure:", "quality"), ("ask:", "start")])
def test_a_bad_answer_of_a_step_that_may_exclude_excludes(tmp_path, verb, failed):
    story = bare("40 h")
    start = {"id": "start", "kind": "delivery", "level": "must", "by": "2026-12-07"}
    story["requirements"].append(start)
    against = flips(judged(tmp_path / "open", story))["excluded_by_any_of"]
    assert any(len(names) == 1 and names[0].startswith(verb) for names in against)
    bad = judged(tmp_path / "bad", *badly(story, verb))
    assert status(bad) == "excluded"
    (one,) = bad["flip_sets"]
    assert one["retained_by_all_of"] == one["excluded_by_any_of"] == []
    assert [told["requirement"] for told in one["excluded_by"]] == [failed]


def test_an_offer_that_has_run_out_excludes_nobody(tmp_path):
    made = judged(tmp_path, bare())
    validity = next(step for step in made["next_steps"] if "until when" in step["text"])
    assert all(validity["id"] not in names for names in flips(made)["excluded_by_any_of"])
    story = asked()
    story["pieces"][2]["attests"][2] = {**ATTESTS["validity"], "until": "2026-11-01"}
    content = files(quote_txt="Quote 17\nvalid until 2026-11-01\n")
    story["pieces"][2]["attests"] = [
        {"fact": "validity", "until": "2026-11-01", "quote": "valid until 2026-11-01"}
    ]
    assert status(judged(tmp_path / "old", story, content)) == "to_confirm"


def test_the_samples_shortlisted_card_is_retained_once_its_two_steps_are_taken(tmp_path):
    """samples/serving: a run on the offered machine, and a date in writing."""
    here = tmp_path / "serving"
    shutil.copytree(SERVING, here)
    before = compile_fiche(here / "fiche.yaml").decision
    (flip,) = [one for one in before.settling.flips if one.candidate == "rent-6000-ada"]
    (names,) = flip.retain
    assert [name.partition(":")[0] for name in names] == ["run", "ask"]
    run = next(step for step in before.settling.steps if step.id == names[0])
    for left in ("nothing", *names):
        folder = tmp_path / left.replace(":", "-")
        shutil.copytree(SERVING, folder)
        if left != names[0]:
            add_run(folder, run.machine)
        if left != names[1]:
            add_date(folder)
        after_ = compile_fiche(folder / "fiche.yaml").decision
        (outcome,) = [o for o in after_.outcomes if o.candidate.id == "rent-6000-ada"]
        assert outcome.status == ("retained" if left == "nothing" else "to_confirm"), left


def edited(path, *pairs):
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def add_run(folder, machine):
    """The limit case's own record, as the larger card would have written it."""
    told = json.loads((folder / "evidence" / "run-limit.json").read_text(encoding="utf-8"))
    told["gpu"], told["machine"] = "nvidia-rtx-6000-ada-48g", machine
    for seen in told["environment"]["devices"]:
        seen["name"] = "NVIDIA RTX 6000 Ada Generation"
        seen["total_memory_bytes"] = 50_900_000_000
        seen.pop("nvml_total_bytes", None)
    (folder / "evidence" / "ada.json").write_text(json.dumps(told), encoding="utf-8")
    edited(
        folder / "fiche.yaml",
        ("  - {id: run-short,", "  - {id: ada, file: evidence/ada.json}\n  - {id: run-short,"),
        (
            "cards: 1, offer: arbor-6000-ada}",
            f"cards: 1, offer: arbor-6000-ada, machine: {machine}, other_users: none}}",
        ),
    )


def add_date(folder):
    """What the letter asks for, in the seller's own words."""
    quote = folder / "evidence" / "quote-arbor-88.txt"
    text = quote.read_text(encoding="utf-8")
    quote.write_text(text + "\nEarliest start: 2026-12-03\n", encoding="utf-8")
    date = '      - {fact: delivery, earliest: 2026-12-03, quote: "Earliest start: 2026-12-03"}\n'
    host = '      - {fact: host_memory, value: 64 GiB, quote: "64 GiB RAM"}\n'
    edited(folder / "fiche.yaml", (host, host + date))


def test_what_nobody_states_costs_an_unknown_amount_and_comes_last(tmp_path):
    story = bare()
    story["efforts"] = [
        {"for": "quality", "cost": "300 USD", "time": "8 h", "because": "an afternoon"},
        {"for": "document", "cost": "0 USD"},
        {"for": "need", "candidate": "rent", "cost": "47.14 USD", "time": "72 h"},
    ]
    made = judged(tmp_path, story)
    listed = {one["id"]: one for one in made["figures"]}
    costs = [listed[s["cost"]]["value"] if s["cost"] else None for s in made["next_steps"]]
    known = [float(value) for value in costs if value is not None]
    assert known == sorted(known)
    assert costs[:4] == ["0", "0", "0", "0"]
    assert made["next_step"] == made["next_steps"][0]["id"]
    story["efforts"] = story["efforts"][2:]
    made = judged(tmp_path / "one", story)
    assert [bool(step["cost"]) for step in made["next_steps"]] == [True, *[False] * 5]
    assert made["next_steps"][0]["id"] == "run:limit-rent"


def test_a_letter_gathers_all_that_is_asked_of_one_seller(tmp_path):
    made = judged(tmp_path, bare())
    (letter,) = made["letters"]
    assert (letter["seller"], letter["offers"], letter["date"]) == (
        "provider A",
        ["offer-1"],
        "2026-11-29",
    )
    texts = [one["text"] for one in letter["requests"]]
    assert len(texts) == len(set(texts)) == 6
    assert all(text[0].isupper() and text.endswith((".", ".json")) for text in texts)
    assert "120" not in json.dumps(letter), "what the buyer can pay at most is no seller's business"


def test_where_the_budget_and_the_time_turn_the_choice(tmp_path):
    """47.14 USD a lot of 72 h, two lots for 80 h, 120 USD: exact to a cent and a hundredth of an hour."""
    story = asked()
    story["workload"]["duration"]["value"] = "80 h"
    story["requirements"][2]["at_most"] = "120 USD"
    made = judged(tmp_path, story)
    assert status(made) == "retained"
    listed = {one["id"]: one for one in made["figures"]}
    turns = {one["figure"]: one for one in made["sensitivities"]}
    budget = turns["requirement.budget.at_most"]
    assert listed[budget["below"]["at"]]["value"] == "94.27"
    assert {"what": "status", "of": "rent", "before": "retained", "after": "excluded"} in (
        budget["below"]["changes"]
    )
    assert budget["above"]["at"] is None
    assert listed[turns["duration"]["above"]["at"]]["value"] == "144.01"


def test_the_chosen_candidate_s_steps_come_first_and_one_of_them_is_next(tmp_path):
    """D1: a conditional choice waits for its own conditions, not for those of another candidate."""
    story = bare()
    story["pieces"] = []
    story["candidates"] = [
        {**story["candidates"][0], "id": "another", "machine": "another-node"},
        {**story["candidates"][0], "id": "mine", "machine": "my-node"},
    ]
    for chosen in ("another", "mine"):
        story["decision"] = {"chosen": chosen, "by": "A. Martin", "because": "it is there"}
        document = judged(tmp_path / chosen, story)
        own = [
            chosen in {one["candidate"] for one in step["settles"]} | {""}
            for step in document["next_steps"]
            if step["cost"] is None
        ]
        assert own == sorted(own, reverse=True)
        assert set(own) == {True, False}
        (told,) = [step for step in document["next_steps"] if step["id"] == document["next_step"]]
        assert chosen in {one["candidate"] for one in told["settles"]}
