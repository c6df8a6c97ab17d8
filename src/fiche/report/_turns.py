"""Where the decision turns if one assumed or stated figure were otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Figure
from fiche.kernel.settling import Change, Sensitivity, Turn
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.parts import Block, Cell, Code, Paragraph, Part, Parts, Table, Words
from fiche.report.threshold import exact_too, threshold


def turns(desk: Desk, found: tuple[Sensitivity, ...]) -> Iterator[Block]:
    """One table of the figures that turn something; those that turn nothing are named in one sentence."""
    turning = [one for one in found if one.below.at is not None or one.above.at is not None]
    idle = [one for one in found if one not in turning]
    if turning:
        yield _table(desk, turning)
    if idle:
        figures = joined([_looked_at(desk, one) for one in idle], "; ")
        key = "sensitivities_none" if turning else "sensitivities_only_none"
        yield Paragraph(desk.say(key, figures=figures))


def _looked_at(desk: Desk, one: Sensitivity) -> Parts:
    """The figure as it is, and the bounds up to which it was looked at."""
    bounds = [amount_at(desk, turn.bound) for turn in (one.below, one.above)]
    return desk.say(
        "sensitivity_idle",
        figure=Code(one.name),
        value=desk.amount(one.value),
        low=bounds[0],
        high=bounds[1],
    )


def amount_at(desk: Desk, node: Figure) -> Part:
    """A bound; zero is a number there, and no hole."""
    listed = desk.book.of(node)
    return desk.listed(listed)


def _table(desk: Desk, found: list[Sensitivity]) -> Table:
    keys = ("settling_figure", "settling_now:number", "settling_below", "settling_above")
    return Table(
        id="sensitivities",
        caption=desk.word("settling_turns_caption").format(steps=desk.word("settling_steps")),
        columns=columns(desk, *keys),
        rows=tuple(
            row(
                Code(one.name),
                cell(desk.amount(one.value), numeric=True),
                _turned(desk, one.below, "settling_at_most", "settling_none"),
                _turned(desk, one.above, "settling_at_least", "settling_none_up"),
            )
            for one in found
        ),
        notes=(desk.say("settling_turns_note"),),
    )


def _turned(desk: Desk, turn: Turn, there: str, nothing: str) -> Cell:
    if turn.at is None:
        return cell(desk.say(nothing, bound=desk.amount(turn.bound)))
    changes = joined([change(desk, one) for one in turn.changes], "; ")
    at = at_exactly(desk, turn.at, is_floor=there == "settling_at_least")
    return cell(desk.say(there, at=at, changes=changes))


def at_exactly(desk: Desk, node: Figure, *, is_floor: bool) -> Parts:
    """Where it turns, and beside it the exact bytes that rounding changes."""
    told = desk.book.of(node)
    exact = exact_too(told, desk.style)
    at = (at_least(desk, node, is_floor=is_floor),)
    return (*at, *desk.say("aside", told=Words(exact))) if exact else at


def at_least(desk: Desk, node: Figure, *, is_floor: bool) -> Part:
    """Where it turns, on the side on which what is said of it holds: see `threshold` (law 2)."""
    return desk.amount(node, threshold(desk.book.of(node), desk.style, is_floor=is_floor))


def change(desk: Desk, one: Change) -> Parts:
    """What would be otherwise, in few words."""
    if one.what == "first":
        return (
            desk.say("settling_first", after=Code(one.after))
            if one.after
            else desk.say("settling_first_none")
        )
    words = desk.language.statuses if one.what == "status" else desk.language.verdicts
    key = "settling_change" if one.what == "status" else "settling_reading"
    before, after = (Words(words[code]) for code in (one.before, one.after))
    return desk.say(key, who=Code(one.candidate), before=before, after=after)
