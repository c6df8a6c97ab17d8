"""Latency: a percentile of a named time, at a stated concurrency or request rate (D8).

Terms: `ttft` until the first token, `itl` between two tokens as they come, `tpot` a token without the first,
`e2e` the whole request. A mean is no percentile. Percentiles of one distribution are in order, so a p99 that
keeps the limit shows that the p95 does, and a p50 above it that the p99 is: nothing else crosses over.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fiche.criteria import _measured
from fiche.criteria._attested_number import Threshold, meets
from fiche.criteria._lost import lost
from fiche.criteria._measured import Asked, Reading
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.figure import Figure
from fiche.kernel.lazy import lazy
from fiche.kernel.origin import Stated
from fiche.kernel.piece import Result
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell
from fiche.kernel.unit import SECOND
from fiche.kernel.workload import Case

# What programs call each time. GenAI-Perf, AIPerf and GuideLLM divide what follows the first token by the
# tokens that follow it: that is vLLM's TPOT, whatever they call it; GuideLLM's time per output token has the
# first in it and is neither. Sources: the programs' own documentation of metrics, `vllm/benchmarks/serve.py`.
_TERMS = {
    "ttft": "ttft",
    "time_to_first_token": "ttft",
    "itl": "itl",
    "tpot": "tpot",
    "e2el": "e2e",
    "request_latency": "e2e",
    "inter_token_latency": "tpot",
}
_PERCENTILE = lazy(r"p([0-9]{1,2}(?:\.[0-9]{1,3})?)")
_WORDS = {"median": Fraction(50), "max": Fraction(100), "p100": Fraction(100)}


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison a case: the latencies in scope, under its load, against the most that is allowed."""
    return tuple(
        _of_case(requirement, candidate, case, ground)
        for case in _measured.cases_of(requirement, candidate)
    )


def _of_case(
    requirement: Requirement, candidate: Candidate, case: Case | None, ground: Inquiry
) -> Comparison:
    most = requirement.figures["at_most"]
    load = _measured.load_of(requirement, case)
    threshold = Threshold(figure=most, at_least=False)
    asked = Asked(
        criterion="latency",
        candidate=candidate,
        case=case,
        threshold=threshold,
        what=_said(requirement),
        said=tell("{said} <= {most}", said=_said(requirement), most=figure_text(most)),
        load=load,
        conditions=_measured.open_load(candidate, case, load),
    )
    return _measured.answered(asked, list(_readings(requirement, threshold, ground)), ground)


def _said(requirement: Requirement) -> str:
    names = {"ttft": "TTFT", "itl": "ITL", "tpot": "TPOT", "e2e": tell("end-to-end latency")}
    term = requirement.facts["metric"].value
    return tell(
        "{percentile} {names}",
        percentile=requirement.facts["percentile"].value,
        names=names.get(term, term),
    )


def _readings(requirement: Requirement, threshold: Threshold, ground: Inquiry) -> Iterator[Reading]:
    wanted = requirement.facts["percentile"].value
    for piece, name, result, figure in _measured.printed(ground):
        if figure.unit == SECOND and _term(result) == requirement.facts["metric"].value:
            doubts = tuple(lost(piece, result))
            one = Reading(
                piece=piece, figure=figure, text=result.text, result=result, doubts=doubts
            )
            yield from _as_asked(one, result.stat, wanted, threshold, name)
    for words, reading in _measured.attested("latency", ground):
        if words["metric"] == requirement.facts["metric"].value:
            name = reading.figure.id
            yield from _as_asked(reading, words["percentile"], wanted, threshold, name)


def _term(result: Result) -> str:
    return _TERMS.get(result.metric, "")


def _as_asked(
    one: Reading, stat: str, wanted: str, threshold: Threshold, name: str
) -> Iterator[Reading]:
    """The reading itself where its statistic is the one asked, else what the order of percentiles allows."""
    told = tell("{stat} {it}", stat=stat, it=one.text or figure_text(one.figure))
    if stat == wanted or (_rank(stat) is not None and _rank(stat) == _rank(wanted)):
        yield replace(one, text=told)
        return
    here, there = _rank(stat), _rank(wanted)
    if here is None or there is None:
        return  # a mean is no percentile, and a percentile no mean
    kept = meets(threshold, one.figure)
    if here > there and kept is True:
        bound = one.figure - _distance(wanted, stat, name)
        says = tell("{told}, so {wanted} is at most that", told=told, wanted=wanted)
    elif here < there and kept is False:
        bound = one.figure + _distance(stat, wanted, name)
        says = tell("{told}, so {wanted} is at least that", told=told, wanted=wanted)
    else:
        return
    yield replace(one, figure=bound.named(f"{name}.{wanted}", says), text=says, implied=True)


def _rank(stat: str) -> Fraction | None:
    """A percentile as a number: median is p50, the largest p100; None for a mean and what is none."""
    if stat in _WORDS:
        return _WORDS[stat]
    match = _PERCENTILE.fullmatch(stat)
    return Fraction(match[1]) if match else None


def _distance(below: str, above: str, name: str) -> Figure:
    """How far apart two percentiles of one distribution lie: nobody says, and it is not below zero."""
    because = tell(
        "{below} is at most {above}: percentiles of one distribution are in order",
        below=below,
        above=above,
    )
    return Figure(
        low=0,
        high=None,
        unit=SECOND,
        origin=Stated(span=None, because=because),
        id=f"{name}.{below}_to_{above}",
        label=tell("how far {above} lies above {below}, not told", above=above, below=below),
    )


MEMBER = Criterion(
    name="latency",
    title="Latency",
    compare=compare,
    expects=tell("result of a benchmark, or a document that reports one with its scope"),
    settles=tell(
        "the percentile asked, measured with this model, formats, engine and version, card and number of "
        "cards, at the stated concurrency or request rate; a higher percentile within the limit admits too, a "
        "lower one above it excludes too, a mean does neither"
    ),
    needs=(("at_most",), ("metric",), ("percentile",)),
)
