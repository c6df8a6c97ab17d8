"""Below the answers: is a must violated, what would change the verdict, and how long it holds (D1, E3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from fiche.kernel.decision import Outcome
from fiche.kernel.finding import Verdict
from fiche.kernel.settling import Flips, Sensitivity, Turn
from fiche.report import points
from fiche.report._turns import at_least
from fiche.report.desk import Desk, joined
from fiche.report.parts import Code, Parts, Quoted, Reference, Words

_FEW = 4
_Told = TypeVar("_Told")


# --- Musts ----------------------------------------------------------------------------------------


def musts(desk: Desk) -> Parts:
    """Which musts are violated, and for whom one is open."""
    outcomes = desk.decision.outcomes
    failed = _grouped((o, _failed(o)) for o in outcomes if o.verdict is Verdict.EXCLUDE)
    asked = [o for o in outcomes if o.verdict is Verdict.TO_CONFIRM or o.status == "to_confirm"]
    open_ = _few(desk, _open(desk, asked))
    violated = _few(
        desk,
        [
            desk.say("musts_of", who=_names(desk, who), musts=joined(map(Code, told)))
            for told, who in failed.items()
        ],
    )
    if violated:
        key = "musts_violated_open" if open_ else "musts_violated"
        return desk.say(key, violated=violated, open=open_)
    return desk.say("musts_open", open=open_) if open_ else desk.say("musts_kept")


def _failed(outcome: Outcome) -> tuple[str, ...]:
    failed = (f.requirement for f in outcome.findings if _excludes(f.level, f.verdict))
    return tuple(dict.fromkeys(failed))


def _excludes(level: str, verdict: Verdict) -> bool:
    return level == "must" and verdict is Verdict.EXCLUDE


def _open(desk: Desk, asked: list[Outcome]) -> list[Parts]:
    """Candidates that lack the same points are named together."""
    found = _grouped((o, points.of_outcome(desk, o)) for o in asked)
    told = []
    for shared, who in found.items():
        named = points.names(desk, shared)
        names = _names(desk, who)
        told.append(desk.say("musts_of", who=names, musts=named) if named else names)
    return told


def _grouped(
    told: Iterable[tuple[Outcome, tuple[_Told, ...]]],
) -> dict[tuple[_Told, ...], list[str]]:
    found: dict[tuple[_Told, ...], list[str]] = {}
    for outcome, names in told:
        found.setdefault(names, []).append(outcome.candidate.id)
    return found


def _names(desk: Desk, who: list[str]) -> Parts:
    return _few(desk, [(Code(name),) for name in who])


def _few(desk: Desk, told: list[Parts]) -> Parts:
    """The first of them, and how many there are besides."""
    more = [desk.say("musts_more", n=len(told) - _FEW)] if len(told) > _FEW else []
    return joined([*told[:_FEW], *more])


# --- What would change it -------------------------------------------------------------------------


def turning(desk: Desk) -> Parts:
    """By name: the points whose answer turns a candidate, the figure, or the piece that must be wrong."""
    told = [(shared, one) for shared in _alike(desk) for one in _turned(desk, shared)]
    lines = [*(one for _, one in told[:_FEW]), *_further(desk, told)]
    lead = (Words(desk.word("turn_title"), strong=True),)
    return (*lead, *(joined(lines, "; ") or desk.say("turn_none")), Words("."))


def _further(desk: Desk, told: list[tuple[list[Outcome], Parts]]) -> Iterator[Parts]:
    """Candidates that are not named here; else what else turns one that is."""
    shown = {one.candidate.id for shared, _ in told[:_FEW] for one in shared}
    rest = {one.candidate.id for shared, _ in told[_FEW:] for one in shared}
    left = len(rest - shown)
    if left:
        yield desk.say("turn_others", n=left, noun=desk.counted("candidates", left))
    elif rest:
        yield desk.say("void_left", n=len(told) - _FEW)


def _alike(desk: Desk) -> list[list[Outcome]]:
    """Candidates that turn at the same points are told together; any other by itself."""
    found: dict[object, list[Outcome]] = {}
    for outcome in desk.decision.outcomes:
        open_ = outcome.status == "to_confirm"
        key = _points(desk, outcome) if open_ else outcome.candidate.id
        found.setdefault(key, []).append(outcome)
    return list(found.values())


def _flip(desk: Desk, outcome: Outcome) -> Flips | None:
    found = desk.decision.settling
    flips = {one.candidate: one for one in found.flips} if found is not None else {}
    return flips.get(outcome.candidate.id)


def _turned(desk: Desk, shared: list[Outcome]) -> Iterator[Parts]:
    outcome = shared[0]
    who = _names(desk, [one.candidate.id for one in shared])
    if outcome.status == "excluded":
        yield _wrong(desk, who, outcome, _flip(desk, outcome))
    elif outcome.status == "to_confirm":
        yield from _settled(desk, who, outcome)
    else:
        turned = list(_figures(desk, who, outcome))
        yield from turned or _standing(desk, who, outcome)


def _wrong(desk: Desk, who: Parts, outcome: Outcome, flip: Flips | None) -> Parts:
    failed = flip.excluded_by if flip is not None else ()
    pieces = dict.fromkeys(piece for _, told in failed for piece in told)
    names = joined([Code(name) for name in _failed(outcome)])
    if not pieces:
        return desk.say("turn_wrong_any", who=who, musts=names)
    return desk.say("turn_wrong", who=who, pieces=joined(map(Reference, pieces)), musts=names)


_Points = tuple[points.Point, ...]


def _points(desk: Desk, outcome: Outcome) -> tuple[_Points, _Points]:
    """All that must come out well, and those of them that exclude it where they do not."""
    found = points.of_outcome(desk, outcome)
    turning = _against(desk, outcome, _flip(desk, outcome))
    return found, tuple(point for point in found if point.topic in turning)


def _settled(desk: Desk, who: Parts, outcome: Outcome) -> Iterator[Parts]:
    found, against = _points(desk, outcome)
    if not found:
        return
    joint, either = desk.word("turn_and"), desk.word("turn_or")
    many = len(found) > _FEW
    named = desk.say("turn_all", n=len(found)) if many else points.names(desk, found, joint)
    if len(against) == len(found) > 1:
        yield desk.say("turn_settled_or_any", who=who, points=named)
    elif against:
        bad = points.names(desk, against, either)
        yield desk.say("turn_settled_or_not", who=who, points=named, against=bad)
    else:
        yield desk.say("turn_settled", who=who, points=named)


def _against(desk: Desk, outcome: Outcome, flip: Flips | None) -> set[str]:
    """Topics of the single steps that would exclude it if they came out badly."""
    single = {names[0] for names in flip.exclude if len(names) == 1} if flip is not None else set()
    settling = desk.decision.settling
    steps = settling.steps if settling is not None else ()
    who = outcome.candidate.id
    return {
        one.topic
        for step in steps
        if step.id in single
        for one in step.settles
        if one.candidate in ("", who) and one.level == "must" and one.decides
    }


def _figures(desk: Desk, who: Parts, outcome: Outcome) -> Iterator[Parts]:
    """The nearest turn of each assumed or stated figure on either side."""
    settling = desk.decision.settling
    for one in settling.sensitivities if settling is not None else ():
        for side, turn in (("turn_less", one.below), ("turn_more", one.above)):
            yield from _at(desk, who, outcome, (one, desk.word(side), turn))


def _at(
    desk: Desk, who: Parts, outcome: Outcome, told: tuple[Sensitivity, str, Turn]
) -> Iterator[Parts]:
    one, side, turn = told
    mine = [c for c in turn.changes if c.candidate == outcome.candidate.id and c.what == "status"]
    if turn.at is None or not mine:
        return
    at = at_least(desk, turn.at, is_floor=turn is one.above)
    state = desk.status(mine[0].after)
    yield desk.say(
        "turn_figure", who=who, state=(state,), figure=(Code(one.name),), at=(at,), side=side
    )


def _standing(desk: Desk, who: Parts, outcome: Outcome) -> Iterator[Parts]:
    told = (piece for f in outcome.findings if f.level == "must" for piece in f.pieces)
    pieces = tuple(dict.fromkeys(told))
    if pieces:
        yield desk.say("turn_piece", who=who, pieces=joined(map(Reference, pieces)))


# --- How long it holds ----------------------------------------------------------------------------


def holds(desk: Desk) -> Parts:
    """For what and until when; what else would void it stands on page two."""
    days = [e for e in desk.decision.invalidations if e.day]
    told = desk.say("holds_for")
    if days:
        first = min(days, key=lambda event: event.day)
        told += desk.say(
            "holds_until", day=Code(first.day), what=Quoted(first.subject.replace("->", "→"))
        )
    return (*told, *desk.say("holds_left", section=desk.word("scope_title")), Words("."))
