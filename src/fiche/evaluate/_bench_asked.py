"""One run of an engine's own serving benchmark, for all that it answers: rates and percentiles (D6, D8).

`vllm bench serve` and `sglang.bench_serving` print both in one file. Options as their documentation has them in
2025 and 2026; requests of equal lengths make the executed means what the case asks for.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.evaluate import _commands
from fiche.kernel.condition import Condition
from fiche.kernel.decision import Decision, Fiche, Outcome
from fiche.kernel.finding import Finding
from fiche.kernel.requirement import Requirement
from fiche.kernel.said import tell
from fiche.kernel.settling import MEASUREMENT, Step
from fiche.kernel.workload import Case

KINDS = frozenset({"throughput", "latency"})
# What a serving benchmark prints no figure of: the tokens of one phase alone.
_OF_ONE_PHASE = ("prefill", "decode")
# Fewer requests leave a high percentile to two or three of them.
_LEAST_REQUESTS, _ROUNDS = 200, 20
_SERVED = tell(
    "The benchmark talks to a server that runs beside it: start it as the candidate "
    "states, with this model, revision, formats and version on these cards. What the "
    "file does not print of that, somebody attests."
)


def bench_step(
    decision: Decision, outcome: Outcome, finding: Finding, condition: Condition
) -> Step | None:
    """The benchmark that answers a rate or a time; None where its command cannot be written in full."""
    who, fiche = outcome.candidate, decision.fiche
    asked = next((r for r in fiche.requirements if r.id == finding.requirement), None)
    case = next((c for c in who.workload.cases if c.id == finding.case), None)
    if asked is None or case is None or _told(asked, "of") in _OF_ONE_PHASE:
        return None
    piece = _commands.named("bench", case.id, who.id, *_traffic_name(asked))
    command = _command(fiche, outcome, asked, case, piece)
    if not command:
        return None
    return Step(
        id=f"measure:{piece.lower()}",
        kind=MEASUREMENT,
        text=tell(
            "run the serving benchmark of case '{case}' as {candidate}",
            case=case.id,
            candidate=who.id,
        ),
        supplier=condition.supplier,
        settles=(),
        commands=(command, _imported(fiche, outcome, piece)),
        is_ready=True,
        notes=(_SERVED,),
    )


def _command(fiche: Fiche, outcome: Outcome, asked: Requirement, case: Case, piece: str) -> str:
    facts = outcome.candidate.workload.facts
    engine, model = facts.get("engine.name"), facts.get("model.name")
    prompt, new = case.dimensions.get("prompt_tokens"), case.dimensions.get("new_tokens")
    traffic = _traffic(asked, case)
    if engine is None or model is None or prompt is None or new is None or not traffic:
        return ""
    shared = (
        *("--model", model.value, "--dataset-name", "random"),
        *("--random-input-len", str(int(prompt.low)), "--random-output-len", str(int(new.low))),
        *("--num-prompts", str(_requests(asked, case)), *traffic),
    )
    if engine.value == "vllm":
        return _commands.line("vllm", "bench", "serve", *shared, *_vllm(fiche, piece))
    if engine.value == "sglang":
        own = ("--backend", "sglang")
        file = f"{_commands.FOLDER}/{piece}.jsonl"
        equal = ("--random-range-ratio", "1", "--output-file", file)
        return _commands.line("python", "-m", "sglang.bench_serving", *own, *shared, *equal)
    return ""


def _vllm(fiche: Fiche, piece: str) -> tuple[str, ...]:
    return (
        *("--ignore-eos", "--percentile-metrics", "ttft,tpot,itl,e2el"),
        *("--metric-percentiles", ",".join(_percentiles(fiche.requirements))),
        *("--save-result", "--result-dir", _commands.FOLDER, "--result-filename", f"{piece}.json"),
    )


def _percentiles(requirements: Iterable[Requirement]) -> list[str]:
    """Every percentile that a latency of the fiche asks for, and the 99th: one file answers all."""
    told = {_told(one, "percentile").removeprefix("p") for one in requirements}
    return sorted({"99", *(each for each in told if each.isdigit())}, key=int)


def _traffic(asked: Requirement, case: Case) -> tuple[str, ...]:
    """The rate or the concurrency that is asked, else the case's own; nothing where nobody states one."""
    rate, many = asked.figures.get("request_rate"), _concurrency(asked, case)
    if rate is not None:
        return ("--request-rate", str(rate.low))
    return () if many is None else ("--max-concurrency", str(many))


def _concurrency(asked: Requirement, case: Case) -> int | None:
    own = case.dimensions
    told = (
        asked.figures.get("concurrency"),
        own.get("concurrent_requests"),
        own.get("resident_sequences"),
    )
    return next((int(figure.low) for figure in told if figure is not None), None)


def _requests(asked: Requirement, case: Case) -> int:
    return max(_LEAST_REQUESTS, _ROUNDS * (_concurrency(asked, case) or 1))


def _traffic_name(asked: Requirement) -> tuple[str, ...]:
    """What tells two benchmarks of one case apart: a requirement may ask for a load of its own."""
    told = [asked.figures.get(name) for name in ("request_rate", "concurrency")]
    return tuple(str(figure.low) for figure in told if figure is not None)


def _imported(fiche: Fiche, outcome: Outcome, piece: str) -> str:
    engine = outcome.candidate.workload.facts["engine.name"].value
    ending = "json" if engine == "vllm" else "jsonl"
    file = f"{_commands.FOLDER}/{piece}.{ending}"
    return _commands.line("fiche", "import", file, "--to", fiche.file)


def _told(asked: Requirement, key: str) -> str:
    return asked.facts[key].value if key in asked.facts else ""
