"""Verdicts expected from the rules alone, each through a whole fiche: a card, a sheet, another word (D1, D3).

A row is what is asked, what one document says, and about what it says it; `A` admits, `X` excludes, `C` leaves
to confirm.
"""

import copy
import json

import pytest
from scenarios.story import GPU, MACHINE, WORKLOAD, asked, files, found, judged, status

A, X, C = "admissible", "exclude", "to_confirm"
OFFER, CARD, OTHER = {"offer": "offer-1"}, {"gpu": GPU}, {"machine": "node-8"}


def paper(name, scope, facts, kind="document", **changes):
    """A piece and its file; every fact is quoted from a line that holds its values."""
    lines = [
        f"{place}: {' '.join(str(v) for v in fact.values())}" for place, fact in enumerate(facts)
    ]
    told = [{**fact, "quote": line} for fact, line in zip(facts, lines, strict=True)]
    piece = {"id": name, "file": f"{name}.txt", "kind": kind, "scope": scope, "attests": told}
    return {**piece, **changes}, "\n".join(lines) + "\n"


def answer(tmp_path, must, *papers, fiche=None):
    """The one finding of a must, and the candidate's status."""
    fiche = fiche or asked()
    fiche["requirements"].append({"id": "asked", "level": "must", **must})
    contents = files()
    for piece, text in papers:
        fiche["pieces"].append(piece)
        contents[piece["file"]] = text
    made = judged(tmp_path, fiche, contents)
    return found(made, "asked"), status(made)


def fact(of_kind, /, **words):
    return {"fact": of_kind, **words}


NVLINK = {"kind": "interconnect", "link": "NVLink", "at_least": "600 GB/s", "directions": "both"}
ON_PAPER = [
    ({"kind": "ecc", "state": "on"}, [fact("ecc", state="on")], OFFER, A),
    ({"kind": "ecc", "state": "on"}, [fact("ecc", state="off")], OFFER, X),
    ({"kind": "ecc", "state": "on"}, [fact("ecc", state="on")], CARD, C),
    ({"kind": "host_memory", "at_least": "128 GiB"}, [fact("host_memory", value="128 GB")], OFFER, X),
    ({"kind": "host_memory", "at_least": "128 GB"}, [fact("host_memory", value="128 GiB")], OFFER, A),
    ({"kind": "host_memory", "at_least": "128 GB"}, [fact("host_memory", value="128 GiB")], CARD, C),
    ({"kind": "disk", "at_least": "2 TB"}, [fact("disk", value="2 TB")], OFFER, A),
    ({"kind": "disk", "at_least": "2 TiB"}, [fact("disk", value="2 TB")], OFFER, X),
    ({"kind": "disk", "at_least": "2 TB"}, [fact("disk", value="2 TB")], OTHER, C),
    ({"kind": "disk", "at_least": "2 TB", "type": "NVMe"}, [fact("disk", value="4 TB")], OFFER, C),
    (NVLINK, [fact("interconnect", link="NVLink", value="600 GB/s", directions="both")], OFFER, A),
    (NVLINK, [fact("interconnect", link="NVLink", value="300 GB/s", directions="both")], OFFER, X),
    (NVLINK, [fact("interconnect", link="NVLink", value="600 GB/s", directions="each")], OFFER, C),
    (NVLINK, [fact("interconnect", link="PCIe", value="32 GB/s", directions="both")], OFFER, C),
    ({"kind": "service", "service": "Ollama"}, [fact("service", service="ollama")], OFFER, A),
    ({"kind": "service", "service": "Ollama"}, [fact("service", service="Jupyter")], OFFER, C),
    ({"kind": "warranty", "at_least": "36 months"}, [fact("warranty", value="3 years")], OFFER, A),
    ({"kind": "warranty", "at_least": "3 years"}, [fact("warranty", value="35 months")], OFFER, X),
    ({"kind": "warranty", "at_least": "3 years"}, [fact("warranty", value="3 years")], CARD, C),
    ({"kind": "support", "at_most": "8 h"}, [fact("support", response="480 min")], OFFER, A),
    ({"kind": "support", "at_most": "8 h"}, [fact("support", response="1 day")], OFFER, X),
    ({"kind": "support", "support": "Gold"}, [fact("support", name="Silver")], OFFER, C),
    ({"kind": "location", "one_of": ["France"]}, [fact("location", country="Norway")], OFFER, X),
    ({"kind": "location", "one_of": ["France"]}, [fact("location", region="Brittany")], OFFER, C),
    ({"kind": "delivery", "by": "2026-12-05"}, [fact("delivery", earliest="2026-12-05")], OFFER, A),
    ({"kind": "delivery", "by": "2026-12-05"}, [fact("delivery", earliest="2026-12-06")], OFFER, X),
    ({"kind": "delivery", "by": "2026-12-05"}, [fact("delivery", earliest="2026-12-05")], CARD, C),
    ({"kind": "document", "document": "Terms"}, [fact("document", title="terms")], OFFER, A),
    ({"kind": "document", "document": "Terms"}, [fact("document", title="Prices")], OFFER, C),
    ({"kind": "power", "at_most": "0.45 kW"}, [], {}, A),
    ({"kind": "power", "at_most": "449 W"}, [], {}, X),
    ({"kind": "power", "at_most": "500 W", "term": "TBP"}, [], {}, C),
    ({"kind": "compute_capability", "at_least": "8.9"}, [], {}, A),
    ({"kind": "compute_capability", "at_least": "10.0"}, [], {}, X),
    ({"kind": "compute_capability", "gfx": ["gfx942"]}, [], {}, C),
    ({"kind": "compute_capability", "at_least": "9.0"}, [fact("compute_capability", value="9.0")], CARD, C),
    ({"kind": "form_factor", "one_of": ["PCIe"]}, [], {}, A),
    ({"kind": "form_factor", "one_of": ["SXM5"]}, [], {}, X),
    ({"kind": "form_factor", "one_of": ["PCIe full-height"]}, [], {}, C),
    ({"kind": "software", "component": "torch", "specifier": ">=2.9"}, [], {}, A),
    ({"kind": "software", "component": "torch", "specifier": "<2.11"}, [], {}, X),
    ({"kind": "software", "component": "driver", "specifier": ">=550"}, [], {}, C),
    ({"kind": "software"}, [], {}, A),
    ({"kind": "precision", "format": "bf16"}, [], {}, A),
    ({"kind": "precision", "format": "fp8_e4m3"}, [], {}, C),
    ({"kind": "placement"}, [], {}, A),
    ({"kind": "duration", "at_most": "40 h", "passes": 3000}, [], {}, A),
    ({"kind": "duration", "at_most": "30 h", "passes": 3000}, [], {}, X),
    ({"kind": "duration", "at_most": "40 h"}, [], {}, C),
]  # fmt: skip


@pytest.mark.parametrize(
    ("must", "facts", "scope", "expected"),
    ON_PAPER,
    ids=[f"{row[0]['kind']}-{place}" for place, row in enumerate(ON_PAPER)],
)
def test_on_paper(tmp_path, must, facts, scope, expected):
    told, now = answer(tmp_path, must, *([paper("note", scope, facts)] if facts else []))
    assert told["verdict"] == expected, told["reason"]
    assert now == {A: "retained", X: "excluded", C: "to_confirm"}[expected]
    if expected == C:
        assert all(one["text"] and one["supplier"] for one in told["conditions"])


def test_two_papers_that_differ_are_shown_side_by_side(tmp_path):
    papers = [
        paper(name, OFFER, [fact("ecc", state=state)])
        for name, state in (("a", "on"), ("b", "off"))
    ]
    told, _ = answer(tmp_path, {"kind": "ecc", "state": "on"}, *papers)
    assert (told["verdict"], told["reason_code"]) == (C, "conflict")


# --- Measured: the benchmark of a served model ---------------------------------------------------

LABEL = {"request_rate": "inf", "max_concurrency": 16}
BENCH = {
    "date": "20261124-101500",
    "endpoint_type": "openai",
    "backend": "openai",
    "tokenizer_id": WORKLOAD["model"]["name"],
    "burstiness": 1.0,
    "model_id": WORKLOAD["model"]["name"],
    "num_prompts": 200,
    **LABEL,
    "duration": 182.41,
    "completed": 200,
    "failed": 0,
    "total_input_tokens": 243600,
    "total_output_tokens": 60000,
    "request_throughput": 1.0964,
    "output_throughput": 328.93,
    "total_token_throughput": 1664.38,
    "mean_ttft_ms": 412.7,
    "median_ttft_ms": 388.2,
    "p99_ttft_ms": 771.9,
    "mean_tpot_ms": 46.9,
}
OF = {
    "model": {"revision": WORKLOAD["model"]["revision"]},
    "operation": "generation",
    "engine": {"name": "vllm", "version": "0.28.0"},
    "formats": WORKLOAD["formats"],
    "gpu": GPU,
    "placement": {"devices": 1},
}
CASE = {"prompt_tokens": 1218, "new_tokens": 300, "resident_sequences": 16}


def served(**case):
    fiche = asked()
    fiche["workload"]["engine"] = OF["engine"]
    fiche["workload"]["cases"] = [{"id": "usual", "role": "usual", **CASE, **case}]
    return fiche


def bench(scope=None, **changes):
    told = {name: value for name, value in {**BENCH, **changes}.items() if value is not None}
    piece = {"id": "bench", "file": "bench.json", "scope": {**copy.deepcopy(OF), **(scope or {})}}
    return piece, json.dumps(told, indent=1)


def rate(least, **words):
    return {"kind": "throughput", "at_least": least, **words}


def first(percentile, most, **words):
    return {"kind": "latency", "metric": "ttft", "percentile": percentile, "at_most": most, **words}


MEASURED = [
    (rate("300 tokens/s"), {}, {}, {}, A),
    (rate("400 tokens/s"), {}, {}, {}, X),
    (rate("1500 tokens/s", of="total"), {}, {}, {}, A),
    (rate("300 tokens/s", of="decode"), {}, {}, {}, C),
    (rate("1 requests/s"), {}, {}, {}, A),
    (rate("1 samples/s"), {}, {}, {}, C),
    (rate("300 tokens/s"), {}, {"gpu": "nvidia-rtx-6000-ada-48g"}, {}, C),
    (rate("300 tokens/s"), {}, {"engine": {"name": "vllm", "version": "0.27.0"}}, {}, C),
    (rate("300 tokens/s"), {}, {"engine": {"name": "vllm"}}, {}, C),
    (rate("300 tokens/s"), {}, {"placement": {"devices": 2}}, {}, C),
    (rate("300 tokens/s", concurrency=8), {}, {}, {}, C),
    (rate("300 tokens/s", request_rate="4 requests/s"), {}, {}, {}, C),
    (rate("300 tokens/s", request_rate="4 requests/s"), {}, {}, {"request_rate": "4.0"}, A),
    (rate("300 tokens/s"), {}, {}, {"request_rate": "4.0"}, C),
    (rate("300 tokens/s"), {}, {}, {"failed": 3, "completed": 197}, C),
    (rate("300 tokens/s"), {"prompt_tokens": 2000}, {}, {}, C),
    (rate("400 tokens/s"), {"prompt_tokens": 2000}, {}, {}, X),
    (rate("300 tokens/s"), {"prompt_tokens": 500}, {}, {}, A),
    (rate("400 tokens/s"), {"prompt_tokens": 500}, {}, {}, C),
    (first("p95", "800 ms"), {}, {}, {}, A),
    (first("p95", "0.8 s"), {}, {}, {}, A),
    (first("p95", "700 ms"), {}, {}, {}, C),
    (first("p95", "380 ms"), {}, {}, {}, X),
    (first("max", "1 s"), {}, {}, {}, C),
    (first("max", "700 ms"), {}, {}, {}, X),
    (first("p50", "388.2 ms"), {}, {}, {}, A),
    (first("p50", "420 ms"), {}, {}, {"median_ttft_ms": None, "p99_ttft_ms": None}, C),
    (first("mean", "900 ms"), {}, {}, {"mean_ttft_ms": None}, C),
    (first("p95", "800 ms", concurrency=8), {}, {}, {}, A),
    (first("p95", "380 ms", concurrency=8), {}, {}, {}, C),
    (first("p95", "800 ms", concurrency=32), {}, {}, {}, C),
    (first("p95", "380 ms", concurrency=32), {}, {}, {}, X),
]


@pytest.mark.parametrize(
    ("must", "case", "scope", "changes", "expected"),
    MEASURED,
    ids=[f"{row[0]['kind']}-{place}" for place, row in enumerate(MEASURED)],
)
def test_measured(tmp_path, must, case, scope, changes, expected):
    told, _ = answer(tmp_path, must, bench(scope, **changes), fiche=served(**case))
    assert told["verdict"] == expected, (told["reason"], told["condition"])


@pytest.mark.parametrize(("kind", "expected"), [("document", A), ("quote", C), ("datasheet", C)])
@pytest.mark.parametrize(
    ("must", "told"),
    [
        (rate("300 tokens/s"), fact("throughput", value="350 tokens/s", of="output")),
        (first("p95", "800 ms"), fact("latency", metric="ttft", percentile="p99", value="0.7 s")),
        (
            {"kind": "quality", "metric": "em", "dataset": "d", "at_least": 0.6},
            fact("quality", metric="em", dataset="d", value=0.7),
        ),
        (
            {"kind": "precision", "format": "fp8_e4m3"},
            fact("precision", format="fp8_e4m3", component="vllm", version="0.28.0",
                 capability="8.9", answer="supported"),
        ),
    ],
)  # fmt: skip
def test_who_sells_establishes_nothing(tmp_path, must, told, kind, expected):
    """D3: the same words, in a report of a run or an engine's document, and in what is offered."""
    executed = {**CASE, "concurrent_requests": 16}
    del executed["resident_sequences"]
    scope = {**copy.deepcopy(OF), "model": SCOPE_MODEL, "executed": executed}
    quoted = {key: value for key, value in told.items() if key != "answer"}
    piece, text = paper("note", scope, [quoted], kind=kind)
    piece["attests"][0] |= told
    found_so, _ = answer(tmp_path, must, (piece, text), fiche=served())
    assert found_so["verdict"] == expected, (found_so["reason"], found_so["condition"])


SCOPE_MODEL = {key: WORKLOAD["model"][key] for key in ("name", "revision")}


def test_a_machine_s_paper_counts_for_that_machine(tmp_path):
    told, _ = answer(
        tmp_path,
        {"kind": "disk", "at_least": "2 TB"},
        paper("note", {"machine": MACHINE}, [fact("disk", value="2 TB")]),
    )
    assert (told["verdict"], told["pieces"]) == (A, ["note"])
