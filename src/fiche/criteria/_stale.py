"""What is out of date at the decision's date: pieces that ran out or grew old, or whose subject changed since.

A stale piece is left aside, as if it were not there: dropping a piece moves a verdict only to *to confirm*, or
out of a conflict (DESIGN 4). That holds for a failure too: it stays an observation and is shown, but it
excludes nothing before it is seen again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.criteria import _claims
from fiche.criteria._days import day_of, days_between
from fiche.criteria._scope import told_facts
from fiche.criteria._words import number_text
from fiche.kernel.comparison import Inquiry
from fiche.kernel.piece import Piece
from fiche.kernel.record import record, replace
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell

# What `about` tells that is no fact of a workload.
_BESIDE = frozenset({"catalog", "case"})
# Words of a card's row that a criterion judges by; elsewhere its words stay, for they tell cards apart.
_JUDGED: Mapping[str, tuple[str, ...]] = {
    "compute_capability": ("compute_capability", "gfx"),
    "ecc": ("ecc",),
    "form_factor": ("form_factor",),
}
CATALOG = tell("the catalog")


@record
class Left:
    """A piece that is left aside, and why; the catalog's own facts have no piece."""

    piece: str
    why: tuple[str, ...]


@record
class Aged:
    """An inquiry without what is out of date, and what that is."""

    candidate: Candidate
    ground: Inquiry
    left: tuple[Left, ...] = ()


def aged(criterion: str, candidate: Candidate, ground: Inquiry) -> Aged:
    """Leave aside what is out of date for one criterion and candidate."""
    left, kept = [], []
    for piece in ground.pieces:
        why = tuple(dict.fromkeys(reasons(piece, criterion, candidate, ground)))
        if why:
            left.append(Left(piece=piece.id, why=why))
        else:
            kept.append(piece)
    old = _old_catalog(candidate, ground)
    card = candidate.card if old else None  # looked at only where its age counts
    judged = _JUDGED.get(criterion, ())
    if old and card is not None and (card.figures or any(path in card.facts for path in judged)):
        left.append(Left(piece="", why=(old,)))
        kept_facts = {path: fact for path, fact in card.facts.items() if path not in judged}
        candidate = replace(candidate, card=replace(card, figures={}, facts=kept_facts))
    if not left:
        return Aged(candidate=candidate, ground=ground)
    ground = replace(ground, pieces=tuple(kept))
    return Aged(candidate=candidate, ground=ground, left=tuple(left))


def reasons(piece: Piece, criterion: str, candidate: Candidate, ground: Inquiry) -> Iterator[str]:
    """Why a piece is out of date; nothing where it is not. Asked of every piece for every candidate."""
    yield from _ran_out(piece, criterion, ground)
    if ground.policy.max_age:
        yield from _too_old(piece, ground)
    if piece.about or ground.policy.changed.get(criterion):
        yield from _changed(piece, criterion, candidate, ground)
    if piece.about:
        yield from _resized(piece, ground)
        yield from _other_catalog(piece, candidate)


def _ran_out(piece: Piece, criterion: str, ground: Inquiry) -> Iterator[str]:
    """The last day counts. A price's validity is the cost criterion's own business, side by side."""
    if piece.valid_until and piece.valid_until < ground.date:
        yield tell(
            "valid until {valid_until}, and the decision is of {date}",
            valid_until=piece.valid_until,
            date=ground.date,
        )
    until = "" if criterion == "cost" else _printed_end(piece, ground)
    if until and until < ground.date:
        yield tell(
            "its document holds until {until}, and the decision is of {date}",
            until=until,
            date=ground.date,
        )


def _printed_end(piece: Piece, ground: Inquiry) -> str:
    """The last day that the document itself states: the latest, where it states several."""
    ends = [
        item.words["until"].value
        for item in piece.attested
        if item.fact == "validity" and "until" in item.words and _claims.vouched(item, ground)
    ]
    return max(ends, default="")


def _too_old(piece: Piece, ground: Inquiry) -> Iterator[str]:
    """Under a policy that states an age: a document that says itself until when it holds has none."""
    ages = ground.policy.max_age
    most = ages.get(piece.kind, ages.get("others"))
    if most is None or _printed_end(piece, ground) >= ground.date:
        return
    made, policy = day_of(piece), tell("policy '{policy}'", policy=ground.policy.name)
    if not made:
        yield tell(
            "it bears no date, and {policy} lets a {kind} count for {most} days",
            policy=policy,
            kind=piece.kind,
            most=most,
        )
        return
    age = days_between(made, ground.date)
    if age is not None and age > most:
        yield tell(
            "it is of {made}, {age} days before the decision of {date}: {policy} lets a "
            "{kind} count for {most} days",
            made=made,
            age=age,
            date=ground.date,
            policy=policy,
            kind=piece.kind,
            most=most,
        )


def _old_catalog(candidate: Candidate, ground: Inquiry) -> str:
    most = ground.policy.max_age.get("catalog")
    card = candidate.card if most is not None else None
    if most is None or card is None:
        return ""
    age = days_between(card.gathered, ground.date)
    policy = tell(
        "policy '{policy}' lets a catalog count for {most} days",
        policy=ground.policy.name,
        most=most,
    )
    if age is None:
        return tell(
            "the catalog's facts of {card} bear no date, and {policy}", card=card.id, policy=policy
        )
    if age <= most:
        return ""
    return tell(
        "the catalog's facts of {card} were gathered on {gathered}, {age} days before the decision of "
        "{date}: {policy}",
        card=card.id,
        gathered=card.gathered,
        age=age,
        date=ground.date,
        policy=policy,
    )


def _changed(piece: Piece, criterion: str, candidate: Candidate, ground: Inquiry) -> Iterator[str]:
    """Facts that the piece hung on, by its own `about` or by the policy, and that the fiche has otherwise."""
    now = candidate.workload.facts
    then = {path: fact for path, fact in piece.about.items() if path not in _BESIDE}
    for path in ground.policy.changed.get(criterion, ()):
        told = [told_facts(piece, run, ground) for run in piece.reading.runs or (None,)]
        seen = {facts[path].value.casefold(): facts[path] for facts in told if path in facts}
        if len(seen) == 1:
            then.setdefault(path, next(iter(seen.values())))
    for path, fact in then.items():
        if path in now and now[path].value.casefold() != fact.value.casefold():
            yield tell(
                "{path} changed from {fact} to {now} {since}",
                path=path,
                fact=fact.value,
                now=now[path].value,
                since=_since(piece),
            )


def _resized(piece: Piece, ground: Inquiry) -> Iterator[str]:
    """The case whose dimensions it was made for has others now (A2, A3)."""
    told = piece.about.get("case")
    case = next((c for c in ground.base.cases if told is not None and c.id == told.value), None)
    if case is None:
        return
    for name, then in piece.about_dimensions.items():
        now = case.dimensions.get(name)
        shown = "none" if now is None else number_text(now.low)
        if now is None or now.low != then.low:
            yield tell(
                "{name} of case {case} changed from {then} to {shown} {since}",
                name=name,
                case=case.id,
                then=number_text(then.low),
                shown=shown,
                since=_since(piece),
            )


def _other_catalog(piece: Piece, candidate: Candidate) -> Iterator[str]:
    """The catalog's row was gathered anew since."""
    then = piece.about.get("catalog")
    card = candidate.card if then is not None else None
    if then is not None and card is not None and card.gathered > then.value:
        yield tell(
            "the catalog's facts of {card} changed from those of {then} to those of {gathered}",
            card=card.id,
            then=then.value,
            gathered=card.gathered,
        )


def _since(piece: Piece) -> str:
    made = day_of(piece)
    return (
        tell("since {made}, the day of the piece", made=made)
        if made
        else tell("since it was made, on a day it does not say")
    )
