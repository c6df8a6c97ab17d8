"""The verdicts that moved between two decisions: what each compared before and now, and what moved it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.difference import Change, Difference, Move
from fiche.report._changes_told import Sheet, Teller
from fiche.report.desk import cell, group, row
from fiche.report.link_parts import Link
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Missing,
    Paragraph,
    Parts,
    Row,
    Section,
    Words,
)

_ORDER = ("admissible", "to_confirm", "exclude")
HOW = ("alone", "any", "together", "named", "unattributed")
_FEW = 6


def section(teller: Teller, found: Difference, before: Sheet, after: Sheet) -> Section:
    """A row a verdict; those of a candidate or requirement that came or went share one."""
    blocks: tuple[Block, ...] = (Paragraph((Words(teller.word("no_verdicts")),)),)
    if found.moves:
        heads = ("verdict", "before", "now", "by")
        rows = _rows(teller, found, before, after)
        table = teller.table("moved", "verdicts_caption", heads, rows)
        blocks = (table,)
    return Section(id="verdicts", title=teller.word("verdicts_title"), blocks=blocks)


def _rows(teller: Teller, found: Difference, before: Sheet, after: Sheet) -> Iterator[Row]:
    places = {one.id: (place, one) for place, one in enumerate(found.changes, 1)}
    whole: dict[tuple[str, str], list[Move]] = {}
    by_candidate: dict[str, list[Move]] = {}
    for move in found.moves:
        of = _came_or_went(move, found)
        if of is None:
            by_candidate.setdefault(move.candidate, []).append(move)
        else:
            whole.setdefault(of, []).append(move)
    for candidate, moves in by_candidate.items():
        yield group(Code(candidate))
        for move in moves:
            yield _row(teller, move, (before, after), places, is_tried=found.rejudged)
    for (kind, name), moves in whole.items():
        yield _whole(teller, kind, name, moves)


def _came_or_went(move: Move, found: Difference) -> tuple[str, str] | None:
    """The candidate, else the requirement, that only one side has."""
    if move.before is not None and move.after is not None:
        return None
    gone = {one.id for one in found.changes if one.what in ("added", "removed")}
    names = (("candidate", move.candidate), ("requirement", move.requirement))
    return next((of for of in names if f"{of[0]}:{of[1]}" in gone), None)


def _whole(teller: Teller, kind: str, name: str, moves: list[Move]) -> Row:
    """Counts by verdict of the side that has it."""
    came = moves[0].before is None
    codes = [move.after if came else move.before for move in moves]
    told = [
        (teller.verdict(code), Words(f" {codes.count(code)}")) for code in _ORDER if code in codes
    ]
    absent = cell(Missing(teller.word("not_asked")))
    sides = (absent, cell(*told)) if came else (cell(*told), absent)
    first = cell((Code(name),), teller.counted("whole", len(moves)))
    return row(first, *sides, cell(teller.word(f"with_{kind}")))


def _row(
    teller: Teller,
    move: Move,
    sheets: tuple[Sheet, Sheet],
    places: Mapping[str, tuple[int, Change]],
    *,
    is_tried: bool,
) -> Row:
    where = " · ".join(part for part in (move.case, move.device) if part)
    return row(
        cell((Code(move.requirement),), (Code(where),) if where else None),
        _side(teller, move, move.before, sheets[0]),
        _side(teller, move, move.after, sheets[1]),
        _by(teller, move, places, is_tried=is_tried),
    )


def _side(teller: Teller, move: Move, code: str | None, sheet: Sheet) -> Cell:
    """The verdict of one side, the two numbers that it compared, and why where these do not say it."""
    if code is None:
        return cell(Missing(teller.word("not_asked")))
    key = (move.candidate, move.requirement, move.case, move.device)
    told = sheet.findings.get(key)
    lines: list[Parts] = [(teller.verdict(code),)]
    if told is not None:
        for word, side in (("needs", "need"), ("has", "have")):
            if told.get(side) is not None:
                lines.append(teller.say(word, **{side: teller.number(told[side])}))
        both = told.get("need") is not None and told.get("have") is not None
        if told.get("reason") and (code == "to_confirm" or not both):
            lines.append(teller.legible(told["reason"]))
    return cell(*lines)


def _by(
    teller: Teller, move: Move, places: Mapping[str, tuple[int, Change]], *, is_tried: bool
) -> Cell:
    """The changes that moved it, each a link to its row, and how that is known."""
    listed = [places[name] for name in move.by if name in places]
    lines: list[Parts] = [
        (Words(f"{teller.kind(one)} "), Link(one.name, f"change-{place}"))
        for place, one in listed[:_FEW]
    ]
    if len(listed) > _FEW:
        lines.append(teller.say("more", n=len(listed) - _FEW))
    how = move.how if is_tried or move.how != "unattributed" else "unnamed"
    return cell(*lines, (Words(teller.word(f"is_{how}")),))
