"""Throughput: how much work a second, measured with the very card, formats, engine and load (D8).

A rate says what it counts: generated tokens (`output`), prompt tokens (`prompt`), both (`total`), one phase
alone (`prefill`, `decode`), requests, samples, steps or images. One is never compared with another.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria import _measured
from fiche.criteria._attested_number import Threshold
from fiche.criteria._lost import lost
from fiche.criteria._measured import Asked, Reading
from fiche.criteria._traffic import CONCURRENCY, RATE
from fiche.criteria._words import figure_text
from fiche.kernel.comparison import Comparison, Inquiry
from fiche.kernel.doors import Criterion
from fiche.kernel.piece import Piece, Result
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.said import tell
from fiche.kernel.workload import Case

TOKENS = "tokens/s"
# What programs call a rate of tokens, and what it counts. Peaks of a second and rates per user are none.
_COUNTED = {
    "output_throughput": "output",
    "output_token_throughput": "output",
    "output_tokens_per_second": "output",
    "total_token_throughput": "total",
    "total_throughput": "total",
    "tokens_per_second": "total",
    "input_throughput": "prompt",
    "prompt_tokens_per_second": "prompt",
    "prefill_throughput": "prefill",
    "prompt_throughput": "prefill",
    "generation_throughput": "decode",
}
_RATES = frozenset({"request_throughput", "requests_per_second", "throughput"})
_STATS = ("", "mean", "total")
# Stages of optimum-benchmark whose tokens are those of one phase.
_STAGES = {"prefill": "prefill", "decode": "decode"}
# Where a rate counts these tokens, another number of them is another rate.
_SAME = {
    "output": ("new_tokens",),
    "prompt": ("prompt_tokens",),
    "total": ("prompt_tokens", "new_tokens"),
    "prefill": ("prompt_tokens",),
    "decode": (),
    "": (),
}
_ALWAYS_SAME = (CONCURRENCY, RATE, "batch", "microbatch", "accumulation")


def compare(
    requirement: Requirement, candidate: Candidate, ground: Inquiry
) -> tuple[Comparison, ...]:
    """One comparison a case: the rates in scope, with its load, against the least that is asked."""
    read = list(_readings(requirement, ground))
    cases = _measured.cases_of(requirement, candidate)
    return tuple(
        _measured.answered(_asked(requirement, candidate, case), read, ground) for case in cases
    )


def _asked(requirement: Requirement, candidate: Candidate, case: Case | None) -> Asked:
    least, of = requirement.figures["at_least"], _of(requirement)
    left_out = frozenset({"new_tokens"} if of == "prefill" else ())
    load = _measured.load_of(requirement, case, left_out)
    return Asked(
        criterion="throughput",
        candidate=candidate,
        case=case,
        threshold=Threshold(figure=least, at_least=True),
        what=_named(requirement),
        said=tell("{named} >= {least}", named=_named(requirement), least=figure_text(least)),
        load=load,
        equal=same_of(of),
        conditions=_measured.open_load(candidate, case, load),
    )


def same_of(of: str) -> frozenset[str]:
    """The dimensions of a load in which another value makes a rate that counts `of` another rate."""
    return frozenset((*_SAME.get(of, ()), *_ALWAYS_SAME))


def counted(result: Result) -> str:
    """What a rate counts, by its program's name for it; empty where it is no rate of tokens."""
    return _COUNTED.get(result.metric, "")


def _named(requirement: Requirement) -> str:
    if "metric" in requirement.facts:
        return requirement.facts["metric"].value
    of = _of(requirement)
    return tell("{of} throughput", of=of) if of else "throughput"


def _of(requirement: Requirement) -> str:
    """What the rate counts; of tokens those that are generated, where the fiche does not say."""
    told = requirement.facts.get("of")
    if told is not None:
        return told.value
    return "output" if str(requirement.figures["at_least"].unit) == TOKENS else ""


def _readings(requirement: Requirement, ground: Inquiry) -> Iterator[Reading]:
    unit = requirement.figures["at_least"].unit
    for piece, _, result, figure in _measured.printed(ground):
        if figure.unit == unit and _answers(requirement, piece, result):
            doubts = tuple(lost(piece, result))
            yield Reading(
                piece=piece, figure=figure, text=result.text, result=result, doubts=doubts
            )
    for words, reading in _measured.attested("throughput", ground):
        same = words.get("of", "output" if str(unit) == TOKENS else "") == _of(requirement)
        if reading.figure.unit == unit and same and "metric" not in requirement.facts:
            yield reading


def _answers(requirement: Requirement, piece: Piece, result: Result) -> bool:
    """By what the rate counts, else by the program's own name where the requirement gives one."""
    if result.stat not in _STATS:
        return False
    if "metric" in requirement.facts:
        return result.metric == requirement.facts["metric"].value
    of = _of(requirement)
    if result.metric == "throughput":  # optimum-benchmark: its stage says what was run
        return _STAGES.get(result.label, "") == of
    return result.metric in _RATES if not of else counted(result) == of


MEMBER = Criterion(
    name="throughput",
    title="Throughput",
    compare=compare,
    expects=tell("result of a benchmark, or a document that reports one with its scope"),
    settles=tell(
        "a rate measured with this model, formats, engine and version, card and number of cards, under the "
        "case's load and concurrency; at least as much admits, less excludes; no price, label or sheet counts"
    ),
    needs=(("at_least",),),
)
