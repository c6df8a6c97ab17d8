"""How much one fiche asks: a bound on the work of judging it, so that no fiche runs for ever (law 7)."""

from __future__ import annotations

from fiche.kernel.requirement import Candidate, Requirement
from fiche.load.fault import Faults

# A hundred times what a committee reads; each answer takes a fraction of a millisecond, and looks at
# every piece.
MAX_ANSWERS = 100_000
MAX_LOOKS = 10_000_000
_ALWAYS = ("memory", "quality")
_BY_CASE = ("throughput", "latency")


def check_extent(
    candidates: tuple[Candidate, ...],
    requirements: tuple[Requirement, ...],
    num_pieces: int,
    faults: Faults,
) -> None:
    """Note the candidate with which the fiche asks for more answers than can be given soon (F326)."""
    most = min(MAX_ANSWERS, MAX_LOOKS // max(num_pieces, 1))
    asked = 0
    for candidate in candidates:
        asked += answers(candidate, requirements)
        if asked > most:
            message = f"with this candidate, more than {most} answers are asked for"
            if num_pieces * MAX_ANSWERS > MAX_LOOKS:
                message += f" of {num_pieces} pieces"
            hint = "ask for fewer cards, cases or requirements at once, or split the fiche"
            faults.add("F326", message, candidate.span, hint)
            return


def answers(candidate: Candidate, requirements: tuple[Requirement, ...]) -> int:
    """How many findings a candidate has: by kind one, one a card, one a case, or one a case and device."""
    kinds = {requirement.kind for requirement in requirements if requirement.level == "must"}
    implied = [_of(kind, (), candidate) for kind in _ALWAYS if kind not in kinds]
    return sum(implied) + sum(_of(one.kind, one.cases, candidate) for one in requirements)


def _of(kind: str, cases: tuple[str, ...], candidate: Candidate) -> int:
    if kind == "capacity":
        return int(candidate.cards.low)
    if kind in _BY_CASE:
        return max(1, len(cases) or len(candidate.workload.cases))
    if kind != "memory":
        return 1
    stated = candidate.workload.figures.get("placement.devices")
    devices = 1 if stated is None else int(stated.low)
    return devices * max(1, len(cases) or len(candidate.workload.cases))
