"""Is a failure proven to be a lack of device memory for this very question (DESIGN 4, C11)."""

from __future__ import annotations

from dataclasses import dataclass

from fiche.criteria._scope import Question, Scope, excesses, executed, scope_of, told_facts
from fiche.kernel.comparison import Inquiry
from fiche.kernel.piece import Failure, Piece, Run

# Messages that say the device had no memory left; a library's or a counter's word is not one.
_SAYS_SO = frozenset({"allocator_oom", "driver_oom"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """One failed run against one question: what keeps it from excluding (nothing: it is proven)."""

    piece: str
    run: Run
    scope: Scope
    doubts: tuple[str, ...]
    related: bool

    @property
    def proven(self) -> bool:
        """True when scope and dimensions cover the question and no other cause is open."""
        return self.scope.covers and not self.doubts


def failed(piece: Piece, run: Run, ask: Question, index: int, ground: Inquiry) -> Failed | None:
    """Judge one run's failure; None when the run did not fail, or failed on another device."""
    if run.outcome != "failure" or run.failure is None:
        return None
    scope = scope_of(ask, piece, run, "memory", ground)
    doubts = (*excesses(ask, executed(piece, run, ground)), *_causes(piece, run, ground))
    if run.failure.device_index not in (None, index):
        doubts = (f"it happened on device {run.failure.device_index}", *doubts)
    same_card = told_facts(piece, run, ground).get("gpu")
    related = same_card is not None and same_card.value == ask.facts["gpu"]
    return Failed(piece=piece.id, run=run, scope=scope, doubts=doubts, related=related)


def _causes(piece: Piece, run: Run, ground: Inquiry) -> tuple[str, ...]:
    failure = run.failure
    assert failure is not None
    found = []
    if failure.memory != "device" or failure.message_kind not in _SAYS_SO:
        found.append(
            f"the message ({failure.message_kind}) does not say that device memory ran out"
        )
    if failure.recovered:
        found.append("the program went on afterwards")
    if _readable(failure, "allowed") is not None:
        found.append("a limit was set for the process")
    found.extend(_sharing(piece, run, failure, ground))
    found.extend(_leftover(failure))
    return tuple(found)


def _sharing(piece: Piece, run: Run, failure: Failure, ground: Inquiry) -> list[str]:
    if failure.other_processes:
        return ["another process is listed on the card"]
    told = told_facts(piece, run, ground).get("other_users")
    if told is not None and told.value == "none" and (told.printed or told.by):
        return []
    if _readable(failure, "process_in_use") is None:
        return [
            "the message does not list the card's processes: whether another one used it is untold"
        ]
    return []


def _leftover(failure: Failure) -> list[str]:
    free, requested = _readable(failure, "free"), _readable(failure, "requested")
    if free is None or requested is None:
        return ["the free and the requested bytes are not both printed"]
    return [] if free[1] < requested[0] else ["free memory was left for the request"]


def _readable(failure: Failure, name: str) -> tuple[int, int] | None:
    printed = failure.quantities.get(name)
    if printed is None or printed.unavailable or printed.low is None or printed.high is None:
        return None
    return printed.low, printed.high
