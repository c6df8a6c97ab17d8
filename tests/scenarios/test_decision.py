"""From verdicts to a decision: musts, wants, order, choice, second reading (D1, D2, D9, A1)."""

import copy

import pytest
from scenarios.story import (
    AUTHOR,
    BUDGET,
    GPU,
    LIMIT,
    MACHINE,
    QUALITY,
    asked,
    conditions,
    device,
    files,
    found,
    judged,
    offers,
    oom,
    phase,
    record,
    status,
    verdict,
)

# --- Musts and wants ------------------------------------------------------------------------------


def test_a_fiche_with_only_a_budget_retains_nothing(tmp_path):
    """Memory and quality are always musts."""
    fiche = asked()
    fiche["requirements"] = [BUDGET]
    told = judged(tmp_path, fiche)
    assert (status(told), verdict(told, "budget")) == ("to_confirm", "admissible")
    assert (found(told, "quality")["reason_code"], found(told, "quality")["level"]) == (
        "nothing_required",
        "must",
    )
    del fiche["pieces"]
    told = judged(tmp_path, fiche, {"offers.yaml": offers()})
    assert conditions(told) == ["need", "memory_available", "quality", "cost"]


@pytest.mark.parametrize("kind", ["memory", "quality"])
def test_memory_and_quality_are_musts_though_written_as_wants(tmp_path, kind):
    fiche = asked()
    own = next(r for r in fiche["requirements"] if r["kind"] == kind)
    own["level"] = "want"
    told = judged(tmp_path, fiche)
    musts = {r["kind"]: r for r in told["requirements"] if r["level"] == "must"}
    assert musts[kind]["implied"]
    assert status(told) == ("retained" if kind == "memory" else "to_confirm")


WANTS = [
    {"id": "quiet", "kind": "power", "at_most": "1 W"},
    {"id": "cheap", "kind": "cost", "at_most": "1 USD", "tax": "excluded"},
    {"id": "large", "kind": "capacity", "at_least": "900 GiB"},
    {
        "id": "good",
        "kind": "quality",
        "metric": "exact_match",
        "dataset": "internal-qa-200",
        "at_least": 0.9,
    },
    {"id": "soon", "kind": "delivery", "by": "2020-01-01"},
]


@pytest.mark.parametrize("want", WANTS, ids=lambda w: w["id"])
def test_a_want_that_fails_excludes_nothing(tmp_path, want):
    before = judged(tmp_path)
    fiche = asked()
    fiche["requirements"].append({**want, "level": "want"})
    told = judged(tmp_path, fiche)
    assert verdict(told, want["id"]) in ("exclude", "to_confirm")
    assert status(told) == status(before) == "retained"
    assert conditions(told) == conditions(before)
    fiche["requirements"][-1]["level"] = "must"
    assert status(judged(tmp_path, fiche)) == ("to_confirm" if want["id"] == "soon" else "excluded")


def test_an_excluded_candidate_keeps_every_criterion_and_its_conditions(tmp_path):
    fiche = asked()
    fiche["requirements"][2] = {**BUDGET, "at_most": "40 USD"}
    del fiche["pieces"][0]
    told = judged(tmp_path, fiche, files(run_json=None))
    assert (status(told), verdict(told, "budget")) == ("excluded", "exclude")
    assert conditions(told) == ["need", "memory_available"]
    assert len(told["findings"]) == 3


# --- Identity -------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [["name"], ["revision"], ["name", "revision"]])
def test_without_an_identity_nothing_is_retained(tmp_path, missing):
    """A1: "a 7B model" is no identity; the arithmetic still runs."""
    fiche = asked()
    for key in missing:
        del fiche["workload"]["model"][key]
    told = judged(tmp_path, fiche)
    assert status(told) == "to_confirm"
    assert [c["topic"] for c in told["workload_conditions"]] == ["identity"]
    assert next(f["bytes"] for f in told["figures"] if f["id"] == "weights") == 16060522496


def test_a_digest_pins_a_model_as_well(tmp_path):
    fiche = asked()
    del fiche["workload"]["model"]["revision"]
    fiche["workload"]["model"]["digest"] = "sha256:00"
    for piece in fiche["pieces"][1:2]:
        piece["scope"] = copy.deepcopy(piece["scope"])
        piece["scope"]["model"] = {
            k: v for k, v in fiche["workload"]["model"].items() if k in ("name", "digest")
        }
    model = {**fiche["workload"]["model"]}
    told = judged(tmp_path, fiche, files(run_json=record(workload={"model": model})))
    assert status(told) == "retained"


# --- A count that is merely stated ----------------------------------------------------------------


def test_a_count_merely_stated_never_excludes_alone(tmp_path):
    """DESIGN 4: "excluded if the count holds", which only the second reading says."""
    fiche = asked()
    fiche["workload"]["model"]["parameters"] = 80_000_000_000
    fiche["pieces"] = fiche["pieces"][1:]
    told = judged(tmp_path, fiche, files(run_json=None))
    assert (verdict(told), status(told)) == ("to_confirm", "to_confirm")
    second = next(s for s in told["second_reading"] if s["requirement"] == "memory")
    assert second["would_be"] == "exclude"
    assert any("parameter count" in text for text in second["if_held"])


def test_the_second_reading_lets_assumptions_in_and_turns_no_verdict(tmp_path):
    fiche = asked()
    fiche["reserve"] = [{"id": "workspace", "value": "2 GiB", "because": "seen elsewhere"}]
    fiche["candidates"][0]["other_users"] = "none"
    fiche["pieces"][0] = {
        "id": "print",
        "file": "print.txt",
        "kind": "document",
        "machine": MACHINE,
        "attests": [
            {
                "fact": "capacity",
                "counter": "torch_total_memory",
                "value": "24081 MiB",
                "rounding": "floor",
                "quote": "24081 MiB",
            }
        ],
    }
    told = judged(tmp_path, fiche, {**files(run_json=None), "print.txt": "total 24081 MiB\n"})
    assert (verdict(told), status(told)) == ("to_confirm", "to_confirm")
    second = next(s for s in told["second_reading"] if s["requirement"] == "memory")
    assert second["would_be"] == "admissible"
    assert any(
        "reserve.workspace = 2147483648 B, assumed by A. Martin" in t for t in second["if_held"]
    )
    del fiche["reserve"]
    told = judged(tmp_path, fiche, {**files(run_json=None), "print.txt": "total 24081 MiB\n"})
    assert told["second_reading"] == [], "an item of the checklist without a figure leaves it open"


# --- D9 -------------------------------------------------------------------------------------------


def test_the_guides_two_offers_have_exactly_five_open_conditions_each(tmp_path):
    """7e9 parameters at 16 bits with 6 GiB assumed: 19.04 GiB, on two offers of one card for 3 days."""
    fiche = {
        "fiche": 1,
        "title": "A 7B model on a rented card",
        "date": "2026-11-29",
        "author": AUTHOR,
        "catalogs": ["offers.yaml"],
        "workload": {
            "model": {"name": "guide-7b", "revision": "r1", "parameters": 7000000000},
            "operation": "generation",
            "formats": {"storage": "fp16"},
        },
        "reserve": [{"id": "chosen", "value": "6 GiB", "because": "chosen, not measured"}],
        "requirements": [{"id": "compatible", "kind": "software", "level": "must"}],
        "candidates": [
            {"id": "rtx-4090", "gpu": GPU, "cards": 1, "offer": "a"},
            {"id": "rtx-6000-ada", "gpu": "nvidia-rtx-6000-ada-48g", "cards": 1, "offer": "b"},
        ],
    }
    row = offers()["list"][0]
    listed = [
        {**row, "id": "a", "price": {"amount": "47.14 USD", "per": "72 h", "covers": "lot"}},
        {
            **row,
            "id": "b",
            "gpu": "nvidia-rtx-6000-ada-48g",
            "price": {"amount": "55.71 USD", "per": "72 h", "covers": "lot"},
        },
    ]
    told = judged(tmp_path, fiche, {"offers.yaml": {"offers": 1, "list": listed}})
    five = ["context", "concurrency", "memory_available", "quality", "compatibility"]
    for who in ("rtx-4090", "rtx-6000-ada"):
        assert (status(told, who), conditions(told, who)) == ("to_confirm", five)
    assert next(f["bytes"] for f in told["figures"] if f["id"] == "envelope") == 20442450944
    assert (told["ranking"], told["shortlist"]) == ([], ["rtx-4090", "rtx-6000-ada"])
    costs = {c["id"]: c["cost"] for c in told["candidates"]}
    assert costs == {"rtx-4090": "rtx-4090.cost", "rtx-6000-ada": "rtx-6000-ada.cost"}
    lows = {f["id"]: f.get("low", f.get("value")) for f in told["figures"]}
    assert (lows["rtx-4090.cost"], lows["rtx-6000-ada.cost"]) == ("47.14", "55.71")


# --- Order ----------------------------------------------------------------------------------------


def several(*prices, tolerance=None):
    """Candidates of one card at these prices, each with its own offer and quote."""
    fiche, contents = asked(), files()
    rows, fiche["candidates"] = [], []
    fiche["pieces"] = fiche["pieces"][:2]
    for n, price in enumerate(prices):
        name = f"c{n}"
        rows.append(
            {
                **offers()["list"][0],
                "id": f"offer-{n}",
                "price": {"amount": price, "per": "72 h", "covers": "lot"},
            }
        )
        quote = f"{price} for 72 h, per lot; before tax; until 2026-12-31; by whole lots\n"
        contents[f"quote-{n}.txt"] = quote
        fiche["pieces"].append(
            {
                "id": f"quote-{n}",
                "file": f"quote-{n}.txt",
                "kind": "quote",
                "scope": {"offer": f"offer-{n}"},
                "attests": [
                    {
                        "fact": "price",
                        "amount": price,
                        "per": "72 h",
                        "covers": "lot",
                        "quote": price,
                    },
                    {"fact": "tax", "basis": "excluded", "quote": "before tax"},
                    {"fact": "validity", "until": "2026-12-31", "quote": "until 2026-12-31"},
                    {"fact": "extension", "terms": "lots", "quote": "by whole lots"},
                ],
            }
        )
        fiche["candidates"].append(
            {"id": name, "gpu": GPU, "cards": 1, "offer": f"offer-{n}", "machine": MACHINE}
        )
    if tolerance:
        fiche["policy"] = "team.yaml"
        contents["team.yaml"] = _team(tolerance)
    contents["offers.yaml"] = {"offers": 1, "list": rows}
    return fiche, contents


def _team(tolerance):
    from fiche.assets import package_data

    neutral = package_data("policies/neutral.yaml").read_text(encoding="utf-8")
    return neutral.replace("tie_tolerance: 0 %", f"tie_tolerance: {tolerance}")


def test_retained_candidates_are_ordered_by_cost(tmp_path):
    fiche, contents = several("50 USD", "40 USD", "45 USD")
    told = judged(tmp_path, fiche, contents)
    assert told["ranking"] == ["c1", "c2", "c0"]
    fiche["candidates"].reverse()
    fiche["pieces"].reverse()
    assert judged(tmp_path, fiche, contents)["ranking"] == ["c1", "c2", "c0"]


def test_ties_are_banded_from_the_cheapest(tmp_path):
    """100, 101.5 and 103 at 2 %: the third is no tie, whatever its neighbour."""
    fiche, contents = several("50 USD", "50.75 USD", "51.50 USD", tolerance="2 %")
    told = judged(tmp_path, fiche, contents)
    tied = {c["id"]: c["tied_with"] for c in told["candidates"]}
    assert tied == {"c0": ["c1"], "c1": ["c0"], "c2": []}


def test_a_candidate_without_a_known_cost_is_not_ranked(tmp_path):
    fiche, contents = several("50 USD", "40 USD")
    fiche["requirements"] = fiche["requirements"][:2]
    fiche["pieces"] = fiche["pieces"][:3]
    told = judged(tmp_path, fiche, contents)
    assert (told["ranking"], status(told, "c1")) == (["c0"], "retained")


def test_two_currencies_are_not_ranked(tmp_path):
    fiche, contents = several("50 USD", "40 EUR")
    fiche["requirements"] = fiche["requirements"][:2]
    told = judged(tmp_path, fiche, contents)
    assert told["ranking"] == []
    assert told["counts"]["retained"] == 2


# --- The choice -----------------------------------------------------------------------------------


def test_a_chosen_candidate_that_is_not_retained_is_a_conditional_choice(tmp_path):
    fiche = asked()
    fiche["decision"] = {
        "chosen": "rent",
        "by": "M. Laurent",
        "role": "head",
        "because": "the only one",
    }
    told = judged(tmp_path, fiche)
    assert (told["conditional_choice"], told["choice"]["by"]) == (False, "M. Laurent")
    del fiche["pieces"][0]
    told = judged(tmp_path, fiche, files(run_json=None))
    assert (told["conditional_choice"], status(told)) == (True, "to_confirm")
    fiche["decision"]["chosen"] = "none"
    told = judged(tmp_path, fiche, files(run_json=None))
    assert told["conditional_choice"] is False


# --- The other criteria ---------------------------------------------------------------------------


def with_must(requirement, gpu=GPU, attests=(), scope=None, kind="document"):
    """The story with one more must, and one more document."""
    fiche = asked()
    fiche["requirements"].append({"id": "more", "level": "must", **requirement})
    fiche["candidates"][0] |= {"gpu": gpu}
    if attests:
        fiche["pieces"].append(
            {
                "id": "doc",
                "file": "doc.txt",
                "kind": kind,
                "scope": scope or {"machine": MACHINE},
                "attests": list(attests),
            }
        )
    if gpu != GPU:
        del fiche["candidates"][0]["offer"]
        fiche["pieces"] = [p for p in fiche["pieces"] if p["id"] != "quote"]
    return fiche


@pytest.mark.parametrize(
    ("gpu", "format"), [("nvidia-t4-16g", "bf16"), ("nvidia-a100-sxm4-80g", "fp8_e4m3")]
)
def test_a_makers_no_is_to_confirm(tmp_path, gpu, format):
    """DESIGN 4: software may emulate; what excludes is the engine's own document, or an observed refusal."""
    fiche = with_must({"kind": "precision", "format": format}, gpu)
    told = judged(tmp_path, fiche)
    assert verdict(told, "more") == "to_confirm"
    assert "the maker says no, which software may emulate" in found(told, "more")["condition"]
    capability = {"nvidia-t4-16g": "7.5", "nvidia-a100-sxm4-80g": "8.0"}[gpu]
    refusal = {
        "fact": "precision",
        "component": "transformers",
        "version": "5.17.0",
        "format": format,
        "capability": capability,
        "answer": "refused",
        "quote": "not supported",
    }
    fiche = with_must({"kind": "precision", "format": format}, gpu, [refusal], {"gpu": gpu})
    told = judged(tmp_path, fiche, {**files(), "doc.txt": f"{format} is not supported\n"})
    assert (verdict(told, "more"), status(told)) == ("exclude", "excluded")


def test_conflicting_results_are_shown_side_by_side(tmp_path):
    """Never averaged: 0.645 and 0.60 around 0.62."""
    fiche = asked()
    again = copy.deepcopy(fiche["pieces"][1])
    again |= {"id": "again", "file": "again.txt"}
    again["attests"][0] |= {"value": 0.60, "quote": "exact_match 0.60"}
    fiche["pieces"].append(again)
    told = judged(tmp_path, fiche, {**files(), "again.txt": "exact_match 0.60\n"})
    assert (verdict(told, "quality"), found(told, "quality")["reason_code"]) == (
        "to_confirm",
        "conflict",
    )
    assert "result says 0.645; again says 0.6" in found(told, "quality")["reason"]


def test_a_result_of_another_dataset_or_below_the_threshold(tmp_path):
    fiche = asked()
    fiche["requirements"][1] = {**QUALITY, "dataset": "other"}
    assert verdict(judged(tmp_path, fiche), "quality") == "to_confirm"
    fiche["requirements"][1] = {**QUALITY, "at_least": 0.645}
    assert verdict(judged(tmp_path, fiche), "quality") == "admissible"
    fiche["requirements"][1] = {**QUALITY, "at_least": 0.646}
    assert verdict(judged(tmp_path, fiche), "quality") == "exclude"


def test_declared_stock_and_a_row_prove_no_delivery(tmp_path):
    fiche = with_must({"kind": "delivery", "by": "2026-12-07"})
    row = offers(stock={"free": 12}, delivery={"earliest": "2026-12-01"})
    told = judged(tmp_path, fiche, files(offers_yaml=row))
    assert verdict(told, "more") == "to_confirm"
    dated = {"fact": "delivery", "earliest": "2026-12-07", "quote": "start 2026-12-07"}
    fiche = with_must(
        {"kind": "delivery", "by": "2026-12-07"}, attests=[dated], scope={"offer": "offer-1"}
    )
    told = judged(tmp_path, fiche, {**files(), "doc.txt": "start 2026-12-07\n"})
    assert (verdict(told, "more"), told["candidates"][0]["schedule"]["value"]) == (
        "admissible",
        "2026-12-07",
    )
    fiche["requirements"][-1]["by"] = "2026-12-06"
    told = judged(tmp_path, fiche, {**files(), "doc.txt": "start 2026-12-07\n"})
    assert verdict(told, "more") == "exclude"


@pytest.mark.parametrize(
    ("requirement", "fact", "words"),
    [
        (
            {"kind": "host_memory", "at_least": "64 GiB"},
            {"fact": "host_memory", "value": "64 GiB"},
            "64 GiB",
        ),
        (
            {"kind": "interconnect", "link": "NVLink", "at_least": "100 GB/s"},
            {"fact": "interconnect", "link": "NVLink", "value": "112.5 GB/s"},
            "112.5 GB/s",
        ),
        ({"kind": "document", "document": "DPA"}, {"fact": "document", "title": "DPA"}, "DPA"),
    ],
    ids=["host_memory", "interconnect", "document"],
)
def test_needs_that_a_cards_sheet_leaves_open(tmp_path, requirement, fact, words):
    """D3: a card's name and memory do not describe the rest of the server."""
    assert verdict(judged(tmp_path, with_must(requirement)), "more") == "to_confirm"
    item = {**fact, "quote": words}
    contents = {**files(), "doc.txt": f"{words}\n"}
    told = judged(tmp_path, with_must(requirement, attests=[item]), contents)
    assert (verdict(told, "more"), found(told, "more")["pieces"]) == ("admissible", ["doc"])
    if requirement["kind"] != "document":
        sheet = with_must(requirement, attests=[item], scope={"gpu": GPU}, kind="datasheet")
        assert verdict(judged(tmp_path, sheet, contents), "more") == "to_confirm"
    other = with_must(requirement, attests=[item], scope={"machine": "node-8"})
    assert verdict(judged(tmp_path, other, contents), "more") == "to_confirm"


def test_a_fact_without_a_quote_rests_on_a_named_word(tmp_path):
    need = {"kind": "host_memory", "at_least": "64 GiB"}
    fiche = with_must(need, attests=[{"fact": "host_memory", "value": "64 GiB", "by": "C. Ito"}])
    contents = {**files(), "doc.txt": "see the machine\n"}
    told = judged(tmp_path, fiche, contents)
    assert (verdict(told, "more"), found(told, "more")["attested_by"]) == ("admissible", ["C. Ito"])
    assert found(told, "more")["reason"].endswith("on the word of C. Ito")
    fiche["policy"] = "strict"
    assert verdict(judged(tmp_path, fiche, contents), "more") == "to_confirm"


def test_software_of_the_candidates_own_machine(tmp_path):
    need = {"kind": "software", "component": "torch", "at_least": "2.10"}
    told = judged(tmp_path, with_must(need))
    assert verdict(told, "more") == "admissible", "2.11.0+cu128 is above 2.10, which is not 2.1"
    fiche = with_must({**need, "at_least": "2.12"})
    assert verdict(judged(tmp_path, fiche), "more") == "exclude"
    fiche["candidates"][0]["machine"] = "node-8"
    assert verdict(judged(tmp_path, fiche), "more") == "to_confirm"


def test_compatibility_is_shown_by_a_run_on_the_card(tmp_path):
    fiche = with_must({"kind": "software"})
    assert verdict(judged(tmp_path, fiche), "more") == "admissible"
    failed = phase(outcome="failure", error={"type": "OutOfMemoryError", "message": oom()})
    told = judged(tmp_path, fiche, files(run_json=record(failed)))
    assert verdict(told, "more") == "to_confirm"
    other = record(phase(executed=LIMIT, devices=[device()]), gpu="nvidia-rtx-3090-24g")
    assert verdict(judged(tmp_path, fiche, files(run_json=other)), "more") == "to_confirm"


def test_a_quote_that_does_not_hold_its_value_is_a_persons_word(tmp_path):
    """A line about something else, quoted for a value of one's own, prints nothing."""
    fiche = asked()
    fiche["pieces"][2]["attests"][0]["quote"] = "Quote 17"
    told = judged(tmp_path, fiche)
    assert (verdict(told, "budget"), found(told, "budget")["attested_by"]) == (
        "admissible",
        [AUTHOR],
    )
    fiche["policy"] = "strict"
    assert verdict(judged(tmp_path, fiche), "budget") == "to_confirm"
