"""What a run executed against what a case asks: dimensions, phases, and on whose word (D6, A3)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.criteria._scope import NOT_RESIDENT, Question, Scope, Tally
from fiche.kernel.comparison import Inquiry
from fiche.kernel.figure import Figure
from fiche.kernel.piece import Piece, Run
from fiche.kernel.said import listed, tell
from fiche.kernel.workload import Case


def load_of(ask: Question, piece: Piece, run: Run, wrong: str, ground: Inquiry) -> Scope:
    """How the executed load stands to the case: dimension by dimension, and on whose word (D6).

    `wrong` is `smaller` for a success (it must have reached every dimension) and `larger` for a
    failure (it must not have gone beyond).
    """
    found = Tally()
    found.untold.extend(
        tell("{topic}: the fiche does not say", topic=topic) for topic in ask.untold
    )
    if wrong == "larger" and _only_loaded(run):
        return found.scope()
    case = _typed_case(piece, ground)
    for name, wanted in sorted(ask.dimensions.items()):
        ran = _executed(name, piece, run, case)
        if ran is None:
            found.untold.append(
                tell(
                    "{name}: the piece does not say what was executed; the question is {wanted}",
                    name=name,
                    wanted=wanted.low,
                )
            )
        elif _beyond(ran, wanted, wrong):
            found.differs.append(
                tell(
                    "{name}: executed {ran}, the question is {wanted}",
                    name=name,
                    ran=ran.low,
                    wanted=wanted.low,
                )
            )
        elif name not in run.executed:
            found.sign(tell("executed {name}", name=name), _typist(name, piece), ground)
    if wrong == "larger":
        found.untold.extend(_more(ask, piece, run, case))
    return found.scope()


_BEFORE_ANY_LOAD = frozenset({"model_load", "inputs"})


def _only_loaded(run: Run) -> bool:
    """A first load that failed with nothing there before it: no input had come that could be too long."""
    if run.ended_in != "model_load" or run.executed or not run.first_pass:
        return False
    start = [s for s in run.observations if (s.counter, s.stat) == ("memory_allocated", "start")]
    empty = [seen.value is not None and seen.value.high == 0 for seen in start]
    return _BEFORE_ANY_LOAD.issuperset(run.phases) and bool(start) and all(empty)


def _more(ask: Question, piece: Piece, run: Run, case: Case | None) -> Iterator[str]:
    """Dimensions of a failed run that the case does not state: it may be smaller in them."""
    for name, ran in sorted(_all_executed(piece, run, case).items()):
        if name not in ask.dimensions and name not in NOT_RESIDENT and ran.low > 1:
            yield tell("{name}: executed {ran}, the fiche does not say", name=name, ran=ran.low)


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


# A program seen from outside is one phase, whatever it went through (`fiche run`).
_WHOLE_PROGRAM = frozenset({"program"})
_RANDOM = tell(
    "phase model_load was not part of the loop: it made random weights (model_init), which is no load of a "
    "checkpoint; measure the program that loads it (`fiche run`, fiche.recorder), or this case with "
    "`fiche measure --weights stored`"
)


def _missing(phase: str, run: Run) -> str:
    if phase == "model_load" and "model_init" in run.phases:
        return _RANDOM
    return tell("phase {phase} was not part of the loop", phase=phase)


def phases_of(ask: Question, piece: Piece, run: Run, ground: Inquiry) -> Scope:
    """Phases of the question that a successful run did not go through; a typed case attests its own.

    The first pass is a phase of its own (C7): a loop that began warm leaves it open, so that a cold
    failure is never erased by later successes, and dropping that failure admits nothing.
    """
    found = Tally()
    case = _typed_case(piece, ground)
    unnamed = _WHOLE_PROGRAM.issuperset(run.phases)
    attested = case.phases if case and unnamed else ()
    if run.phases and unnamed and case is None and ask.phases:
        found.untold.append(
            tell("which of its phases ran nobody tells: {phases}", phases=listed(ask.phases))
        )
        return found.scope()
    if not (ask.phases or unnamed) and "model_load" not in run.phases:
        missing = _missing("model_load", run)
        found.differs.append(
            tell(
                "{missing}; or name the phases of the case, if loading is none of them",
                missing=missing,
            )
        )
    for phase in ask.phases:
        if phase in attested:
            found.sign(tell("phase {phase}", phase=phase), piece.typed["case"].by, ground)
        elif phase not in run.phases:
            found.differs.append(_missing(phase, run))
    if not ask.phases and not _STEPS.intersection(run.phases) and _learns(ask):
        found.differs.append(tell("no step of the optimizer was part of the loop"))
    if not run.first_pass:
        found.differs.append(
            tell("the loop began after warm-up: the first pass was not part of it")
        )
    return found.scope()
