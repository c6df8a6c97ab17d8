"""What people say of a report, printed as opinions beside it: open ones first, each on an id (E1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiche.kernel.comment import Comment, Review
from fiche.kernel.record import replace
from fiche.report.desk import Desk, cell, columns, row
from fiche.report.link_parts import Link
from fiche.report.parts import (
    Block,
    Box,
    Code,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Report,
    Row,
    Section,
    State,
    Table,
    Words,
)
from fiche.report.remarks import WHOLE, remarked

OPEN, RESOLVED = ("open", "◊"), ("resolved", "√")


def commented(report: Report, desk: Desk, review: Review) -> Report:
    """The report with its comments: counted on page one, marked where they belong, and listed."""
    sections, found = remarked(report, desk, review)
    listed = section(desk, review, found)
    places = [place for place, one in enumerate(sections.sections) if one.place == "annex"]
    first = places[0] if places else len(sections.sections)
    before, after = sections.sections[:first], sections.sections[first:]
    opening = tuple(_counted(block, desk, review) for block in sections.opening)
    return replace(sections, opening=opening, sections=(*before, listed, *after))


def listed(report: Report, desk: Desk, review: Review) -> Report:
    """The same without marks, for a terminal."""
    told = section(desk, review, {})
    opening = tuple(_counted(block, desk, review) for block in report.opening)
    return replace(report, opening=opening, sections=(*report.sections, told))


def _counted(block: Block, desk: Desk, review: Review) -> Block:
    """The verdict box also says how many comments nobody has answered."""
    if not isinstance(block, Box):
        return block
    line = desk.say(
        "comments_line",
        open=(Words(str(review.num_open), strong=True),),
        resolved=len(review.comments) - review.num_open,
        section=desk.word("comments_title"),
    )
    return replace(block, closing=(*block.closing, line))


def section(desk: Desk, review: Review, found: Mapping[str, str]) -> Section:
    """The comments; `found` leads from one's id to the fragment of what it is on."""
    table = Table(
        id="comments",
        caption=desk.word("comments_caption"),
        columns=columns(
            desk, "comments_state:state", "comments_who", "comments_on", "comments_says"
        ),
        rows=tuple(_row(desk, review, one, found.get(one.id, "")) for one in review.in_order),
    )
    lead = Paragraph((Words(desk.word("comments_lead")),), tone="note")
    blocks = (lead, Paragraph(_version(desk, review)), table)
    return Section(id="comments", title=desk.word("comments_title"), blocks=blocks, place="record")


def _version(desk: Desk, review: Review) -> Parts:
    if not review.of:
        return (Missing(desk.word("comments_of_none")),)
    key = "comments_apart" if review.is_apart else "comments_here"
    told = desk.say(key, of=Code(review.of))
    return tuple(
        replace(part, strong=True) if review.is_apart and isinstance(part, Words) else part
        for part in told
    )


def _row(desk: Desk, review: Review, one: Comment, where: str) -> Row:
    code, glyph = OPEN if one.is_open else RESOLVED
    state = State(code, glyph, desk.word(f"comments_{code}"))
    other = (Missing(desk.word("comments_other")),) if review.is_apart else None
    return row(
        cell((Code(one.id), Words(" "), state), other),
        cell(
            (Quoted(one.by, strong=True),), Quoted(one.role) if one.role else None, Code(one.date)
        ),
        cell(_subject(desk, one, where)),
        cell(Quoted(one.says), *_answer(desk, one)),
        anchor=f"comment-{one.id}",
    )


def _subject(desk: Desk, one: Comment, where: str) -> Parts:
    """What it is about, as a link where the page shows it."""
    if one.sort == WHOLE:
        return (Words(desk.word("comments_on_report")),)
    return desk.say(f"comments_on_{one.sort}", on=Link(one.on, where))


def _answer(desk: Desk, one: Comment) -> Iterator[Parts]:
    if one.resolved is None:
        return
    by: Parts = (Quoted(one.resolved.by, strong=True),)
    by += (Words(", "), Quoted(one.resolved.role)) if one.resolved.role else ()
    yield desk.say(
        "comments_answer", by=by, date=Code(one.resolved.date), says=Quoted(one.resolved.says)
    )
