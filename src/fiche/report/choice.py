"""The choice on record: order, people, opinions, interests, price, what was passed over, signatures (E1)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.bill import Bill
from fiche.kernel.choice import Choice, Opinion, Ordered
from fiche.kernel.decision import Outcome
from fiche.kernel.figure import Node
from fiche.report import rejected
from fiche.report._reasonable import cost, reasonable
from fiche.report.chosen import cheaper, comes_to
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Code,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Reference,
    Row,
    Section,
    Table,
    Words,
)


def section(desk: Desk) -> Section | None:
    """None where nothing of a choice is on record beyond its name, its author and the reason."""
    choice = desk.decision.fiche.choice
    if choice is None or not _recorded(desk, choice):
        return None
    chosen = desk.decision.chosen
    blocks: tuple[Block, ...] = (
        _order(desk, choice, chosen),
        *_standing(desk, chosen),
        *_opinions(desk, choice),
        *_interests(desk, choice),
        *(reasonable(desk, choice, chosen) if chosen is not None else ()),
        *(rejected.tables(desk, chosen) if chosen is not None else ()),
        *_signatures(desk, choice),
    )
    return Section(id="choice", title=desk.word("choice_title"), blocks=blocks)


def _recorded(desk: Desk, choice: Choice) -> bool:
    """More than `chosen`, `by`, `role` and `because`."""
    told = (choice.date, choice.budget_holder, choice.replaces, choice.order, choice.price)
    lists = (choice.opinions, choice.interests, choice.signatures, choice.accept)
    return any(told) or any(lists) or bool(desk.decision.fiche.purchase.facts)


# --- The order ------------------------------------------------------------------------------------


def _order(desk: Desk, choice: Choice, chosen: Outcome | None) -> Table:
    rows = (*_bought(desk, choice, chosen), *_placed(desk, choice), *_decided(desk, choice))
    return Table(
        id="choice",
        caption=desk.word("choice_caption"),
        columns=columns(desk, "choice_what", "choice_told"),
        rows=rows,
    )


def _line(desk: Desk, key: str, *lines: Parts) -> Row:
    return row(cell(desk.word(key)), cell(*lines))


def _bought(desk: Desk, choice: Choice, chosen: Outcome | None) -> Iterator[Row]:
    """What, of whom, how many, for how long, and what it comes to."""
    if chosen is None:
        yield _line(desk, "choice_candidate", (Missing(desk.word("choice_none_yet")),))
        return
    who, offer, bill = chosen.candidate, chosen.candidate.offer, chosen.bill
    card = Quoted(who.card.name if who.card else who.gpu)
    named = desk.say("choice_cards", n=desk.count(who.cards), card=card)
    yield _line(desk, "choice_candidate", (Code(who.id), Words(", "), *named))
    told = (
        desk.say("choice_offer_of", offer=Code(offer.id), seller=Quoted(offer.seller))
        if offer is not None
        else (Missing(desk.word("choice_no_offer")),)
    )
    yield _line(desk, "choice_offer", told)
    if offer is not None:
        yield from _documents(desk, chosen, bill)
    yield from _quantities(desk, choice.order, bill)
    yield from _costs(desk, chosen, bill)


def _quantities(desk: Desk, order: Ordered | None, bill: Bill | None) -> Iterator[Row]:
    """As the need computes them and as they are ordered, side by side."""
    sides = {
        "choice_as_needed": () if bill is None else (("lots", bill.lots), ("cards", bill.cards)),
        "choice_as_ordered": ()
        if order is None
        else (("lots", order.lots), ("cards", order.cards)),
    }
    lines = []
    for key, counts in sides.items():
        told = [_count(desk, what, node) for what, node in counts if node is not None]
        if told:
            lines.append(desk.say(key, told=joined(told)))
    if lines:
        yield _line(desk, "choice_quantity", *lines)
    if bill is not None and bill.term.hours is not None:
        yield _line(desk, "choice_hours", (desk.amount(bill.term.hours),))


def _count(desk: Desk, what: str, node: Node) -> Parts:
    noun = desk.counted(f"{what}_of", 1 if node.low == node.high == 1 else 2)
    return (desk.count(node, noun),)


def _costs(desk: Desk, chosen: Outcome, bill: Bill | None) -> Iterator[Row]:
    if bill is None:
        if chosen.candidate.offer is not None:
            yield _line(desk, "choice_costs", (cost(desk, chosen),))
        return
    yield _line(desk, "choice_costs", comes_to(desk, bill))
    until: Parts = (Code(bill.valid_until),) if bill.valid_until else ()
    yield _line(desk, "choice_validity", until or (Missing(desk.word("choice_no_validity")),))


def _documents(desk: Desk, chosen: Outcome, bill: Bill | None) -> Iterator[Row]:
    """What an order names: the documents that state the price, by their numbers, and the day of delivery."""
    versions = {piece.id: piece.version for piece in desk.decision.fiche.pieces}
    told = [
        (Reference(name), *((Words(", "), Quoted(versions[name])) if versions[name] else ()))
        for name in (bill.pieces if bill is not None else ())
        if name in versions
    ]
    if told:
        yield _line(desk, "choice_documents", joined(told, "; "))
    day = chosen.schedule
    known: Part = Quoted(day.value) if day is not None else Missing(desk.word("no_schedule"))
    yield _line(desk, "choice_delivery", (known,))


def _placed(desk: Desk, choice: Choice) -> Iterator[Row]:
    """When, by whom, on whose money; what of it is not on record says so where an order is written."""
    order, facts = choice.order, desk.decision.fiche.purchase.facts
    if order is not None:
        told = [
            desk.say("choice_of_day", day=Code(order.date))
            if order.date
            else (Missing(desk.word("choice_no_day")),)
        ]
        if order.number:
            told.append(desk.say("choice_number", number=Code(order.number)))
        if order.buyer:
            told.append(desk.say("choice_placed_by", buyer=Quoted(order.buyer)))
        early = order.date and order.date < (choice.date or desk.decision.fiche.date)
        note = (Missing(desk.word("choice_order_early")),) if early else None
        yield _line(desk, "choice_order", joined(told), *((note,) if note else ()))
    buyer = [Quoted(facts[key].value) for key in ("name", "office") if key in facts]
    if buyer:
        yield _line(desk, "choice_buyer", joined(buyer))
    if "budget_line" in facts:
        yield _line(desk, "choice_line", (Quoted(facts["budget_line"].value),))
    told_by = facts.get("budget_holder")
    holder = choice.budget_holder or (told_by.value if told_by is not None else "")
    if holder:
        yield _line(desk, "choice_holder", (Quoted(holder),))


def _decided(desk: Desk, choice: Choice) -> Iterator[Row]:
    told: Parts = (Quoted(choice.by),)
    told += desk.say("choice_role", role=Quoted(choice.role)) if choice.role else ()
    told += desk.say("choice_on_day", day=Code(choice.date)) if choice.date else ()
    yield _line(desk, "choice_decided", told)
    yield _line(desk, "choice_because", (Quoted(choice.because), *cheaper(desk)))
    if choice.replaces is not None:
        old = choice.replaces
        lines: list[Parts] = [desk.say("choice_replaced", what=Quoted(old.what))]
        if old.digest:
            piece: Parts = (Words(" · "), Reference(old.piece)) if old.piece else ()
            lines.append((*desk.say("choice_digest", digest=Code(old.digest)), *piece))
        yield _line(desk, "choice_replaces", *lines)


def _standing(desk: Desk, chosen: Outcome | None) -> Iterator[Block]:
    """That it stands on conditions, and what is accepted that nothing is open on."""
    if chosen is not None and chosen.status == "to_confirm":
        yield Paragraph((Words(desk.word("choice_conditions_above"), strong=True),))
    unused = desk.decision.choosing.unused if desk.decision.choosing is not None else ()
    if unused:
        topics = joined([Words(desk.topic(accept.topic)) for accept in unused])
        yield Paragraph(desk.say("choice_unused", topics=topics), tone="note")


# --- People ---------------------------------------------------------------------------------------


def _opinions(desk: Desk, choice: Choice) -> Iterator[Table]:
    if choice.opinions:
        yield Table(
            id="opinions",
            caption=desk.word("opinions_caption"),
            columns=columns(desk, "opinion_by", "opinion_role", "opinion_kind", "opinion_says"),
            rows=tuple(_opinion(desk, one) for one in choice.opinions),
        )


_KINDS = {True: "reservation", False: "agreement", None: "opinion_untold"}


def _opinion(desk: Desk, one: Opinion) -> Row:
    kind = desk.word(_KINDS[one.reservation])
    return row(
        cell(Quoted(one.by)),
        cell(Quoted(one.role) if one.role else Missing(desk.word("no_role"))),
        cell(Missing(kind) if one.reservation is None else Words(kind, strong=one.reservation)),
        cell(Quoted(one.says)),
    )


def _interests(desk: Desk, choice: Choice) -> Iterator[Table]:
    """Whoever is named elsewhere in the decision and stated nothing is listed too (catalog 7)."""
    silent = desk.decision.choosing.undisclosed if desk.decision.choosing is not None else ()
    rows = [row(cell(Quoted(one.by)), cell(Quoted(one.statement))) for one in choice.interests]
    rows += [row(cell(Quoted(name)), cell(Missing(desk.word("no_statement")))) for name in silent]
    if rows:
        yield Table(
            id="interests",
            caption=desk.word("interests_caption"),
            columns=columns(desk, "opinion_by", "interest_says"),
            rows=tuple(rows),
        )


def _signatures(desk: Desk, choice: Choice) -> Iterator[Table]:
    """Lines to sign on paper: they are printed empty, and nothing ever fills them."""
    blank = cell((Words(desk.word("signature_blank")),))
    rows = tuple(
        row(
            cell(Quoted(one.name) if one.name else Missing(desk.word("signature_to_name"))),
            cell(Quoted(one.role)),
            blank,
            blank,
        )
        for one in choice.signatures
    )
    if rows:
        yield Table(
            id="signatures",
            caption=desk.word("signatures_caption"),
            columns=columns(
                desk, "signature_name", "signature_role", "signature_date", "signature_line"
            ),
            rows=rows,
        )
