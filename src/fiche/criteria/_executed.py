"""What a run executed against what a case asks: dimensions, phases, and on whose word (D6, A3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._scope import NOT_RESIDENT, Question, Scope, Tally
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece, Run
from fiche.kernel.workload import Case


def load_of(ask: Question, piece: Piece, run: Run, wrong: str, ground: Inquiry) -> Scope:
    """How the executed load stands to the case: dimension by dimension, and on whose word (D6).

    `wrong` is `smaller` for a success (it must have reached every dimension) and `larger` for a
    failure (it must not have gone beyond).
    """
    found = Tally()
    found.untold.extend(f"{topic}: the fiche does not say" for topic in ask.untold)
    case = _typed_case(piece, ground)
    for name, wanted in sorted(ask.dimensions.items()):
        ran = _executed(name, piece, run, case)
        if ran is None:
            found.untold.append(
                f"{name}: the piece does not say what was executed; the question is {wanted.low}"
            )
        elif _beyond(ran, wanted, wrong):
            found.differs.append(f"{name}: executed {ran.low}, the question is {wanted.low}")
        elif name not in run.executed:
            found.sign(f"executed {name}", _typist(name, piece), ground)
    if wrong == "larger":
        found.untold.extend(_more(ask, piece, run, case))
    return found.scope()


def _more(ask: Question, piece: Piece, run: Run, case: Case | None) -> Iterator[str]:
    """Dimensions of a failed run that the case does not state: it may be smaller in them."""
    for name, ran in sorted(_all_executed(piece, run, case).items()):
        if name not in ask.dimensions and name not in NOT_RESIDENT and ran.low > 1:
            yield f"{name}: executed {ran.low}, the fiche does not say"


def _beyond(ran: Figure, wanted: Figure, wrong: str) -> bool:
    return ran.low < wanted.low if wrong == "smaller" else ran.low > wanted.low


def _typed_case(piece: Piece, ground: Inquiry) -> Case | None:
    typed = piece.typed.get("case")
    return next((c for c in ground.base.cases if typed and c.id == typed.value), None)


def _executed(name: str, piece: Piece, run: Run, case: Case | None) -> Figure | None:
    return _all_executed(piece, run, case).get(name)


def _all_executed(piece: Piece, run: Run, case: Case | None) -> dict[str, Figure]:
    """What was executed: printed by the file, else typed, else as the typed case states it."""
    stated = case.dimensions if case else {}
    return {**stated, **piece.typed_dimensions, **run.executed}


def _typist(name: str, piece: Piece) -> str:
    """Who answers for a typed dimension: whoever typed it, else whoever typed the case or the scope."""
    if name in piece.typed_dimensions:
        return piece.typed_by or next((fact.by for fact in piece.typed.values() if fact.by), "")
    return piece.typed["case"].by


# A training without a step of its optimizer has not been run, whatever phases the case names or not.
_STEPS = frozenset({"optimizer_step", "first_step"})


def _learns(ask: Question) -> bool:
    return ask.facts.get("operation") in ("training", "adaptation")


def phases_of(ask: Question, piece: Piece, run: Run, ground: Inquiry) -> Scope:
    """Phases of the question that a successful run did not go through; a typed case attests its own.

    The first pass is a phase of its own (C7): a loop that began warm leaves it open, so that a cold
    failure is never erased by later successes, and dropping that failure admits nothing.
    """
    found = Tally()
    case = _typed_case(piece, ground)
    attested = case.phases if case and not run.phases else ()
    for phase in ask.phases:
        if phase in attested:
            found.sign(f"phase {phase}", piece.typed["case"].by, ground)
        elif phase not in run.phases:
            found.differs.append(f"phase {phase} was not part of the loop")
    if not ask.phases and not _STEPS.intersection(run.phases) and _learns(ask):
        found.differs.append("no step of the optimizer was part of the loop")
    if not run.first_pass:
        found.differs.append("the loop began after warm-up: the first pass was not part of it")
    return found.scope()
