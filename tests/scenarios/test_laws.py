"""The laws of judgement over fiches drawn at random, as YAML and evidence files (DESIGN 4)."""

import copy
import json
import os
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loading import MemoryFolder
from scenarios.story import (
    GPU,
    LIMIT,
    MACHINE,
    MIB,
    VISIBLE,
    asked,
    check,
    device,
    files,
    offers,
    oom,
    phase,
    record,
    visible,
)

from fiche import __version__
from fiche.cli.compile import doors, importers
from fiche.evaluate.decide import decide
from fiche.load.fiche import load_bytes
from fiche.render.json import decision_bytes

pytestmark = pytest.mark.slow
MOST = int(os.environ.get("FICHE_EXAMPLES", "25"))
EACH = settings(max_examples=MOST, suppress_health_check=list(HealthCheck))
CONFLICTS = ("conflict", "below_floor")
DOORS, IMPORTERS = doors(), importers()


def judged(case):
    fiche, contents = case
    folder = {
        name: content if isinstance(content, bytes) else _text(content).encode()
        for name, content in contents.items()
    }
    loaded = load_bytes("fiche.yaml", _text(fiche).encode(), MemoryFolder(folder), IMPORTERS)
    told = json.loads(decision_bytes(decide(loaded.fiche, DOORS, __version__)))
    check(told)
    return told


def _text(content):
    return content if isinstance(content, str) else json.dumps(content)


def places(told):
    """Findings by what they judge; an implied must is named apart from a want of its id."""
    return {
        (f["candidate"], f["requirement"], f["level"], f["case"], f["device"]): f
        for f in told["findings"]
    }


# --- Drawing a fiche ------------------------------------------------------------------------------

AROUND = [VISIBLE - 4 * 10**9, VISIBLE - 2**30, VISIBLE - 1, VISIBLE, VISIBLE + 1, 10**9]
MESSAGES = [
    oom(),
    oom(own=""),
    oom(extra=" Process 4711 has 3.00 GiB memory in use."),
    oom(free="3.00 GiB", own="20.40 GiB"),
    oom(total="23.30 GiB", own="22.80 GiB"),
    "ValueError: wrong shape",
]


@st.composite
def phases(draw, index):
    size = {
        name: draw(st.sampled_from([count, count, count - 1, count + 1]))
        for name, count in LIMIT.items()
    }
    made = {
        "index": index,
        "pass": draw(st.sampled_from(["first", "first", "later"])),
        "ordering": draw(st.sampled_from(["whole_loop", "whole_loop", "phased"])),
        "executed": draw(st.sampled_from([size, LIMIT, None])),
        "outcome": draw(st.sampled_from(["success", "success", "failure"])),
    }
    made["covers"] = (
        ["model_load", "prefill", "decode"] if made["ordering"] == "whole_loop" else None
    )
    if made["outcome"] == "failure":
        made["error"] = {"type": "RuntimeError", "message": draw(st.sampled_from(MESSAGES))}
    peak = draw(st.sampled_from(AROUND))
    held = draw(st.sampled_from([0, 0, 2**30]))
    seen = device(
        peak=peak,
        other_processes_bytes={"bytes": held, "counter": "nvml"} if draw(st.booleans()) else None,
    )
    if draw(st.booleans()):
        level = {"allocated_bytes": peak - 10**9 + 1, "reserved_bytes": peak - 5 * 10**8}
        seen |= {"peak": level, "end": level}
    made["devices"] = [seen]
    return phase(**made)


@st.composite
def records(draw):
    count = draw(st.integers(1, 2))
    load = draw(st.sampled_from([{}, {}, {}, {"attention": "eager"}, {"attention": None}]))
    made = record(
        *(draw(phases(n)) for n in range(count)),
        machine=draw(st.sampled_from([MACHINE, MACHINE, "node-8"])),
        gpu=draw(st.sampled_from([GPU, GPU, "nvidia-rtx-3090-24g"])),
        devices=[visible(total=draw(st.sampled_from([VISIBLE, VISIBLE, VISIBLE - 200 * MIB])))],
        workload=load,
    )
    if not draw(st.integers(0, 3)):
        del made["machine"]
    return made


@st.composite
def fiches(draw):
    """A fiche with records, logs, documents and wants around the limit case."""
    fiche, contents = asked(), files()
    fiche["pieces"] = [p for p in fiche["pieces"] if draw(st.booleans()) or p["id"] == "result"]
    for n in range(draw(st.integers(0, 3))):
        name = f"record-{n}"
        contents[f"{name}.json"] = draw(records())
        fiche["pieces"].append({"id": name, "file": f"{name}.json"})
    if draw(st.booleans()):
        contents["oom.log"] = draw(st.sampled_from(MESSAGES[:5]))
        scope = {"gpu": GPU, "case": "limit", "machine": draw(st.sampled_from([MACHINE, "node-8"]))}
        fiche["pieces"].append({"id": "oom", "file": "oom.log", "scope": scope})
    if draw(st.booleans()):
        contents["print.txt"] = "total 24081 MiB, dedicated\n"
        total = {
            "fact": "capacity",
            "counter": draw(st.sampled_from(["torch_total_memory", "nvidia_smi_total"])),
            "value": "24081 MiB",
            "rounding": draw(st.sampled_from(["floor", "nearest", "exact"])),
            "quote": "24081 MiB",
        }
        alone = {"fact": "other_users", "value": "none", "quote": "dedicated"}
        fiche["pieces"].append(
            {
                "id": "print",
                "file": "print.txt",
                "kind": "document",
                "machine": MACHINE,
                "attests": draw(st.sampled_from([[total], [total, alone], [alone]])),
            }
        )
    fiche["policy"] = draw(st.sampled_from(["neutral", "neutral", "strict"]))
    if draw(st.booleans()):
        fiche["margin"] = [{"id": "longer", "value": "1 GiB", "because": "prompts grew"}]
    if draw(st.booleans()):
        fiche["reserve"] = [{"id": "workspace", "value": "2 GiB", "because": "a guess"}]
    if draw(st.booleans()):
        fiche["candidates"][0]["other_users"] = draw(st.sampled_from(["none", "some"]))
    if draw(st.booleans()):
        fiche["candidates"].append(
            {"id": "cache", "baseline": "rent", "change": {"formats.cache": "fp8_e4m3"}}
        )
    if draw(st.booleans()):
        del fiche["workload"]["model"]["parameters"]
    if not draw(st.integers(0, 3)):
        del fiche["workload"]["cases"][0][draw(st.sampled_from(sorted(LIMIT)))]
    fiche["requirements"].append(
        {
            "id": "room",
            "kind": "capacity",
            "level": "must",
            "at_least": f"{draw(st.sampled_from(AROUND))} B",
        }
    )
    used = {p["file"] for p in fiche["pieces"]} | {"offers.yaml"}
    return fiche, {name: content for name, content in contents.items() if name in used}


# --- The laws -------------------------------------------------------------------------------------


@EACH
@given(fiches())
def test_any_decision_is_sound(case):
    """References, formulas, words, counts (`check`); and nothing is admitted without an observation."""
    told = judged(case)
    figures = {f["id"]: f for f in told["figures"]}
    for found in told["findings"]:
        if found["kind"] == "memory" and found["verdict"] == "admissible":
            need, have = figures[found["need"]["id"]], figures[found["have"]["id"]]
            for side in (need, have):
                kinds = side.get("rests_on", [side["basis"]])
                assert not {"assumed", "unknown", "declared"} & set(kinds), side
            assert found["pieces"]
        if found["verdict"] == "exclude" and found["kind"] == "memory":
            assert found["reason_code"] == "proven_failure"


@EACH
@given(fiches(), st.data())
def test_dropping_a_piece_moves_a_verdict_only_to_to_confirm_or_out_of_a_conflict(case, data):
    fiche, contents = case
    before = places(judged(case))
    gone = data.draw(st.sampled_from(fiche["pieces"]))
    fewer = {**fiche, "pieces": [p for p in fiche["pieces"] if p is not gone]}
    for place, after in places(judged((fewer, contents))).items():
        was = before[place]
        assert (
            after["verdict"] in (was["verdict"], "to_confirm") or was["reason_code"] in CONFLICTS
        ), f"{gone['id']} dropped, {place}: {was['reason']} -> {after['reason']}"


ORDER = ["admissible", "to_confirm", "exclude"]


@EACH
@given(fiches(), st.sampled_from([1, 300 * MIB, 4 * 10**9]))
def test_more_capacity_never_worsens_a_verdict(case, more):
    """Every total of the records larger by as much; labels and documents out of the way."""
    fiche, contents = copy.deepcopy(case)
    fiche["pieces"] = [p for p in fiche["pieces"] if p["id"] not in ("print", "oom")]
    own = {
        "id": "own-card",
        "vendor": "nvidia",
        "name": "A card",
        "enumerated_as": "card",
        "nominal": {"value": "80 GB", "source": ["own"]},
    }
    contents["cards.yaml"] = {
        "catalog": 1,
        "sources": [{"key": "own", "what": "a test"}],
        "cards": [own],
    }
    fiche["catalogs"] = ["cards.yaml"]
    fiche["candidates"][0] = {**fiche["candidates"][0], "gpu": "own-card"}
    del fiche["candidates"][0]["offer"]
    fiche["pieces"] = [p for p in fiche["pieces"] if p["id"] != "quote"]
    fiche["requirements"] = [r for r in fiche["requirements"] if r["kind"] != "cost"]
    for content in contents.values():
        if isinstance(content, dict) and content.get("gpu") == GPU:
            content["gpu"] = "own-card"
    before = places(judged((fiche, contents)))
    for content in contents.values():
        if isinstance(content, dict) and "environment" in content:
            for seen in content["environment"]["devices"]:
                seen["total_memory_bytes"] += more
                seen["nvml_total_bytes"] += more
    for place, after in places(judged((fiche, contents))).items():
        assert ORDER.index(after["verdict"]) <= ORDER.index(before[place]["verdict"]), place


@EACH
@given(fiches())
def test_a_want_changes_no_status(case):
    fiche, contents = case
    wants = [
        {"id": "quiet", "kind": "power", "level": "want", "at_most": "1 W"},
        {"id": "large", "kind": "capacity", "level": "want", "at_least": "900 GiB"},
        {"id": "cheap", "kind": "cost", "level": "want", "at_most": "1 EUR", "tax": "included"},
    ]
    more = {**fiche, "requirements": [*fiche["requirements"], *wants]}
    before, after = judged(case), judged((more, contents))
    for one, other in zip(before["candidates"], after["candidates"], strict=True):
        assert (one["id"], one["status"], one["rank"]) == (
            other["id"],
            other["status"],
            other["rank"],
        )
        assert one["conditions"] == other["conditions"]


@EACH
@given(fiches(), st.randoms())
def test_the_order_of_inputs_changes_nothing(case, random):
    fiche, contents = case
    shuffled = copy.deepcopy(fiche)
    for key in ("pieces", "requirements"):
        random.shuffle(shuffled[key])
    before, after = places(judged(case)), places(judged((shuffled, contents)))
    for place, was in before.items():
        assert after[place] == was


@EACH
@given(fiches())
def test_the_second_reading_changes_only_to_confirm(case):
    told = judged(case)
    found = {
        (f["candidate"], f["requirement"], f["case"], f["device"]): f for f in told["findings"]
    }
    for second in told["second_reading"]:
        was = found[second["candidate"], second["requirement"], second["case"], second["device"]]
        assert was["verdict"] == "to_confirm"
        assert was["reason_code"] not in CONFLICTS
        assert second["would_be"] in ("admissible", "exclude")
        assert second["if_held"]


@EACH
@given(
    fiches(),
    st.sampled_from(["attention", "engine.version", "formats.compute", "placement.resident"]),
)
def test_a_strict_fact_that_the_fiche_does_not_tell_retains_nothing(case, path):
    fiche, contents = copy.deepcopy(case)
    *steps, last = path.split(".")
    holder = fiche["workload"]
    for step in steps:
        holder = holder[step]
    del holder[last]
    told = judged((fiche, contents))
    memory = [f for f in told["findings"] if f["kind"] == "memory"]
    assert {f["verdict"] for f in memory} <= {"to_confirm"}


# --- The cost of a package, worked out again ------------------------------------------------------


@st.composite
def told_offers(draw):
    """Every term told: (terms, what the package costs before tax)."""
    count = st.integers(1, 5)
    told = {
        "cards": draw(count),
        "per_lot": draw(count),
        "order": draw(st.sampled_from([None, 1, 2, 3])),
        "covers": draw(st.sampled_from(["lot", "card"])),
        "cents": draw(st.integers(1, 99_999)),
        "hours": draw(st.integers(1, 400)),
        "per": draw(st.sampled_from([1, 24, 72, 168])),
        "least": draw(st.sampled_from([None, 8, 100])),
        "extension": draw(st.sampled_from(["lots", "hours"])),
        "setup": draw(st.sampled_from([None, "order", "lot", "card", "lot hour", "card hour"])),
        "rate": draw(st.sampled_from([0, 19, 20])),
        "asked": draw(st.sampled_from(["excluded", "included"])),
    }
    return told, _worked_out(**told)


def _worked_out(
    cards, per_lot, order, covers, cents, hours, per, least, extension, setup, rate, asked
):
    lots = max(-(-cards // per_lot), order or 1)
    share = max(Fraction(max(hours, least or 0), per), Fraction(1))
    periods = share if extension == "hours" else Fraction(-(-share.numerator // share.denominator))
    units = lots * (per_lot if covers == "card" else 1)
    times = {"order": 1, "lot": lots, "card": lots * per_lot}
    cost = Fraction(cents, 100) * units * periods
    if setup:
        what, _, hourly = setup.partition(" ")
        cost += Fraction(5, 4) * times[what] * (periods * per if hourly else 1)
    return cost * (1 + Fraction(rate, 100)) if asked == "included" else cost


@EACH
@given(told_offers())
def test_a_package_costs_what_its_terms_say(case):
    """Whole lots, whole periods, minimum order and time, charges and tax, by another arithmetic."""
    told, cost = case
    price = f"{told['cents'] // 100}.{told['cents'] % 100:02} USD"
    text = f"{price} for {told['per']} h, valid until 2026-12-31\n"
    fiche = asked()
    fiche["workload"]["duration"]["value"] = f"{told['hours']} h"
    fiche["candidates"][0]["cards"] = told["cards"]
    own = {"amount": price, "per": f"{told['per']} h", "covers": told["covers"]}
    tax = {"basis": "excluded", "rate": f"{told['rate']} %"}
    fiche["pieces"][2]["attests"] = [
        {"fact": "price", **own, "quote": price},
        {"fact": "validity", "until": "2026-12-31", "quote": "2026-12-31"},
    ]
    budget = fiche["requirements"][2]
    budget |= {"tax": told["asked"], "at_most": "100000.00 USD"}
    row = offers(
        cards_per_lot=told["per_lot"],
        min_order=told["order"],
        min_time=f"{told['least']} h" if told["least"] else None,
        price=own,
        tax=tax,
        extension=told["extension"],
        setup={"amount": "1.25 USD", "per": told["setup"]} if told["setup"] else None,
    )
    made = judged((fiche, files(quote_txt=text, offers_yaml=row)))
    listed = next(f for f in made["figures"] if f["id"] == "rent.cost")
    assert Fraction(listed["value"]) == cost
    found = places(made)["rent", "budget", "must", "", ""]
    assert found["verdict"] == ("admissible" if cost <= 100_000 else "exclude")
