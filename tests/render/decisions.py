"""Decisions made by hand, for tests of the report: what an evaluation could have produced.

`rich` has a retained, a to-confirm and an excluded candidate, every kind of number, a conflict, a
conditional choice and a failure; `hostile` is the same with an attack in every text; `crowded` has
two devices, long names and many conditions; `bare` is the smallest fiche there is.
"""

import hashlib
from fractions import Fraction

from fiche.evaluate.choosing import choosing
from fiche.evaluate.rejudge import Judged
from fiche.kernel.address import Pointer, Span
from fiche.kernel.catalog import Card, Offer
from fiche.kernel.choice import Choice
from fiche.kernel.comparison import CaseLoad, LoadItem, PhaseTotal
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Fiche, Input, Outcome
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure, Unknown, ceil, total
from fiche.kernel.finding import Finding, SecondReading, Verdict
from fiche.kernel.origin import Assumed, Declared, Observed, Stated
from fiche.kernel.piece import (
    Attested,
    Capacity,
    Failure,
    Observation,
    Piece,
    Printed,
    Reading,
    Run,
)
from fiche.kernel.record import field_names, replace
from fiche.kernel.requirement import Candidate, Policy, Requirement
from fiche.kernel.unit import BYTE, HOUR, ONE, Unit, count_of, money
from fiche.kernel.workload import Case, Workload

GIB = 2**30
FILE = "chat.yaml"

CONTENTS = {
    "evidence/run-6000ada.json": b'{"record": 1, "series": "six-thousand"}\n',
    "evidence/run-4090.json": b'{"record": 1, "series": "forty-ninety"}\n',
    "evidence/oom-3090.log": b"line 1\ntorch.OutOfMemoryError: CUDA out of memory. Tried to ...\n",
    "evidence/quote-17.txt": b"Lot of one card, 3 days: 47.14 USD / 55.71 USD, tax excluded\n",
    "evidence/eval-1.json": b'{"exact_match": 0.655}\n',
    FILE: b"fiche: 1\ntitle: Chat assistant\n",
}


def digest(file):
    return hashlib.sha256(CONTENTS[file]).hexdigest()


def span(line, text="", file=FILE):
    return Span(file=file, line=line, column=9, text=text)


def pointer(file, line):
    return Pointer(sha256=digest(file), line=line)


def stated(value, unit, id, line, label="", because=""):
    origin = Stated(span=span(line), because=because)
    return Figure(low=value, high=value, unit=unit, origin=origin, id=id, label=label)


def observed(value, id, file, line, counter, stat="peak", label="", high=None):
    origin = Observed(
        pointer=pointer(file, line), counter=counter, scope="process", stat=stat, printed=str(value)
    )
    return Figure(
        low=value, high=high or value, unit=BYTE, origin=origin, id=id, label=label or counter
    )


def declared(value, unit, id, address, by, label=""):
    origin = Declared(address=address, by=by)
    return Figure(low=value, high=value, unit=unit, origin=origin, id=id, label=label)


def fact(value, line, by="", address=None):
    return Fact(value=value, address=address or span(line), by=by)


def exact(value):
    return Printed(
        text=str(value), unit_bytes=1, value=value, low=value, high=value, rounding="exact"
    )


# --- The workload ------------------------------------------------------------------------------

FACTS = {
    "model.name": "meta-llama/Llama-3.1-8B-Instruct",
    "model.revision": "0e9e39f249a16976918f6564b8830bc894c89659",
    "operation": "generation",
    "engine.name": "vllm",
    "engine.version": "0.28.0",
    "formats.storage": "bf16",
    "formats.compute": "bf16",
    "formats.cache": "bf16",
    "formats.loaded": "bf16",
    "backend": "cuda",
    "allocator.backend": "native",
    "placement.resident": "all",
    "process_protocol": "one fresh process per series",
}


def workload(cache_bytes=2):
    figures = {
        "model.parameters": stated(8030261248, count_of("parameters"), "model.parameters", 8),
        "model.layers": stated(32, count_of("layers"), "model.layers", 9),
        "model.kv_heads": stated(8, count_of("KV heads"), "model.kv_heads", 10),
        "model.head_dim": stated(128, ONE, "model.head_dim", 11),
        "placement.devices": stated(1, count_of("devices"), "placement.devices", 18),
    }
    return Workload(
        facts={path: fact(value, 6 + n) for n, (path, value) in enumerate(FACTS.items())},
        figures=figures,
        cases=(case("usual", 21, 1200, 280, 4, 4), case("limit", 22, 7900, 292, 4, 16)),
        reserve=(
            Figure(
                low=GIB // 2,
                high=GIB // 2,
                unit=BYTE,
                origin=Assumed(
                    by="A. Martin", because="seen on the current workstation", span=span(26)
                ),
                id="reserve.cuda_context",
                label="CUDA context",
            ),
        ),
        margin=(
            stated(
                GIB,
                BYTE,
                "margin.longer_window",
                28,
                "longer window",
                "prompts grew 10 % last quarter",
            ),
        ),
    )


def case(id, line, prompt, new, resident, concurrent):
    told = {
        "prompt_tokens": (prompt, "tokens"),
        "new_tokens": (new, "tokens"),
        "resident_sequences": (resident, "sequences"),
        "concurrent_requests": (concurrent, "requests"),
    }
    dimensions = {
        name: stated(value, count_of(word), f"{id}.{name}", line)
        for name, (value, word) in told.items()
    }
    return Case(
        id=id, role=id, dimensions=dimensions, phases=("prefill", "decode"), span=span(line)
    )


def estimates(load, prefix="", width=2, weights=None):
    """The items of the limit case, as estimators would name them."""
    told = load.figures
    limit = load.cases[-1].dimensions
    if weights is None:
        weights = ceil(told["model.parameters"] * 16 / 8 * stated(1, BYTE, "", 0)).named(
            "weights", "weights as stored", left_out=("quantisation metadata",)
        )
    tokens = (limit["prompt_tokens"] + limit["new_tokens"]).named(
        "limit.tokens_kept", "tokens kept by one sequence"
    )
    per_token = (
        2 * told["model.layers"] * told["model.kv_heads"] * told["model.head_dim"] * width
        * stated(1, BYTE, "", 0)
    )  # fmt: skip
    cache = ceil(per_token * tokens * limit["resident_sequences"]).named(
        f"{prefix}limit.kv_cache",
        "KV cache (dense: every layer keeps every token)",
        left_out=("blocks that the engine reserves beyond these tokens",),
    )
    floor = total([weights, cache], BYTE).named(
        f"{prefix}limit.floor", "floor: what must be resident together"
    )
    envelope = total([weights, cache, *load.reserve], BYTE).named(
        f"{prefix}limit.envelope",
        "conservative envelope: a sum of independent maxima, never an observed peak",
        left_out=("activations and workspace", "uses outside the process"),
    )
    return weights, tokens, cache, floor, envelope


def case_load(load, weights, cache, owner=""):
    """The load of the limit case: what is known, what is assumed, and what nobody told."""
    asked = Unknown(
        condition=Condition(topic="need", text="measure the whole loop", supplier="author"),
        unit=BYTE,
        id="limit.workspace",
        label="working memory",
    )
    items = (
        LoadItem(name="weights", node=weights, resident=True),
        LoadItem(name="kv_cache", node=cache, resident=True, phases=("prefill", "decode")),
        LoadItem(name="workspace", node=asked, resident=False, phases=("decode",)),
        *(LoadItem(name="reserve", node=each, resident=False) for each in load.reserve),
    )
    prefix = f"{owner}/" if owner else ""
    phases = tuple(
        PhaseTotal(
            phase=phase,
            items=alive,
            total=total([item.node for item in alive], BYTE).named(
                f"{prefix}limit.phase.{phase}", f"{phase}: what is alive together"
            ),
        )
        for phase, alive in (("prefill", (*items[:2], *items[3:])), ("decode", items))
    )
    return CaseLoad(owner=owner, case="limit", items=items, phases=phases)


# --- The pieces --------------------------------------------------------------------------------


def reading_of(file, line, counter, stat, gib, phase, device=0):
    return Observation(
        counter=counter,
        scope="process" if counter == "process_device_used" else "process_allocator",
        stat=stat,
        kind_of_origin="measured",
        pointer=pointer(file, line),
        value=exact(int(gib * GIB)),
        device_index=device,
        phase=phase,
    )


def levels(file, line, phase, peaks, currents, device=0):
    """The four counters of one phase on one device (C3)."""
    return (
        reading_of(file, line, "max_memory_allocated", "peak", peaks[0], phase, device),
        reading_of(file, line, "max_memory_reserved", "peak", peaks[1], phase, device),
        reading_of(file, line, "memory_allocated", "current", currents[0], phase, device),
        reading_of(file, line, "memory_reserved", "current", currents[1], phase, device),
    )


PRINTED = {
    "gpu": "nvidia-rtx-6000-ada-48g",
    "driver": "610.62",
    "python": "3.14.6",
    "torch": "2.11.0+cu128",
    "cuda": "12.8",
    "allocator.backend": "native",
    "engine.name": "vllm",
    "engine.version": "0.28.0",
}


def printed_facts(file, **more):
    at = pointer(file, 1)
    return {path: Fact(value=value, address=at) for path, value in {**PRINTED, **more}.items()}


def run_6000ada():
    file = "evidence/run-6000ada.json"
    executed = {
        "prompt_tokens": (8192, "tokens"),
        "new_tokens": (292, "tokens"),
        "resident_sequences": (4, "sequences"),
    }
    whole = Run(
        id="whole-loop",
        outcome="success",
        whole_loop=True,
        phases=("prefill", "decode"),
        executed={
            name: stated(value, count_of(word), "", 1) for name, (value, word) in executed.items()
        },
        declared={"prompt_tokens": stated(7900, count_of("tokens"), "", 1)},
        observations=(
            *levels(file, 40, "whole_loop", (19.86, 20.41), (15.2, 20.41)),
            reading_of(file, 41, "process_device_used", "peak", 20.93, "whole_loop"),
        ),
        duration_ns=41_200_000_000,
        output_check="same tokens as the reference",
    )
    phased = Run(
        id="phased",
        outcome="success",
        whole_loop=False,
        phases=("model_load", "cold_forward", "warm_forward"),
        first_pass=True,
        observations=(
            *levels(file, 11, "model_load", (14.96, 15.02), (14.96, 15.02)),
            *levels(file, 12, "cold_forward", (19.71, 20.33), (15.2, 20.33)),
            *levels(file, 13, "warm_forward", (19.86, 20.41), (15.2, 20.41)),
        ),
    )
    reading = Reading(
        kind="record",
        shape="fiche-record/1",
        backend="cuda",
        runs=(phased, whole),
        capacities=(
            Capacity(
                counter="torch_total_memory",
                value=exact(50_876_841_984),
                device_index=0,
                pointer=pointer(file, 5),
                device_name="NVIDIA RTX 6000 Ada Generation",
                others=exact(0),
            ),
        ),
        facts=printed_facts(file, machine="provider-b-node-2"),
    )
    return piece("run-6000ada", file, "record", "2026-11-20", 31, reading)


def run_4090():
    file = "evidence/run-4090.json"
    run = Run(
        id="usual-loop",
        outcome="success",
        whole_loop=True,
        phases=("prefill", "decode"),
        executed={"prompt_tokens": stated(1200, count_of("tokens"), "", 1)},
        observations=levels(file, 22, "whole_loop", (15.8, 16.25), (15.1, 16.25)),
        duration_ns=9_800_000_000,
    )
    reading = Reading(
        kind="record",
        shape="fiche-record/1",
        backend="cuda",
        runs=(run,),
        facts=printed_facts(file, gpu="nvidia-rtx-4090-24g"),
        warnings=("the record does not say who else used the card",),
    )
    return piece("run-4090", file, "record", "2026-11-18", 32, reading)


def oom_3090():
    file = "evidence/oom-3090.log"
    failure = Failure(
        pointer=pointer(file, 2),
        message_kind="allocator_oom",
        memory="device",
        backend="cuda",
        device_index=0,
        quantities={
            "requested": exact(2 * GIB),
            "free": exact(512 * 2**20),
            "total_capacity": exact(int(23.69 * GIB)),
        },
        message="CUDA out of memory. Tried to allocate 2.00 GiB.",
    )
    run = Run(
        id="limit",
        outcome="failure",
        whole_loop=True,
        phases=("prefill",),
        failure=failure,
        first_pass=True,
    )
    reading = Reading(
        kind="torch_oom", shape="2.x", backend="cuda", runs=(run,), failures=(failure,)
    )
    typed = {
        "gpu": fact("nvidia-rtx-3090-24g", 33, "A. Martin"),
        "case": fact("limit", 33, "A. Martin"),
    }
    return piece("oom-3090", file, "oom", "", 33, reading, typed)


def quote_17():
    file = "evidence/quote-17.txt"
    words = {"covers": fact("lot", 36, "A. Martin")}
    price = declared(
        Fraction("47.14"), money("USD"), "quote-17.price", pointer(file, 1), "provider A"
    )
    item = Attested(
        fact="price", terms={"amount": price}, words=words, span=span(36), pointer=pointer(file, 1)
    )
    reading = Reading(kind="quote", shape="document")
    typed = {"offer": fact("offer-01", 35, "A. Martin")}
    return piece("quote-17", file, "quote", "2026-11-03", 34, reading, typed, (item,))


def eval_1():
    file = "evidence/eval-1.json"
    reading = Reading(kind="result", shape="document")
    return piece("eval-1", file, "result", "2026-11-15", 38, reading)


def piece(id, file, kind, version, line, reading, typed=None, attested=()):
    content = CONTENTS[file]
    return Piece(
        id=id,
        file=file,
        sha256=hashlib.sha256(content).hexdigest(),
        num_bytes=len(content),
        media_type="application/json" if file.endswith("json") else "text/plain",
        kind=kind,
        version=version,
        span=span(line),
        reading=reading,
        typed=typed or {},
        attested=attested,
    )


# --- Requirements, cards, candidates -----------------------------------------------------------


def requirements():
    return (
        Requirement(
            id="memory",
            kind="memory",
            level="must",
            span=span(41),
            cases=("usual", "limit"),
            figures={},
            facts={},
        ),
        Requirement(
            id="quality",
            kind="quality",
            level="must",
            span=span(42),
            figures={"at_least": stated(Fraction("0.62"), ONE, "requirement.quality.at_least", 42)},
            facts={"metric": fact("exact_match", 42), "dataset": fact("internal-qa-200", 42)},
        ),
        Requirement(
            id="budget",
            kind="cost",
            level="must",
            span=span(43),
            figures={"at_most": stated(60, money("USD"), "requirement.budget.at_most", 43)},
            facts={"tax": fact("excluded", 43)},
        ),
        Requirement(
            id="quiet",
            kind="power",
            level="want",
            span=span(44),
            figures={"at_most": stated(300, Unit((("W", 1),)), "requirement.quiet.at_most", 44)},
            facts={},
        ),
    )


def card(id, name, gib, watts):
    where = Span(file="nvidia.yaml", line=12, column=3)
    return Card(
        id=id,
        vendor="nvidia",
        name=name,
        enumerated_as="card",
        figures={
            "nominal": declared(
                gib * 10**9, BYTE, f"{id}.nominal", where, "NVIDIA", "label, decimal"
            ),
            "nominal_binary": declared(
                gib * GIB, BYTE, f"{id}.nominal_binary", where, "NVIDIA", "label x 2^30"
            ),
            "power": declared(watts, Unit((("W", 1),)), f"{id}.power", where, "NVIDIA"),
        },
        facts={"name": Fact(value=name, address=where)},
        names_printed=(name,),
        traps=(),
        sightings=(),
        span=where,
    )


def offer(id, price, gpu, line):
    where = Span(file="offers.yaml", line=line, column=5)
    return Offer(
        id=id,
        seller="provider A",
        kind="rent",
        gpu=gpu,
        figures={
            "price": declared(
                Fraction(price),
                money("USD"),
                f"{id}.price",
                where,
                "provider A",
                "price of the lot",
            ),
            "hours": declared(72, HOUR, f"{id}.hours", where, "provider A"),
        },
        facts={"covers": Fact(value="lot", address=where)},
        span=where,
    )


def candidate(id, gpu, load, line, offered=None, machine="", baseline="", change=None):
    return Candidate(
        id=id,
        gpu=gpu.id,
        card=gpu,
        cards=stated(1, count_of("cards"), f"{id}.cards", line),
        offer=offered,
        machine=machine,
        workload=load,
        span=span(line),
        baseline=baseline,
        change=change,
    )


# --- Findings ----------------------------------------------------------------------------------

ADMISSIBLE, TO_CONFIRM, EXCLUDE = Verdict.ADMISSIBLE, Verdict.TO_CONFIRM, Verdict.EXCLUDE

RUN_LIMIT = Condition(
    topic="need",
    text=(
        "run the whole loop of case 'limit' on nvidia-rtx-4090-24g and import its record; nearest "
        "piece: run-4090; prompt_tokens: executed 1200, the question is 7900"
    ),
    threshold=">= 23548920955 B free for this process",
    supplier="whoever can run it",
    piece_kind="record",
)
VISIBLE = Condition(
    topic="memory_available",
    text=(
        "have machine provider-a-node-7 print the framework-visible total memory of its "
        "nvidia-rtx-4090-24g in bytes, with ECC as delivered, and import it"
    ),
    threshold=">= 23548920955 B free for this process",
    supplier="seller, before the order; acceptance test at delivery",
    piece_kind="record or out-of-memory message of that machine",
)
QUALITY = Condition(
    topic="quality",
    text="evaluate exact_match on internal-qa-200 with the fp8 cache and import the result",
    threshold=">= 0.62",
    supplier="author of the fiche",
    piece_kind="result",
)
CONFLICT = Condition(
    topic="conflict",
    text=(
        "settle the contradiction: run-4090: the file prints nvidia-rtx-4090-24g, "
        "the scope typed nvidia-rtx-4090-d-24g"
    ),
    supplier="author of the fiche",
    piece_kind="a new run, or a corrected scope",
)


def finding(requirement, kind, who, verdict, reason, text, need, have, **more):
    return Finding(
        requirement=requirement,
        kind=kind,
        level=more.pop("level", "must"),
        candidate=who,
        verdict=verdict,
        reason=reason,
        text=text,
        need=need,
        have=have,
        **more,
    )


def others(who, offered, watts, quality=ADMISSIBLE):
    """Quality, budget and power of one candidate."""
    needed = stated(Fraction("0.62"), ONE, "requirement.quality.at_least", 42)
    origin = Observed(
        pointer=pointer("evidence/eval-1.json", 1),
        counter="exact_match",
        scope="task",
        stat="mean",
        printed="0.655",
    )
    shown = Figure(
        low=Fraction("0.655"), high=Fraction("0.655"), unit=ONE, origin=origin, id="eval-1.quality"
    )
    budget = stated(60, money("USD"), "requirement.budget.at_most", 43)
    limit = stated(300, Unit((("W", 1),)), "requirement.quiet.at_most", 44)
    power = offered[1].figures["power"]
    price = offered[0].figures["price"] if offered[0] else None
    good = quality is ADMISSIBLE
    return [
        finding(
            "quality",
            "quality",
            who,
            quality,
            "confirmed" if good else "no_piece",
            "the result meets the threshold" if good else "no result in this scope",
            needed,
            shown if good else None,
            margin=shown - needed if good else None,
            pieces=("eval-1",) if good else (),
            conditions=() if good else (QUALITY,),
        ),
        finding(
            "budget",
            "cost",
            who,
            ADMISSIBLE if price is not None else TO_CONFIRM,
            "confirmed" if price is not None else "no_offer",
            "the quote is within the budget" if price is not None else "no offer names a price",
            price,
            budget,
            margin=budget - price if price is not None else None,
            pieces=("quote-17",) if price is not None else (),
            attested_by=("A. Martin",) if price is not None else (),
        ),
        finding(
            "quiet",
            "power",
            who,
            EXCLUDE if watts > 300 else ADMISSIBLE,
            "above" if watts > 300 else "confirmed",
            "the maker declares the card's power",
            power,
            limit,
            margin=limit - power,
            level="want",
        ),
    ]


def rich():
    """Retained, to confirm (twice, once by one change) and excluded; the choice is conditional."""
    load = workload()
    weights, tokens, cache, floor, envelope = estimates(load)
    cards = {
        "6000": card("nvidia-rtx-6000-ada-48g", "RTX 6000 Ada Generation", 48, 300),
        "4090": card("nvidia-rtx-4090-24g", "GeForce RTX 4090", 24, 450),
        "3090": card("nvidia-rtx-3090-24g", "GeForce RTX 3090", 24, 350),
    }
    offers = {
        "6000": offer("offer-02", "55.71", "nvidia-rtx-6000-ada-48g", 9),
        "4090": offer("offer-01", "47.14", "nvidia-rtx-4090-24g", 4),
    }
    people = (
        candidate("rent-6000ada", cards["6000"], load, 47, offers["6000"], "provider-b-node-2"),
        candidate("rent-4090", cards["4090"], load, 48, offers["4090"], "provider-a-node-7"),
        candidate(
            "fp8-cache",
            cards["4090"],
            load,
            49,
            offers["4090"],
            "provider-a-node-7",
            "rent-4090",
            ("formats.cache", "bf16", "fp8_e4m3"),
        ),
        candidate("old-3090", cards["3090"], load, 50),
    )
    peak = observed(
        int(20.93 * GIB),
        "run-6000ada/whole-loop.process_device_used.cuda0",
        "evidence/run-6000ada.json",
        41,
        "process_device_used",
    )
    visible = observed(
        50_876_841_984,
        "run-6000ada/total.cuda0",
        "evidence/run-6000ada.json",
        5,
        "torch_total_memory",
        "total",
    )
    small = observed(
        int(16.25 * GIB) + 1,
        "run-4090/usual.process_device_used.cuda0",
        "evidence/run-4090.json",
        22,
        "process_device_used",
        high=int(16.35 * GIB),
    )
    shown_3090 = observed(
        int(23.68 * GIB),
        "oom-3090/total.cuda0",
        "evidence/oom-3090.log",
        2,
        "oom_total_capacity",
        "total",
        high=int(23.7 * GIB),
    )
    fp8 = estimates(load, "fp8-cache/", 1, weights)
    margin = (visible - peak).named("rent-6000ada/memory.limit.margin", "useful margin")
    memory = {
        "rent-6000ada": [
            finding(
                "memory",
                "memory",
                "rent-6000ada",
                ADMISSIBLE,
                "confirmed",
                "a covering run of the whole loop stayed below what this machine shows",
                peak,
                visible,
                case=name,
                device="cuda:0",
                margin=margin,
                pieces=("run-6000ada",),
            )
            for name in ("usual", "limit")
        ],
        "rent-4090": [
            finding(
                "memory",
                "memory",
                "rent-4090",
                TO_CONFIRM,
                "conflict",
                "the file and the typed scope name two cards",
                small,
                cards["4090"].figures["nominal_binary"],
                case="usual",
                device="cuda:0",
                conditions=(VISIBLE, CONFLICT),
                pieces=("run-4090",),
            ),
            finding(
                "memory",
                "memory",
                "rent-4090",
                TO_CONFIRM,
                "no_covering_piece",
                "no run covers this case on this machine",
                envelope,
                cards["4090"].figures["nominal_binary"],
                case="limit",
                device="cuda:0",
                conditions=(RUN_LIMIT, VISIBLE),
                pieces=("run-4090",),
            ),
        ],
        "fp8-cache": [
            finding(
                "memory",
                "memory",
                "fp8-cache",
                TO_CONFIRM,
                "no_covering_piece",
                "no run covers this case on this machine",
                fp8[4],
                cards["4090"].figures["nominal_binary"],
                case=name,
                device="cuda:0",
                conditions=(RUN_LIMIT, VISIBLE),
            )
            for name in ("usual", "limit")
        ],
        "old-3090": [
            finding(
                "memory",
                "memory",
                "old-3090",
                ADMISSIBLE if name == "usual" else EXCLUDE,
                "confirmed" if name == "usual" else "proven_failure",
                "the usual case ran"
                if name == "usual"
                else "the limit case failed for want of device memory: 0.50 GiB free, 2.00 asked",
                floor,
                shown_3090,
                case=name,
                device="cuda:0",
                pieces=("oom-3090",),
                attested_by=("A. Martin",),
            )
            for name in ("usual", "limit")
        ],
    }
    rest = {
        "rent-6000ada": others("rent-6000ada", (offers["6000"], cards["6000"]), 300),
        "rent-4090": others("rent-4090", (offers["4090"], cards["4090"]), 450),
        "fp8-cache": others("fp8-cache", (offers["4090"], cards["4090"]), 450, TO_CONFIRM),
        "old-3090": others("old-3090", (None, cards["3090"]), 350),
    }
    judged = {who: [*memory[who], *rest[who]] for who in memory}
    outcomes = tuple(outcome(c, judged[c.id]) for c in people)
    loads = (case_load(load, weights, cache), case_load(load, weights, fp8[2], "fp8-cache"))
    asked = {item.node.id: item.node for item in loads[0].items}
    sums = {each.total.id: each.total for one in loads for each in one.phases}
    figures = {
        f.id: f
        for f in (*load.figures.values(), weights, tokens, cache, floor, envelope, *fp8, peak)
    }
    figures |= {**asked, **sums}
    made = Decision(
        fiche=fiche(load, people),
        figures=figures,
        findings=tuple(f for c in people for f in judged[c.id]),
        outcomes=outcomes,
        second_readings=(
            SecondReading(
                finding=judged["rent-4090"][1],
                would_be=ADMISSIBLE,
                if_held=(
                    "the conservative envelope is not exceeded",
                    "reserve.cuda_context = 536870912 B, assumed by A. Martin: "
                    "seen on the current workstation",
                ),
            ),
        ),
        workload_conditions=(),
        conditional_choice=True,
        tool_version="0.1.0",
        loads=loads,
    )
    return replace(made, choosing=choosing(Judged(decision=made, again=lambda _: made)))


def outcome(who, findings):
    musts = [f for f in findings if f.level == "must"]
    worst = max(f.verdict for f in musts)
    conditions = tuple(dict.fromkeys(c for f in musts for c in f.conditions))
    cost = who.offer.figures["price"] if who.offer else None
    margins = [f.margin for f in musts if f.kind == "memory" and f.margin is not None]
    retained = worst is ADMISSIBLE
    return Outcome(
        candidate=who,
        status=("retained", "to_confirm", "excluded")[worst],
        verdict=worst,
        findings=tuple(findings),
        conditions=conditions,
        cost=cost,
        useful_margin=margins[-1] if margins else None,
        schedule=fact("2026-12-02", 10) if retained else None,
        rank=1 if retained else None,
    )


def fiche(load, people, **changed):
    pieces = (run_6000ada(), run_4090(), oom_3090(), quote_17(), eval_1())
    policy = Policy(
        name="neutral",
        version="1",
        sha256=hashlib.sha256(b"neutral").hexdigest(),
        strict={"memory": ("model.revision|model.digest", "formats.storage", "gpu")},
        noted={"memory": ("driver", "torch")},
        typed_scope="counts",
        tie_tolerance=stated(Fraction("0.02"), ONE, "policy.tie_tolerance", 3),
    )
    inputs = (
        Input(
            file=FILE,
            role="fiche",
            num_bytes=len(CONTENTS[FILE]),
            sha256=digest(FILE),
            media_type="application/yaml",
        ),
    )
    whole = Fiche(
        title="Chat assistant for the documentation team",
        date="2026-11-29",
        author="A. Martin",
        file=FILE,
        workload=load,
        requirements=requirements(),
        candidates=people,
        pieces=pieces,
        policy=policy,
        inputs=inputs,
        invalidated_by=(
            fact("a window longer than 8192 tokens", 52),
            fact("another evaluation than internal-qa-200", 53),
        ),
        choice=Choice(
            chosen="rent-4090",
            by="A. Martin",
            role="engineer",
            because="the cheaper card, if the limit case holds on it",
        ),
        illustrative="The measurements of this fiche are made up, to show the form of a report.",
    )
    return replace(whole, **changed)


# --- Variants ----------------------------------------------------------------------------------


def bare():
    """Title, date, an identity-less workload and two offers: the example of the guide (D9)."""
    topics = ("context", "concurrency", "memory_available", "compatibility", "quality")
    asked = tuple(
        Condition(
            topic=topic,
            text=f"provide the {topic.replace('_', ' ')}",
            supplier="author of the fiche",
            piece_kind="fiche",
        )
        for topic in topics
    )
    load = Workload(facts={}, figures={}, cases=())
    envelope = total([stated(14 * 10**9, BYTE, "weights", 4), *_six_gib()], BYTE).named(
        "envelope", "conservative envelope"
    )
    cards = (
        card("nvidia-rtx-4090-24g", "GeForce RTX 4090", 24, 450),
        card("nvidia-rtx-6000-ada-48g", "RTX 6000 Ada Generation", 48, 300),
    )
    people = tuple(
        candidate(f"rent-{n}", gpu, load, 20 + n, offer(f"offer-0{n}", price, gpu.id, n))
        for n, (gpu, price) in enumerate(zip(cards, ("47.14", "55.71"), strict=True), 1)
    )
    found = {
        c.id: [
            finding(
                "memory",
                "memory",
                c.id,
                TO_CONFIRM,
                "no_piece",
                "no piece covers the question",
                envelope,
                c.card.figures["nominal_binary"],
                conditions=asked[:3],
            ),
            finding(
                "quality",
                "quality",
                c.id,
                TO_CONFIRM,
                "no_requirement",
                "the fiche names no quality criterion",
                None,
                None,
                conditions=asked[3:],
            ),
        ]
        for c in people
    }
    outcomes = tuple(outcome(c, found[c.id]) for c in people)
    whole = fiche(
        load,
        people,
        title="A 7B model in 16 bits",
        pieces=(),
        requirements=(),
        choice=None,
        illustrative="",
        invalidated_by=(),
    )
    naming = Condition(
        topic="identity", text="name model and revision", supplier="author of the fiche"
    )
    return Decision(
        fiche=whole,
        figures={"envelope": envelope},
        findings=tuple(f for c in people for f in found[c.id]),
        outcomes=outcomes,
        second_readings=(),
        workload_conditions=(naming,),
        conditional_choice=False,
        tool_version="0.1.0",
    )


def _six_gib():
    origin = Assumed(by="A. Martin", because="a first guess", span=span(6))
    return (Figure(low=6 * GIB, high=6 * GIB, unit=BYTE, origin=origin, id="reserve.guess"),)


def nothing_known():
    """An unknown need, an open need and a failure to know the capacity: nothing may turn to zero."""
    decision = bare()
    missing = Unknown(
        condition=Condition(topic="context", text="state the context to hold"),
        unit=BYTE,
        id="limit.kv_cache",
        label="KV cache",
    )
    envelope = total([stated(14 * 10**9, BYTE, "weights", 4), missing], BYTE).named(
        "envelope", "conservative envelope"
    )
    return _with_need(decision, envelope)


def _with_need(decision, need):
    def renewed(found):
        return replace(found, need=need) if found.kind == "memory" else found

    findings = tuple(renewed(f) for f in decision.findings)
    outcomes = tuple(
        replace(o, findings=tuple(renewed(f) for f in o.findings)) for o in decision.outcomes
    )
    return replace(decision, findings=findings, outcomes=outcomes, figures={need.id: need})


def crowded():
    """Two devices, eight long-named candidates, a dozen conditions each."""
    decision = rich()
    first = decision.outcomes[1]
    many = tuple(
        Condition(
            topic=f"document_{n}",
            text=f"provide document number {n}, signed, in a language the committee reads",
            threshold="before the order",
            supplier="seller",
            piece_kind="document",
        )
        for n in range(12)
    )
    outcomes = tuple(_long(first, n, many) for n in range(8))
    return replace(
        decision,
        outcomes=outcomes,
        findings=tuple(f for o in outcomes for f in o.findings),
        fiche=replace(decision.fiche, candidates=tuple(o.candidate for o in outcomes)),
        second_readings=(),
        conditional_choice=False,
    )


def _long(first, n, many):
    id = f"rent-a-very-long-candidate-name-without-any-blank-in-it-{n:02}"
    found = tuple(
        replace(f, candidate=id, device=device, conditions=(*f.conditions, *many))
        for f in first.findings
        for device in (("cuda:0", "cuda:1") if f.kind == "memory" else ("",))
    )
    who = replace(first.candidate, id=id)
    return replace(first, candidate=who, findings=found, conditions=(*first.conditions, *many))


ATTACK = "<img src=x onerror=alert(1)>\"'</script></table>&\x1b[31m\u202edrow\u200b{{7*7}}\x00"


def hostile(attack=ATTACK):
    """`rich`, with an attack appended to every text that a fiche or a piece can bring."""
    return _poisoned(rich(), {}, attack)


_CLOSED = {
    "status", "kind", "level", "kind_of_origin", "scope", "stat", "rounding", "outcome",
    "operation", "sha256", "date", "role", "media_type", "language", "powers", "word", "tool_version",
    "typed_scope", "message_kind", "memory", "id", "requirement", "candidate", "pieces", "case",
    "when", "confidentiality",
}  # fmt: skip


def _poisoned(value, seen, attack):
    if id(value) in seen:
        return seen[id(value)][0]
    if isinstance(value, str):
        return value + attack
    if isinstance(value, tuple):
        done = tuple(_poisoned(part, seen, attack) for part in value)
    elif isinstance(value, dict):
        done = {key: _poisoned(part, seen, attack) for key, part in value.items()}
    elif field_names(value) and not isinstance(value, Unit):
        done = _poisoned_fields(value, seen, attack)
    else:
        return value
    seen[id(value)] = (done, value)
    return done


def _words(part):
    return isinstance(part, str) or (
        isinstance(part, tuple) and all(isinstance(word, str) for word in part)
    )


def _poisoned_fields(value, seen, attack):
    told = {name: getattr(value, name) for name in field_names(value)}
    return type(value)(
        **{
            name: part if name in _CLOSED and _words(part) else _poisoned(part, seen, attack)
            for name, part in told.items()
        }
    )
