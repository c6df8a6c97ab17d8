"""What a piece says of its scope beside what the fiche asks: what agrees, what differs, what is more.

And what it does not cover: cases that none of its runs reached, facts that it has otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.fact import TENSORS, Fact
from fiche.kernel.piece import Piece, Run
from fiche.kernel.record import record
from fiche.kernel.workload import Case, Workload

# What tells one piece from another, whatever the fiche asks.
OWN = ("gpu", "machine", "case", "offer")
# Requests that merely wait are not resident (A4): a run need not have had as many.
_WAITING = "concurrent_requests"


@record
class Told:
    """Facts of one warrant: `by` is empty where the file prints them. `more` counts those not named here."""

    by: str
    agreed: tuple[str, ...]
    shown: tuple[str, ...]
    more: int


@record
class Uncovered:
    """A case that no run of a piece reached (`told` and `asked` empty), or a fact that it has otherwise."""

    case: str = ""
    fact: str = ""
    asked: str = ""
    told: str = ""


def printed_facts(piece: Piece) -> dict[str, Fact]:
    """What its file prints of its scope, shapes of tensors apart."""
    runs = {
        path: fact
        for run in piece.reading.runs
        for path, fact in run.facts.items()
        if not path.startswith(TENSORS)
    }
    return {**runs, **piece.reading.facts}


def typed_facts(piece: Piece) -> dict[str, dict[str, Fact]]:
    """What people typed of its scope, by person."""
    found: dict[str, dict[str, Fact]] = {}
    for path, fact in piece.typed.items():
        found.setdefault(fact.by, {})[path] = fact
    return found


def alike(asked: Fact, told: Fact) -> bool:
    """True where both say one word, in whatever case."""
    return asked.value.casefold() == told.value.casefold()


def sorted_out(facts: Mapping[str, Fact], asked: Mapping[str, Fact], by: str = "") -> Told:
    """Facts of one warrant against what the fiche asks."""
    agreed = tuple(k for k, f in facts.items() if k in asked and alike(asked[k], f))
    shown = tuple(k for k in facts if k in OWN or (k in asked and k not in agreed))
    more = len(facts) - len(agreed) - len(shown)
    return Told(by=by, agreed=agreed, shown=shown, more=max(more, 0))


def told_scope(piece: Piece, load: Workload) -> tuple[Told, ...]:
    """What the file prints, then what each person typed; nothing where nobody says anything."""
    printed = printed_facts(piece)
    told = [sorted_out(printed, load.facts)] if printed else []
    told += [sorted_out(facts, load.facts, by) for by, facts in typed_facts(piece).items()]
    return tuple(told)


def not_covered(piece: Piece, load: Workload) -> Iterator[Uncovered]:
    """Cases that no successful run of the piece reached, then facts that it has otherwise."""
    ran = [run for run in piece.reading.runs if run.outcome == "success"]
    if ran:
        for case in load.cases:
            if not any(_reaches(piece, run, case) for run in ran):
                yield Uncovered(case=case.id)
    facts = {**printed_facts(piece), **piece.typed}
    for path, asked in load.facts.items():
        told = facts.get(path)
        if told is not None and not alike(asked, told):
            yield Uncovered(fact=path, asked=asked.value, told=told.value)


def _reaches(piece: Piece, run: Run, case: Case) -> bool:
    executed = {**piece.typed_dimensions, **run.executed}
    return all(
        name in executed and asked.high is not None and executed[name].low >= asked.high
        for name, asked in case.dimensions.items()
        if name != _WAITING
    )
