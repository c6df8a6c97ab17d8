"""Two fiches judged by one tool: what differs, and which of it moved which verdict.

Every change is tried on its own: applied alone to the first fiche, taken back alone from the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from fiche.evaluate.difference_changes import Edit, Spoken, edits
from fiche.evaluate.difference_moves import Asked, Cause, Group, Trial
from fiche.evaluate.difference_parts import Key, Parts, parts, rebuilt
from fiche.kernel.decision import Decision, Fiche
from fiche.kernel.difference import Difference, Move, Side, Standing
from fiche.kernel.record import record, replace

# Kinds that no verdict hangs on.
_SILENT = frozenset(
    {"tool", "input", "choice", "invalidated_by", "plans", "efforts", "similar_orders"}
)
_SAID = frozenset({"title", "author", "illustrative", "language"})
# More changes than this are tried by kind: each trial judges the whole fiche.
_MOST_ALONE = 48


@record(eq=False)
class Verdict:
    """A verdict as either side gives it, in words that both have."""

    code: str
    reason: str


Given = Mapping[Asked, Verdict]


def difference(
    first: tuple[str, Decision],
    second: tuple[str, Decision],
    again: Callable[[Fiche], Decision],
) -> Difference:
    """Each side is its name and its decision; `again` judges a mixed fiche in the same way."""
    before, after = first[1].fiche, second[1].fiche
    shared = _cases(before) & _cases(after)
    old, new = parts(before, shared), parts(after, shared)
    found = edits(_spoken(old), _spoken(new))
    names = renames(found)
    moves, asked, reworded = moved(given(first[1]), given(second[1]), names)
    groups = _groups([edit for edit in found if _judged(edit)])
    if moves and groups:
        trial = Trial(groups, lambda chosen: _tried(chosen, groups, old, new, before, again, names))
        causes = {_asked(move): trial.cause(_asked(move), move.after) for move in moves}
        moves = tuple(_caused(move, causes[_asked(move)]) for move in moves)
    return Difference(
        before=_side(*first),
        after=_side(*second),
        changes=tuple(edit.change for edit in found),
        moves=moves,
        standings=standings(_statuses(first[1]), _statuses(second[1]), names),
        asked=asked,
        reworded=reworded,
        rejudged=True,
        grouped=any(len(group) > 1 for group in groups),
    )


def _cases(fiche: Fiche) -> frozenset[str]:
    return frozenset(case.id for case in fiche.workload.cases)


def _spoken(found: Parts) -> dict[Key, Spoken]:
    return {key: Spoken(told=part.told) for key, part in found.items()}


def _side(name: str, decision: Decision) -> Side:
    fiche = decision.fiche
    return Side(
        name=name, kind="fiche", title=fiche.title, date=fiche.date, tool=decision.tool_version
    )


# --- Trials -------------------------------------------------------------------------------------


def _judged(edit: Edit) -> bool:
    kind, name = edit.change.kind, edit.change.name
    return kind not in _SILENT and not (kind == "fiche" and name in _SAID)


def _groups(found: list[Edit]) -> dict[Group, tuple[Edit, ...]]:
    """One change each, or all of a kind where there are very many."""
    if len(found) <= _MOST_ALONE:
        return {(edit.change.id,): (edit,) for edit in found}
    by_kind: dict[str, list[Edit]] = {}
    for edit in found:
        by_kind.setdefault(edit.change.kind, []).append(edit)
    return {tuple(e.change.id for e in group): tuple(group) for group in by_kind.values()}


def _tried(
    chosen: frozenset[Group],
    groups: Mapping[Group, tuple[Edit, ...]],
    old: Parts,
    new: Parts,
    template: Fiche,
    again: Callable[[Fiche], Decision],
    names: Mapping[tuple[str, str], str],
) -> Mapping[Asked, str]:
    """The verdicts of the first fiche with these changes."""
    mixed = applied(old, new, [edit for group in chosen for edit in groups[group]])
    judged = given(again(rebuilt(mixed, template, {**new, **old})))
    return {_renamed(asked, names): told.code for asked, told in judged.items()}


def applied(old: Parts, new: Parts, chosen: Iterable[Edit]) -> Parts:
    """The parts of one side with some changes towards the other."""
    mixed = dict(old)
    for edit in chosen:
        for key in edit.keys:
            if key in new:
                mixed[key] = new[key]
            else:
                mixed.pop(key, None)
    return mixed


# --- Verdicts -----------------------------------------------------------------------------------


def given(decision: Decision) -> dict[Asked, Verdict]:
    """The verdicts of a decision by what is asked."""
    return {
        (found.candidate, found.requirement, found.case, found.device): Verdict(
            code=found.verdict.code, reason=found.reason
        )
        for found in decision.findings
    }


def renames(found: Iterable[Edit]) -> dict[tuple[str, str], str]:
    """New names by kind and old name."""
    return {
        (edit.change.kind, edit.keys[0][1]): edit.change.name
        for edit in found
        if edit.change.what == "renamed"
    }


def _renamed(asked: Asked, names: Mapping[tuple[str, str], str]) -> Asked:
    candidate, requirement, case, device = asked
    return (
        names.get(("candidate", candidate), candidate),
        names.get(("requirement", requirement), requirement),
        case,
        device,
    )


def moved(
    before: Given, after: Given, names: Mapping[tuple[str, str], str]
) -> tuple[tuple[Move, ...], int, int]:
    """What is another verdict, how many are asked by either side, how many stay for another reason."""
    old = {_renamed(asked, names): told for asked, told in before.items()}
    every = sorted({*old, *after})
    moves = tuple(_move(asked, old.get(asked), after.get(asked)) for asked in every)
    apart = tuple(move for move in moves if move.before != move.after)
    reworded = sum(m.before == m.after and m.reason_before != m.reason for m in moves)
    return apart, len(every), reworded


def _move(asked: Asked, before: Verdict | None, after: Verdict | None) -> Move:
    candidate, requirement, case, device = asked
    return Move(
        candidate=candidate,
        requirement=requirement,
        case=case,
        device=device,
        before=before.code if before else None,
        after=after.code if after else None,
        reason_before=before.reason if before else "",
        reason=after.reason if after else "",
    )


def _asked(move: Move) -> Asked:
    return (move.candidate, move.requirement, move.case, move.device)


def _caused(move: Move, cause: Cause) -> Move:
    return replace(move, how=cause.how, by=cause.by)


# --- Candidates ---------------------------------------------------------------------------------

Statuses = Mapping[str, tuple[str, int | None]]


def _statuses(decision: Decision) -> Statuses:
    return {o.candidate.id: (o.status, o.rank) for o in decision.outcomes}


def standings(
    before: Statuses, after: Statuses, names: Mapping[tuple[str, str], str]
) -> tuple[Standing, ...]:
    """Candidates with another status or rank, by their new names."""
    old = {names.get(("candidate", name), name): told for name, told in before.items()}
    return tuple(_standings(old, after))


def _standings(before: Statuses, after: Statuses) -> Iterator[Standing]:
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        if one != other:
            yield Standing(
                candidate=name,
                before=one[0] if one else None,
                after=other[0] if other else None,
                rank_before=one[1] if one else None,
                rank=other[1] if other else None,
            )
