"""Fiches as hypothesis draws them: small stories whose pieces confirm, contradict or miss the point.

Sizes are drawn near each other (peaks and totals around 21 to 25 GB), so that every row of the rule
is met; names are few, so that pieces often speak of the candidate and often of something else.
"""

from fractions import Fraction

from evaluate.build import (
    GIB,
    GPU,
    MACHINE,
    NEUTRAL,
    STRICT,
    assumed,
    attest,
    budget,
    bytes_of,
    candidate,
    capacity,
    capacity_words,
    case,
    declared,
    document,
    failing,
    failure,
    fiche,
    memory,
    money,
    observed,
    offer,
    oom_log,
    outside,
    piece,
    pinned,
    policy,
    quality,
    ratio,
    requirement,
    reserved,
    result,
    run,
    stated,
    total,
    typed,
    used,
    workload,
)
from evaluate.generated_machine import asked, described, prints, sheets
from evaluate.generated_offered import benches, grants, passes, wanted
from hypothesis import strategies as st

from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, BYTE_PER_SECOND, WATT

OTHER_GPU = "nvidia-l4-24g"
PRICES = ("47.14 USD", "55.71 USD", "47.14 EUR", "70 USD")
DATES = st.sampled_from(["2026-11-28", "2026-11-29", "2026-12-31"])
MAYBE = st.booleans()
USUAL = case("usual", prompt_tokens=1200, new_tokens=300, resident_sequences=4)


def mostly(draw, usual, *others):
    """The usual thing most of the time, so that a story of many parts still holds together."""
    return draw(st.sampled_from(others)) if draw(st.integers(0, 7)) == 7 else usual


def person(draw):
    return mostly(draw, "A. Martin", "C. Ito", "")


@st.composite
def workloads(draw):
    guess = assumed(2 * GIB, id="reserve.workspace")
    load = workload(
        mostly(draw, [case()], [], [USUAL, case()]),
        reserve=mostly(draw, (), (guess,)),
        margin=mostly(draw, (), (replace(bytes_of("1 GiB"), id="margin.window"),)),
        duration=mostly(draw, "40 h", "73 h", None),
        placement__devices=mostly(draw, 1, 2, None),
        placement__split="tensor_parallel",
        placement__resident=mostly(draw, "all", None),
        model__revision=mostly(draw, "0e9e39f2", None) if draw(MAYBE) else "0e9e39f2",
        model__parameters=mostly(draw, 8_030_261_248, 13_000_000_000),
    )
    return pinned(load) if draw(MAYBE) else load


def _totals(draw):
    devices = mostly(draw, [0, 1], [], [0])
    others = mostly(draw, None, 0, 2 * 10**9)
    room = mostly(draw, "24081 MiB", "22693 MiB", "24217 MiB", "23.52 GiB")
    counter = mostly(draw, "torch_total_memory", "oom_total_capacity", "nvidia_smi_total")
    return [total(room, counter=counter, device=device, others=others) for device in devices]


def _machine(draw):
    return mostly(draw, MACHINE, "node-8", None)


@st.composite
def records(draw, id, load):
    """A record of a run: a success with some counters, or a failure with some causes."""
    cases = [*load.cases, case()]
    shared = {
        "load": load,
        "of": mostly(draw, cases[-1], cases[0]),
        "gpu": mostly(draw, GPU, OTHER_GPU),
        "piece": id,
        "facts": mostly(
            draw, {}, {"engine.version": "0.27.1"}, {"attention": None}, {"driver": "610"}
        ),
        "executed": mostly(
            draw, {}, {"prompt_tokens": 8000}, {"prompt_tokens": 4000}, {"new_tokens": None}
        ),
        "first_pass": draw(st.integers(0, 3)) < 3,  # most loops begin in a fresh process
    }
    ran = (
        failing(_failure(draw), **shared)
        if draw(st.integers(0, 3)) == 3
        else _success(draw, shared)
    )
    scope = mostly(
        draw,
        {},
        {"case": "limit", "gpu": GPU},
        {"engine__version": "0.27.1"},
        {"driver": "580"},
        {"executed": {"prompt_tokens": 7900}},
    )
    told = {"machine": _machine(draw), "totals": _totals(draw), "by": person(draw)}
    return piece(id, runs=[ran], **told, **scope)


def _success(draw, shared):
    devices = mostly(draw, [0, 1], [0])
    size = mostly(draw, 21, 18, 20, 23, 25) * 10**9
    counters = mostly(draw, "used", "both", "reserved")
    seen = [used(size, device=d) for d in devices if counters == "used"]
    seen += [reserved(size, device=d) for d in devices if counters != "used"]
    seen += [outside(GIB // 2, device=d) for d in devices if counters == "both"]
    return run(*seen, whole_loop=mostly(draw, True, False), **shared)


def _failure(draw):
    changes = mostly(
        draw,
        {},
        {"others": (4711,)},
        {"memory": "host"},
        {"device_index": 1},
        {"device_index": None},
        {"quantities": {"free": "3.00 GiB"}},
        {"quantities": {"total_capacity": "22.16 GiB"}},
    )
    return failure(**changes)


@st.composite
def logs(draw, id, load):
    """A bare log of a failure with a typed scope."""
    scope = mostly(
        draw,
        {"case": "limit", "gpu": GPU},
        {"case": "limit", "gpu": OTHER_GPU},
        {"gpu": GPU},
        {"case": "usual", "gpu": GPU, "placement__devices": "1"},
    )
    return oom_log(id, _failure(draw), by=person(draw), **scope)


@st.composite
def papers(draw, id, load):
    """A document with one or two attested facts, about this offer, another, a card, or nothing."""
    quoted, by = mostly(draw, True, False), person(draw)
    facts = draw(st.lists(st.sampled_from(sorted(TERMS)), min_size=1, max_size=2))
    told = [attest(fact, id=id, quoted=quoted, by=by, **TERMS[fact](draw)) for fact in facts]
    made = document(id, *told, by=by, **_about(draw, facts))
    machine = mostly(draw, None, MACHINE)
    scope = {} if machine is None else {"machine": typed(machine, by)}
    return replace(made, typed={**made.typed, **scope})


def _about(draw, facts):
    of_a_card = {"software", "precision", "power"} & set(facts)
    usual = {"gpu": GPU} if of_a_card else {"offer": "offer-01"}
    return mostly(draw, usual, {"offer": "offer-02"}, {"gpu": GPU}, {"offer": "offer-01"}, {})


def _capacity(draw):
    value = mostly(draw, 24, 21, 25, 30) * 10**9
    words = capacity_words(value, mostly(draw, "provider_declared", "torch_total_memory"))
    return {"counter": words.words["counter"].value, "value": words.terms["value"]}


TERMS = {
    "price": lambda draw: {"amount": money(mostly(draw, *PRICES), declared)},
    "tax": lambda draw: {
        "basis": mostly(draw, "excluded", "included"),
        **mostly(draw, {}, {"rate": ratio("20 %")}),
    },
    "validity": lambda draw: {"until": draw(DATES)},
    "extension": lambda draw: {"terms": mostly(draw, "lots", "hours")},
    "delivery": lambda draw: {"earliest": draw(DATES)},
    "other_users": lambda draw: {"value": mostly(draw, "none", "some")},
    "host_memory": lambda draw: {"value": declared(mostly(draw, 21, 18) * GIB, BYTE)},
    "power": lambda draw: {
        "value": declared(mostly(draw, 21, 25), WATT),
        **mostly(draw, {}, {"term": "TDP"}),
    },
    "interconnect": lambda draw: {
        "link": mostly(draw, "NVLink", "PCIe"),
        "value": declared(mostly(draw, 21, 18), BYTE_PER_SECOND),
    },
    "document": lambda draw: {"title": mostly(draw, "Warranty", "Support")},
    "software": lambda draw: {
        **mostly(draw, *VERSIONS),
        "answer": mostly(draw, "refused", "supported"),
    },
    "precision": lambda draw: {
        "format": "bf16",
        "component": "vllm",
        "version": mostly(draw, "0.28.0", "0.27.1"),
        "answer": mostly(draw, "refused", "supported"),
    },
    "capacity": _capacity,
}
VERSIONS = (
    {"component": "vllm", "version": "0.28.0"},
    {"component": "vllm", "version": "0.27.1"},
    {"component": "driver", "version": "610"},
    {"component": "driver", "version": "540"},
    {"component": "driver", "version": "current"},
)


@st.composite
def results(draw, id, load):
    """An evaluation, now and then in another cache format or with a wide rounding."""
    changed = mostly(draw, {}, {"formats__cache": "fp8_e4m3"})
    value = mostly(draw, "0.655", "0.6", "0.62")
    made = result(value, id=id, load=load, by=person(draw), **changed)
    if draw(st.integers(0, 4)) < 4:
        return made
    (item,) = made.attested
    near = replace(item.terms["value"], low=0, high=1, origin=observed(0).origin)
    return replace(made, attested=(replace(item, terms={"value": near}),))


@st.composite
def quotes(draw, id, load):
    """The quote of the first offer, with or without its validity."""
    priced = attest("price", id=id, amount=money(mostly(draw, *PRICES), declared))
    more = mostly(draw, (), (attest("validity", id=id, until=draw(DATES)),))
    return document(id, priced, *more, offer=mostly(draw, "offer-01", "offer-02"))


KINDS = (records, results, quotes, papers, logs, prints, sheets, benches, passes, grants)


@st.composite
def piece_lists(draw, load, most=3):
    """A record, a result and a quote, most of the time; then a few of any kind."""
    chosen = [kind for kind in (records, results, quotes) if mostly(draw, True, False)]
    chosen += draw(st.lists(st.sampled_from(KINDS), max_size=most))
    return [draw(kind(f"p{place}", load)) for place, kind in enumerate(chosen)]


SPREAD = replace(NEUTRAL, machine_spread=replace(bytes_of("1 GiB"), id="policy.machine_spread"))
GUARDED = replace(
    NEUTRAL,
    guard_bands={
        "memory": replace(bytes_of("2 GiB"), id="policy.guard_band.memory"),
        "quality": stated(Fraction(1, 20), id="policy.guard_band.quality"),
    },
)
OFFERS = (
    {},
    {"tax": None},
    {"tax": "included", "tax_rate": "20 %"},
    {"valid_until": None},
    {"extension": None},
    {"covers": None, "cards_per_lot": 2},
    {"cards_per_lot": None},
    {"kind": "buy", "per": None},
    {"per": None},
    {"setup": "5 USD", "setup__per": "order"},
    {"quote": "p0"},
)


@st.composite
def candidates(draw, id, load):
    changed = replace(load, facts={**load.facts, "formats.cache": typed("fp8_e4m3", "")})
    devices = load.figures.get("placement.devices")
    cards = 1 if devices is None else devices.low
    sold = offer(mostly(draw, *PRICES), id=mostly(draw, "offer-01", "offer-02"), **draw_terms(draw))
    gpu = mostly(draw, GPU, OTHER_GPU)
    return candidate(
        id,
        gpu,
        card=described(draw, gpu),
        cards=mostly(draw, cards, 1, 2),
        load=mostly(draw, load, changed),
        machine=mostly(draw, MACHINE, "node-8", ""),
        other_users=mostly(draw, "none", "some", None),
        offer=mostly(draw, sold, None),
    )


def draw_terms(draw):
    return mostly(draw, *OFFERS)


@st.composite
def requirements(draw, id, level=None):
    shared = {"level": level or mostly(draw, "must", "want"), "id": id}
    make = [
        lambda: memory(**shared),
        lambda: memory(cases=["limit"], **shared),
        lambda: capacity(mostly(draw, 23, 21, 25, 26) * 10**9, **shared),
        lambda: quality(**shared),
        lambda: budget("60 USD", mostly(draw, "excluded", "included", None), **shared),
        lambda: requirement("software", **shared),
        lambda: requirement("software", component="driver", at_least="550", **shared),
        lambda: requirement("precision", format="bf16", **shared),
        lambda: requirement("delivery", by="2026-11-30", **shared),
        lambda: requirement("power", at_most=stated(21, WATT), **shared),
        lambda: requirement("host_memory", at_least=bytes_of("21 GiB"), **shared),
        lambda: requirement("interconnect", link="NVLink", **shared),
        lambda: requirement(
            "interconnect", link="NVLink", at_least=stated(21, BYTE_PER_SECOND), **shared
        ),
        lambda: requirement("document", document="Warranty", **shared),
        *[lambda: asked(draw, shared)] * 7,
        *[lambda: wanted(draw, shared)] * 4,
    ]
    return draw(st.sampled_from(make))()


@st.composite
def requirement_lists(draw, most=2):
    """Quality and a budget, most of the time; then a few of any kind. Memory is implied."""
    asked = [quality(level=mostly(draw, "must", "want"))] if mostly(draw, True, False) else []
    asked += [budget("60 USD")] if mostly(draw, True, False) else []
    return asked + [draw(requirements(f"r{place}")) for place in range(draw(st.integers(0, most)))]


@st.composite
def fiches(draw, most_candidates=2):
    load = draw(workloads())
    many = draw(st.integers(1, most_candidates))
    return fiche(
        [draw(candidates(f"c{place}", load)) for place in range(many)],
        draw(piece_lists(load)),
        draw(requirement_lists()),
        load=load,
        policy=mostly(draw, NEUTRAL, STRICT, policy(tolerance="20 %"), SPREAD, SPREAD, GUARDED),
    )
