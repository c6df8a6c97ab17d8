"""Benchmarks and documents of sellers as hypothesis draws them, for the laws of judgement.

Figures lie near the limits that `wanted` states, so that both sides and the middle of every criterion are met.
"""

from fractions import Fraction

from evaluate.build import (
    AUTHOR,
    GPU,
    attest,
    bench,
    declared,
    document,
    hours,
    latency,
    money,
    requirement,
    run,
    stated,
    taken,
    throughput,
    typed,
)
from evaluate.build import piece as cited
from hypothesis import strategies as st

from fiche.kernel.rates import MONTH
from fiche.kernel.record import replace
from fiche.kernel.unit import HOUR, count_of

DRIVER = "NVIDIA GeForce driver"


def mostly(draw, usual, *others):
    """The usual thing most of the time, so that a story of many parts still holds together."""
    return draw(st.sampled_from(others)) if draw(st.integers(0, 7)) == 7 else usual


def any_of(draw, *values):
    """Each as often as the others: both sides of a limit, so that each verdict is met."""
    return draw(st.sampled_from(values))


@st.composite
def benches(draw, id, load):
    """A serving benchmark: rates and times near the limits, now and then of another load or card."""
    cases = load.cases or None
    label = mostly(draw, "request rate inf, concurrency 4", "request rate inf, concurrency 8", "")
    half = mostly(draw, 0, Fraction(1, 20))
    stat = draw(st.sampled_from(["median", "p95", "p99", "mean"]))
    rate = draw(st.sampled_from(["300", "310", "299"]))
    time = draw(st.sampled_from(["0.8", "0.7", "0.81"]))
    figures = [
        taken("output_throughput", rate, "tokens/s", label=label, half=half),
        taken("ttft", time, "s", stat, label=label, half=Fraction(half, 1000)),
    ]
    return bench(
        *figures,
        id=id,
        load=load,
        of=cases[-1] if cases else None,
        gpu=mostly(draw, GPU, "nvidia-l4-24g"),
        sizes=mostly(draw, {}, {"prompt_tokens": 8000}, {"new_tokens": None}),
        facts=mostly(draw, {}, {"engine.version": "0.27.1"}),
        warnings=mostly(draw, (), ("requests_failed: 1 of 10 requests failed",)),
        by=mostly(draw, AUTHOR, "C. Ito", ""),
    )


@st.composite
def passes(draw, id, load):
    """A record of the whole loop with how long it took: ten hours of 3000 passes, more or less."""
    if not load.cases:
        return cited(id)
    told = run(
        load=load,
        of=load.cases[-1],
        piece=id,
        duration_ns=draw(st.sampled_from([12, 11, 13])) * 10**9,
        pointer=taken("x", 0).pointer,
        executed=mostly(draw, {}, {"prompt_tokens": 1}),
    )
    return cited(id, runs=[told])


GRANTS = {
    "warranty": lambda draw: {
        "value": declared(any_of(draw, 36, 35, 60), MONTH),
        **any_of(draw, {"service": "on-site"}, {}, {"service": "return to base"}),
    },
    "support": lambda draw: {
        "response": declared(any_of(draw, 4, 5), HOUR),
        **any_of(draw, {"name": "Gold"}, {}, {"name": "Basic"}),
    },
    "location": lambda draw: {"country": any_of(draw, "France", "Norway")},
    "licence": lambda draw: {
        "of": DRIVER,
        "use": any_of(draw, "datacentre", "commercial"),
        "answer": any_of(draw, "permitted", "forbidden"),
    },
    "budget": lambda draw: {
        "name": "CAP-7",
        "amount": money(draw(st.sampled_from(["60 USD", "50 USD", "40 USD"])), declared),
    },
    "seller": lambda draw: {"name": any_of(draw, "Fjord", "Alp")},
}


@st.composite
def grants(draw, id, load):
    """A seller's paper with a price, so that it may be one of the quotes too."""
    quoted, by = mostly(draw, True, False), mostly(draw, AUTHOR, "C. Ito", "")
    names = draw(st.lists(st.sampled_from(sorted(GRANTS)), min_size=1, max_size=3, unique=True))
    told = [attest(name, id=id, quoted=quoted, by=by, **GRANTS[name](draw)) for name in names]
    priced = draw(st.booleans())
    if priced:
        told.append(attest("price", id=id, amount=money("47.14 USD", declared)))
        told.append(attest("validity", id=id, until=mostly(draw, "2026-12-31", "2026-11-28")))
    about = mostly(draw, {"offer": "offer-01"}, {"offer": "offer-02"}, {})
    return document(id, *told, kind="quote" if priced else "document", by=by, **about)


def wanted(draw, shared):
    """A requirement of performance, commerce or documents."""
    make = (
        lambda: throughput("300", **shared),
        lambda: throughput("300", concurrency=stated(4, count_of("requests")), **shared),
        lambda: latency("0.8", percentile=mostly(draw, "p95", "p99", "p50", "mean"), **shared),
        lambda: requirement(
            "duration", at_most=hours("10 h"), passes=stated(3000, count_of("passes")), **shared
        ),
        lambda: requirement("warranty", at_least=stated(36, MONTH), **shared),
        lambda: requirement("warranty", at_least=stated(36, MONTH), service="on-site", **shared),
        lambda: requirement("support", at_most=hours("4 h"), **shared),
        lambda: requirement("support", support="Gold", **shared),
        lambda: _located(shared),
        lambda: requirement("licence", use="datacentre", of=DRIVER, **shared),
        lambda: requirement("quotes", at_least=stated(2, count_of("quotes")), **shared),
        lambda: requirement("budget_line", line="CAP-7", tax="excluded", **shared),
        lambda: _recovered(draw, shared),
    )
    return draw(st.sampled_from(make))()


def _located(shared):
    made = requirement("location", **shared)
    return replace(made, choices={"one_of": (typed("France", ""),)})


def _recovered(draw, shared):
    base = mostly(draw, {"baseline.piece": "p1"}, {"baseline.candidate": "c0"})
    made = requirement(
        "quality", metric="exact_match", dataset="internal-qa-200", direction="at_least",
        **base, **shared,
    )  # fmt: skip
    return replace(made, figures={"tolerance.relative": stated(Fraction(1, 20))})
