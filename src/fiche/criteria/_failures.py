"""Is a failure proven to be a lack of device memory for this very question (DESIGN 4, C11)."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.criteria._executed import load_of
from fiche.criteria._scope import Question, Scope, joined, noted, scope_of, speaks_of, told_facts
from fiche.kernel.comparison import Inquiry
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Failure, Observation, Piece, Run
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell

# Messages that say the device had no memory left; a library's or a counter's word is not one.
_SAYS_SO = frozenset({"allocator_oom", "driver_oom"})
# Phases that come beside the loop: a failure there says nothing to a case that has none of them.
_BESIDE = frozenset({"evaluation", "export", "model_init"})


@record
class Failed:
    """One failed run against one question: what keeps it from excluding (nothing: it is proven).

    `total` is the capacity that the failing card printed, as (low, high) bytes; `by` names the people
    whose word it takes; `related` is True on the very card, where no strict fact differs.
    """

    piece: str
    run: Run
    scope: Scope
    doubts: tuple[str, ...]
    related: bool
    total: tuple[int, int | None] | None
    by: tuple[str, ...]
    noted: tuple[str, ...]

    @property
    def proven(self) -> bool:
        """True when scope and dimensions cover the question and no other cause is open."""
        return self.scope.covers and not self.doubts

    @property
    def unexplained(self) -> bool:
        """True when it is of this question, as far as anybody tells, and yet excludes nothing.

        A failure of another engine or format, say, is told and answers another question.
        """
        return self.related and not self.proven

    @property
    def disputed(self) -> bool:
        """True when it would be proven, but for a contradiction of file and author."""
        return self.scope.disputed and not self.doubts


@record
class Fallen:
    """A run that failed, and all of a `Failed` that no case changes: `facts` of its scope, doubts, word."""

    piece: Piece
    run: Run
    facts: Scope
    doubts: tuple[str, ...]
    related: bool
    word: tuple[str, ...]
    noted: tuple[str, ...]


def fallen(ask: Question, ground: Inquiry) -> tuple[Fallen, ...]:
    """Every failure that the pieces hold, before any case is looked at."""
    found = (_fallen(p, run, ask, ground) for p in ground.pieces for run in p.reading.runs)
    return tuple(each for each in found if each is not None)


def failures(fell: tuple[Fallen, ...], ask: Question, ground: Inquiry) -> tuple[Failed, ...]:
    """How each of them stands to the question, before any device is looked at."""
    return tuple(_failed(each, ask, ground) for each in fell)


def on_device(told: Failed, index: int, *, alone: bool) -> Failed:
    """The same on one device: one that the message names is no other (C9)."""
    there = None if told.run.failure is None else told.run.failure.device_index
    if alone or there in (None, index):
        return told
    return replace(told, doubts=(tell("it happened on device {there}", there=there), *told.doubts))


def _fallen(piece: Piece, run: Run, ask: Question, ground: Inquiry) -> Fallen | None:
    """Judge one run's failure as far as no case matters; None when the run did not fail."""
    failure = run.failure
    if run.outcome != "failure" or failure is None:
        return None
    told = told_facts(piece, run, ground)
    word = _alone_by_word(told, ground)
    facts = scope_of(ask, piece, run, "memory", ground, told=told)
    return Fallen(
        piece=piece,
        run=run,
        facts=facts,
        doubts=(*_causes(failure, word), *_recorded(run, failure, told)),
        related=speaks_of(ask, piece, told) and not facts.differs,
        word=word or (),
        noted=noted(ask, piece, run, "memory", ground, told),
    )


def _failed(fell: Fallen, ask: Question, ground: Inquiry) -> Failed:
    """Judge it by what the case asks for."""
    run, failure = fell.run, fell.run.failure
    scope = joined(fell.facts, load_of(ask, fell.piece, run, "larger", ground))
    return Failed(
        piece=fell.piece.id,
        run=run,
        scope=scope,
        doubts=(*fell.doubts, *_beside(ask, run)),
        related=fell.related,
        total=None if failure is None else _bounds(failure, "total_capacity"),
        by=tuple(dict.fromkeys((*scope.by, *fell.word))),
        noted=fell.noted,
    )


def _beside(ask: Question, run: Run) -> list[str]:
    """The phase that failed, where the case does not ask for it."""
    last = run.ended_in
    if last in _BESIDE and last not in ask.phases:
        return [tell("it happened in {last}, which the case does not ask for", last=last)]
    return []


def _recorded(run: Run, failure: Failure, told: Mapping[str, Fact]) -> list[str]:
    """What the file tells beside the message: others on the card, a limit of the process, work before it."""
    found = []
    measured = {seen.device_index for seen in run.observations}
    there = failure.device_index
    near = [s for s in run.observations if there is None or s.device_index in (None, there)]
    others = max(map(_held_by_others, near), default=0)
    if others:
        found.append(
            tell("other processes were read to hold {others} B of the card", others=others)
        )
    limit = told.get("allocator.process_fraction")
    if limit is not None and "allowed" not in failure.quantities:
        found.append(
            tell("the process had set itself a limit of {limit} of the card", limit=limit.value)
        )
    if there is not None and measured and not {None, there} & measured:
        found.append(
            tell("it happened on device {there}, which the record did not read", there=there)
        )
    if failure.is_earlier:
        found.append(tell("it came up before the phase began: earlier work failed"))
    return found


def _held_by_others(seen: Observation) -> int:
    """Bytes that other processes surely held, by one reading."""
    value = seen.value if seen.counter == "other_processes_used" else None
    return 0 if value is None or value.unavailable else value.low or 0


def _causes(failure: Failure, word: tuple[str, ...] | None) -> list[str]:
    found = []
    says_not = tell(
        "the message ({message_kind}) does not say that device memory ran out",
        message_kind=failure.message_kind,
    )
    if failure.memory == "host":
        return [tell("{says_not}: it was the host's", says_not=says_not)]
    if failure.memory != "device" or failure.message_kind not in _SAYS_SO:
        found.append(says_not)
    if failure.recovered:
        found.append(tell("the program went on afterwards"))
    if "allowed" in failure.quantities:
        found.append(tell("a limit was set for the process"))
    if failure.truncated:
        found.append(
            tell("the message breaks off: a limit or another process may be named in the rest")
        )
    return [*found, *_sharing(failure, word), *_unaccounted(failure), *_leftover(failure)]


def _sharing(failure: Failure, word: tuple[str, ...] | None) -> list[str]:
    if failure.other_processes:
        return [tell("another process is listed on the card")]
    if word is None and _bounds(failure, "process_in_use") is None:
        return [
            tell(
                "the message does not list the card's processes: whether another one used it is untold"
            )
        ]
    return []


def _unaccounted(failure: Failure) -> list[str]:
    """Memory surely held by nobody that is listed, and enough of it to have met the request.

    The list is of computing processes: a display, or what a container hides, is not on it.
    """
    total, free, own, asked = (
        _bounds(failure, name) for name in ("total_capacity", "free", "process_in_use", "requested")
    )
    if total is None or free is None or own is None or asked is None:
        return []
    if free[1] is None or own[1] is None:
        return []
    listed = [process.in_use.high for process in failure.other_processes]
    if any(high is None for high in listed):
        return []  # one that is listed may hold all the rest
    held = total[0] - free[1] - own[1] - sum(high or 0 for high in listed)
    lacking = asked[0] - free[1]
    if held <= 0 or held < lacking:
        return []
    return [
        tell(
            "at least {held} B of the card are held by no process that the message lists", held=held
        )
    ]


def _alone_by_word(told: Mapping[str, Fact], ground: Inquiry) -> tuple[str, ...] | None:
    """On whose word nothing else used the card (nobody's when the file prints it); None: untold."""
    others = told.get("other_users")
    if others is None or others.value != "none":
        return None
    if others.printed:
        return ()
    return (others.by,) if others.by and ground.policy.typed_scope == "counts" else None


def _leftover(failure: Failure) -> list[str]:
    free = _bounds(failure, "free")
    requested = _bounds(failure, "requested") or _bounds(failure, "requested_at_least")
    if free is None or free[1] is None or requested is None:
        return [tell("the free and the requested bytes are not both printed")]
    return [] if free[1] < requested[0] else [tell("free memory was left for the request")]


def _bounds(failure: Failure, name: str) -> tuple[int, int | None] | None:
    """(low, high) of a printed quantity; None where the message does not print it (C2)."""
    printed = failure.quantities.get(name)
    if printed is None or printed.unavailable or printed.low is None:
        return None
    return printed.low, printed.high
