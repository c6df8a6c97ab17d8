"""Assumptions and margins: value, reason, who holds it, and what it does to the verdict (D5, E2)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Node
from fiche.kernel.origin import Assumed, Stated
from fiche.kernel.settling import Sensitivity, Turn
from fiche.report._turns import amount_at, at_exactly, change
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import (
    Block,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

_MOST = 6


def section(desk: Desk) -> Section:
    """Every guess that is made, then the stated margins; a long list goes on in the annex."""
    found = held(desk)
    block: Block = Paragraph((Words(desk.word("assumptions_none")),))
    if found:
        left = len(found) - _MOST
        noun = desk.counted("held_noun", left)
        block = Table(
            id="held",
            caption=desk.word("assumptions_caption"),
            columns=columns(desk, "assumption", "value:number", "why", "who", "held_effect"),
            rows=tuple(_row(desk, node) for node in found[:_MOST]),
            notes=(desk.say("held_left", n=left, noun=noun),) if left > 0 else (),
        )
    return Section(id="held", title=desk.word("held_title"), blocks=(block,))


def held(desk: Desk) -> tuple[Node, ...]:
    """Guesses of the decision by the order of its figures, then margins."""
    guesses = [n for n in desk.book.figures.values() if isinstance(n.origin, Assumed)]
    margins = [desk.book.of(margin) for margin in desk.decision.fiche.workload.margin]
    return (*guesses, *margins)


def _row(desk: Desk, node: Node) -> Row:
    origin = node.origin
    because = origin.because if isinstance(origin, Assumed | Stated) else ""
    by = origin.by if isinstance(origin, Assumed) else desk.decision.fiche.author
    return row(
        cell((Quoted(node.label or node.id),)),
        cell(desk.listed(node), numeric=True),
        cell(Quoted(because) if because else Missing(desk.word("unknown_not_stated"))),
        cell(Quoted(by) if by else Missing(desk.word("nobody"))),
        cell(*_effect(desk, node)),
    )


# --- What it does ---------------------------------------------------------------------------------


def _effect(desk: Desk, node: Node) -> Iterator[Parts]:
    settling = desk.decision.settling
    found = settling.sensitivities if settling is not None else ()
    mine = next((one for one in found if one.name == node.id), None)
    if mine is None:
        yield (Words(desk.word("held_untested")),)
        return
    turned = [turn for turn in (mine.below, mine.above) if turn.at is not None]
    if not turned:
        yield _nothing(desk, mine)
    for turn in turned:
        yield _turned(desk, turn, is_floor=turn is mine.above)


def _nothing(desk: Desk, one: Sensitivity) -> Parts:
    low, high = (amount_at(desk, turn.bound) for turn in (one.below, one.above))
    return desk.say("held_nothing", low=low, high=high)


def _turned(desk: Desk, turn: Turn, *, is_floor: bool) -> Parts:
    assert turn.at is not None
    changes = joined([change(desk, one) for one in turn.changes], "; ")
    key = "settling_at_least" if is_floor else "settling_at_most"
    return desk.say(key, at=at_exactly(desk, turn.at, is_floor=is_floor), changes=changes)
