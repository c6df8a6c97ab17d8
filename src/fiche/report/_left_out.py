"""What a plan rests on, with its reasons, and what it leaves out: named, never zero (DESIGN 3, law 8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Assumed, Declared, Stated
from fiche.kernel.ownership import INPUTS, Ownership
from fiche.report._costed import valued
from fiche.report.desk import Desk, cell, columns, joined, parts_of, row
from fiche.report.parts import (
    Block,
    Code,
    Items,
    Paragraph,
    Parts,
    Quoted,
    Reference,
    Row,
    Table,
    Words,
)


def left_out(desk: Desk, told: Ownership) -> Iterator[Block]:
    """Inputs that are untold, points that people leave out most, open terms of the offers."""
    items = [_untold(desk, name) for name in (told.owned.untold if told.owned else ())]
    items += [_omitted(desk, told, name) for name in told.omitted]
    items += _open(desk, told)
    items += [
        desk.say(
            "own_considered",
            what=desk.word(f"own_{key.replace('.', '_')}"),
            text=Quoted(fact.value),
        )
        for key, fact in told.plan.facts.items()
        if key.startswith("considered.")
    ]
    if items:
        yield Paragraph(desk.say("own_left_out", plan=Code(told.plan.id)), "plain")
        yield Items(tuple(items))


def _untold(desk: Desk, name: str) -> Parts:
    if name == "residual":
        return (Words(desk.word("own_untold_residual")),)
    return desk.say("own_untold", input=desk.word(f"own_in_{name}"))


def _omitted(desk: Desk, told: Ownership, name: str) -> Parts:
    buy = _outcome(desk, told.plan.buy).candidate
    silent = [
        each
        for each in told.plan.rent
        if (offer := _outcome(desk, each).candidate.offer) is None or "egress" not in offer.figures
    ]
    return desk.say(
        f"own_out_{name}",
        own=Code(told.plan.buy),
        rent=joined([Code(each) for each in silent]),
        card=Quoted(buy.card.name if buy.card else buy.gpu),
    )


def _outcome(desk: Desk, name: str) -> Outcome:
    return next(one for one in desk.decision.outcomes if one.candidate.id == name)


def _open(desk: Desk, told: Ownership) -> Iterator[Parts]:
    """What keeps the prices themselves open; holes of the plan are said by their inputs."""
    sides = [] if told.owned is None else [(told.owned.candidate, told.owned.conditions)]
    sides += [(rent.candidate, rent.conditions) for rent in told.rentals]
    for who, conditions in sides:
        for each in conditions:
            if each.topic != "ownership":
                yield desk.say("own_open_term", candidate=Code(who), text=Quoted(each.text))
    for each in told.conditions:
        yield desk.say("own_open_price", text=Quoted(each.text))


# --- What it rests on -----------------------------------------------------------------------------


def rested_on(desk: Desk, told: Ownership, place: int) -> Table:
    """Every input with its mark and its reason; long, and read by few."""
    figures = told.plan.figures
    return Table(
        id=f"own-inputs-{place}",
        caption=desk.word("own_inputs_caption").format(plan=told.plan.id),
        columns=columns(desk, "own_input", "own_used:number", "own_reason"),
        rows=tuple(_input(desk, name, figures[name]) for name in INPUTS if name in figures),
        notes=tuple(_watts(desk, told)),
        folded=True,
    )


def _input(desk: Desk, name: str, figure: Figure) -> Row:
    return row(
        cell((Words(desk.word(f"own_in_{name}")),)),
        cell(valued(desk, name, figure), numeric=True),
        cell(_reason(desk, figure)),
    )


def _reason(desk: Desk, figure: Figure) -> Parts:
    match figure.origin:
        case Declared(by=by) if by in {piece.id for piece in desk.decision.fiche.pieces}:
            return (Reference(by),)
        case Declared(by=by):
            return (Quoted(by),)
        case Assumed(by=by, because=because):
            return desk.say("own_by", reason=Quoted(because), by=Quoted(by))
        case Stated(because=because) if because:
            return (Quoted(because),)
    return (Words(desk.word("own_reason_none")),)


def _watts(desk: Desk, told: Ownership) -> Iterator[Parts]:
    """The word for a power is kept: TDP, TGP and TBP are not comparable."""
    if "load" not in told.plan.figures:
        return
    term = told.plan.facts.get("term")
    if term is None:
        yield (Words(desk.word("own_term_untold")),)
        return
    card = _outcome(desk, told.plan.buy).candidate.card
    watts = None if card is None else card.figures.get("power")
    if card is None or watts is None:
        yield desk.say("own_term_alone", term=Code(term.value))
        return
    word = card.facts.get("power.term")
    named = parts_of(desk.word("own_term_no_word"))
    yield desk.say(
        "own_term",
        term=Code(term.value),
        watts=desk.amount(watts),
        card=Quoted(card.name),
        word=named if word is None else desk.say("own_term_word", word=Code(word.value)),
    )
