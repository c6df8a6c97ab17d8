"""D7's table applied to the failures at hand: where it failed, what takes most there, what may be changed."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.evaluate._ground import ground_of
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.shifts import loads_by_owner
from fiche.kernel import trace
from fiche.kernel.comparison import CaseLoad, Inquiry, LoadItem, PhaseTotal
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Number, total
from fiche.kernel.piece import Piece, Run
from fiche.kernel.readings import failures as told_failures
from fiche.kernel.record import record, replace
from fiche.kernel.remedy import STAGES, Lever, Remedy
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE

# What D7 lists by what dominates, with what each has to keep; and by where it failed, where no item does.
_FORMAT = ("format", ("quality",))
_BATCH = (("microbatch", ("duration", "result")), ("checkpointing", ("duration", "result")))
_CACHE = (("context", ("need",)), ("concurrency", ("duration",)), ("cache", ("quality",)))
_OF_ITEM: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "weights": (_FORMAT,),
    "weights_loading": (("loader", ()), _FORMAT),
    "kv_cache": _CACHE,
    **dict.fromkeys(("activations", "logits", "loss", "logits_gradient"), _BATCH),
}
_OF_STAGE: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "loading": (("loader", ()), _FORMAT),
    "generating": _CACHE,
    "backward": _BATCH,
    "evaluation": (("evaluation", ("result",)),),
}
# The last words of a path that tries a lever; the starts of one.
_TRIED_BY_DIMENSION = {
    "concurrency": ("resident_sequences",),
    "microbatch": ("microbatch", "accumulation", "batch"),
}
_TRIED_BY_PATH = {
    "format": ("formats.storage", "formats.loaded"),
    "cache": ("formats.cache", "engine.settings."),
    "checkpointing": ("training.checkpointing",),
}


def remedies(judged: Judged) -> tuple[Remedy, ...]:
    """One for each failure that a verdict rests on or leaves unexplained; none where nothing failed."""
    decision = judged.decision
    if not any(run.failure for piece in decision.fiche.pieces for run in piece.reading.runs):
        return ()
    found: dict[tuple[str, str], list[_Seen]] = {}
    for seen in _seen(decision):
        found.setdefault((seen.piece, seen.failure), []).append(seen)
    return tuple(_remedy(decision, told) for told in found.values())


@record
class _Seen:
    """One failed run as it stands to one candidate and case."""

    piece: str
    failure: str
    run: Run
    proven: bool
    candidate: Candidate
    case: str


def _seen(decision: Decision) -> Iterator[_Seen]:
    from fiche.criteria._failures import failures, fallen
    from fiche.criteria._scope import question

    names = {
        (piece.id, id(run)): name
        for piece in decision.fiche.pieces
        for name, run, _ in told_failures(piece)
        if run is not None
    }
    for candidate in decision.fiche.candidates:
        ground = _ground(decision, candidate)
        fell = fallen(question(candidate), ground) if ground.pieces else ()
        for case in (candidate.workload.cases or (None,)) if fell else ():
            for told in failures(fell, question(candidate, case), ground):
                name = names.get((told.piece, id(told.run)))
                if name is not None and (told.proven or told.unexplained):
                    yield _Seen(
                        piece=told.piece,
                        failure=name,
                        run=told.run,
                        proven=told.proven,
                        candidate=candidate,
                        case=case.id if case else "",
                    )


def _ground(decision: Decision, candidate: Candidate) -> Inquiry:
    """With the pieces that tell of a failure, and of no other card than this candidate's."""
    told = (piece for piece in decision.fiche.pieces if _may_concern(piece, candidate))
    return ground_of(decision.fiche, told)


def _may_concern(piece: Piece, candidate: Candidate) -> bool:
    runs = [run for run in piece.reading.runs if run.failure is not None]
    told = [facts["gpu"].value for facts in (piece.typed, piece.reading.facts) if "gpu" in facts]
    told += [run.facts["gpu"].value for run in runs if "gpu" in run.facts]
    return bool(runs) and (not told or candidate.gpu.casefold() in map(str.casefold, told))


def _remedy(decision: Decision, told: list[_Seen]) -> Remedy:
    """Where it is proven for some, those are whom it concerns."""
    proven = [each for each in told if each.proven]
    concerned = proven or told
    first = concerned[0]
    by_owner = loads_by_owner(decision)
    owner = first.candidate.id if first.candidate.id in by_owner else ""
    load = by_owner[owner].get(first.case)
    phase = _phase(first.run.ended_in, load)
    stage = _stage(first.run.ended_in)
    named = Remedy(
        piece=first.piece,
        failure=first.failure,
        proven=bool(proven),
        candidates=tuple(dict.fromkeys(each.candidate.id for each in concerned)),
        case=first.case,
        owner=owner,
        stage=stage,
        phase=first.run.ended_in or (phase.phase if phase else ""),
        phase_told=bool(first.run.ended_in),
    )
    return _weighed(named, phase, decision.fiche.candidates)


def _stage(phase: str) -> str:
    return next((stage for stage, phases in STAGES.items() if phase in phases), "")


def _phase(ended_in: str, load: CaseLoad | None) -> PhaseTotal | None:
    """The phase of the load that it failed in; one of the same stage; the largest where none is told."""
    phases = load.phases if load is not None else ()
    exact = [each for each in phases if each.phase == ended_in]
    alike = [each for each in phases if ended_in and _stage(each.phase) == _stage(ended_in)]
    return max(exact or alike or ([] if ended_in else phases), key=_most, default=None)


def _most(each: PhaseTotal) -> tuple[bool, Number, Number]:
    return each.total.high is None, each.total.high or 0, each.total.low


# --- What takes most ----------------------------------------------------------------------------


def _weighed(named: Remedy, phase: PhaseTotal | None, candidates: tuple[Candidate, ...]) -> Remedy:
    items = phase.items if phase is not None else ()
    heaviest = max((i for i in items if i.node.low), key=lambda i: i.node.low, default=None)
    name = heaviest.name if heaviest is not None else ""
    exact = [item.node for item in items if _exact(item)]
    place = f"{named.failure}.{named.case or 'load'}"
    known = total(exact, BYTE).named(f"{place}.known", tell("exactly known in that phase"))
    by_stage = _OF_STAGE.get(named.stage or _stage(named.phase), ())
    by_item = () if named.stage == "evaluation" else _OF_ITEM.get(name, ())
    return replace(
        named,
        dominant=name,
        item=None if heaviest is None else heaviest.node,
        known=known if exact else None,
        share=_share(heaviest, known, place),
        open_items=tuple(dict.fromkeys(i.name for i in items if not _exact(i))),
        levers=tuple(
            _lever(*each, named, candidates) for each in dict.fromkeys((*by_item, *by_stage))
        ),
        useless=_useless(named, candidates),
    )


def _exact(item: LoadItem) -> bool:
    """True for one point that no guess stands under."""
    return item.node.low == item.node.high and trace.firm(item.node)


def _share(item: LoadItem | None, known: Figure, place: str) -> Figure | None:
    """None where the item has no exact figure: a share of bounds would say more than is known."""
    if item is None or not _exact(item) or not known.low:
        return None
    return (item.node / known).named(f"{place}.share", tell("share of {name}", name=item.name))


# --- Levers -------------------------------------------------------------------------------------


def _lever(
    name: str, keeps: tuple[str, ...], named: Remedy, candidates: tuple[Candidate, ...]
) -> Lever:
    tried = (who.id for who in candidates if who.change and _tries(name, who.change[0], named.case))
    return Lever(name=name, keeps=keeps, candidates=tuple(tried))


def _tries(lever: str, path: str, case: str) -> bool:
    """A change of another case leaves the one that failed as it is."""
    if path.startswith("cases."):
        _, changed, dimension = path.split(".")
        return changed == case and dimension in _TRIED_BY_DIMENSION.get(lever, ())
    return path.startswith(_TRIED_BY_PATH.get(lever, ("\0",)))


def _useless(named: Remedy, candidates: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Reducing only the training batch does not mend an evaluation (D7)."""
    if named.stage != "evaluation":
        return ()
    changed = ((who.id, who.change[0]) for who in candidates if who.change)
    return tuple(name for name, path in changed if _tries("microbatch", path, named.case))
