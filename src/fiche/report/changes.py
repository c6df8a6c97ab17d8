"""Two decisions compared, as a report of the same make: which verdicts moved, by what, from which numbers."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.difference import Difference, Side, Standing
from fiche.kernel.record import record
from fiche.report import changes_list, changes_verdicts, numbers
from fiche.report._changes_told import Document, Sheet, Teller
from fiche.report.desk import cell, joined, row
from fiche.report.parts import (
    Answer,
    Block,
    Box,
    Chrome,
    Code,
    Column,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Report,
    Section,
    Table,
    Words,
)
from fiche.report.translated import translated
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

DOCUMENT = "diff.json"
_ATTACHED = ("attachment", "relation", "bytes", "sha256")


@record
class Compared:
    """A difference and the documents of its two sides, with the digest of each file as it was read."""

    found: Difference
    before: Document
    after: Document
    digests: tuple[str, str]


def changes(compared: Compared, language: Language = ENGLISH) -> Report:
    """Say a difference in a language."""
    teller, found = Teller(language), compared.found
    before, after = Sheet.of(compared.before), Sheet.of(compared.after)
    sections = (
        changes_verdicts.section(teller, found, before, after),
        changes_list.section(teller, found, before, after),
        _method(teller, found),
        _sides(teller, compared),
    )
    now = found.after
    made = Report(
        language=language.tag,
        style=language.style,
        title=teller.word("title").format(title=now.title),
        date=now.date,
        author=str(compared.after["author"]),
        tool=_tool(language, now),
        eyebrow=_eyebrow(teller, now),
        opening=tuple(_opening(teller, found)),
        sections=sections,
        chrome=_chrome(teller, now),
    )
    return translated(made, language)


def _tool(language: Language, now: Side) -> str:
    return language.phrases["tool"].format(version=now.tool)


def _eyebrow(teller: Teller, now: Side) -> Parts:
    dated = teller.filled(teller.language.phrases["dated"], date=Code(now.date))
    return (Words(teller.word("eyebrow"), strong=True), Words(" · "), *dated)


# --- Page one -------------------------------------------------------------------------------------


def _opening(teller: Teller, found: Difference) -> Iterator[Block]:
    sides = (found.before, found.after)
    key = "side" if sides[0].title != sides[1].title else "same_side"
    before, after = (
        teller.say(key, title=Quoted(side.title, strong=True), date=Code(side.date))
        for side in sides
    )
    yield Paragraph(teller.say("lead", before=before, after=after), tone="lead")
    yield Box(
        question=teller.word("question"),
        answers=tuple(_answer(teller, one, one.after) for one in found.standings if one.after),
        closing=tuple(_closing(teller, found)),
    )


def _answer(teller: Teller, one: Standing, now: str) -> Answer:
    """A candidate whose status or rank is another one."""
    before = _stands(teller, one.before, one.rank_before)
    after = _stands(teller, one.after, one.rank)
    return Answer(
        state=teller.status(now),
        subject=(Code(one.candidate),),
        sentences=(teller.say("standing", before=before, after=after),),
    )


def _stands(teller: Teller, status: str | None, rank: int | None) -> Parts:
    if status is None:
        return (Missing(teller.word("absent")),)
    state = (teller.status(status),)
    return state if rank is None else teller.say("ranked", state=state, rank=rank)


def _gone(teller: Teller, one: Standing) -> Parts:
    state = _stands(teller, one.before, one.rank_before)
    return teller.say("was", candidate=Code(one.candidate), state=state)


def _closing(teller: Teller, found: Difference) -> Iterator[Parts]:
    if found.empty:
        yield teller.say("nothing")
        return
    if not found.standings:
        yield teller.say("no_standing")
    gone = [_gone(teller, one) for one in found.standings if one.after is None]
    if gone:
        yield teller.say("gone", told=joined(gone))
    parts = [
        teller.say(f"how_{'kind' if how == 'alone' and found.grouped else how}", n=count)
        for how in changes_verdicts.HOW
        if (count := sum(move.how == how for move in found.moves))
    ]
    told = (Words(" = "), *joined(parts, " + ")) if parts else ()
    yield teller.say("moved", moved=len(found.moves), total=found.asked, parts=told)
    stayed = found.asked - len(found.moves)
    yield teller.say("stayed", n=stayed, total=found.asked, reworded=found.reworded)


# --- How, and of what -----------------------------------------------------------------------------


def _method(teller: Teller, found: Difference) -> Section:
    keys = ["tried" if found.rejudged else "untried", *(["grouped"] if found.grouped else [])]
    return Section(
        id="how",
        title=teller.word("method_title"),
        blocks=tuple(Paragraph((Words(teller.word(key)),)) for key in keys),
    )


def _sides(teller: Teller, compared: Compared) -> Section:
    heads = ("what", "file", "kind", "dated", "tool")
    found = compared.found
    rows = [
        row(
            cell(teller.word(key)),
            cell((Code(side.name),), (Quoted(side.title),)),
            cell(teller.word(f"is_{side.kind}")),
            cell(Code(side.date)),
            cell(Code(side.tool)),
            cell(Code(digest)),
        )
        for key, side, digest in zip(
            ("before", "now"), (found.before, found.after), compared.digests, strict=True
        )
    ]
    titles = [*(teller.word(key) for key in heads), teller.language.phrases["sha256"]]
    table = Table(
        id="sides",
        caption=teller.word("sides_caption"),
        columns=tuple(Column(title=title) for title in titles),
        rows=tuple(rows),
    )
    return Section(id="sides", title=teller.word("sides_title"), blocks=(table,))


def _chrome(teller: Teller, now: Side) -> Chrome:
    phrases = teller.language.phrases
    date = numbers.dated(now.date, teller.language.style)
    themes = ("theme", "theme_device", "theme_light", "theme_dark")
    return Chrome(
        skip=phrases["skip"],
        contents=phrases["contents"],
        annex=phrases["annex_title"],
        annex_lead=phrases["annex_lead"],
        foot=teller.word("foot").format(tool=_tool(teller.language, now), date=date),
        cut=phrases["letters_left"].replace("decision.json", DOCUMENT),
        digest=teller.word("digest"),
        download=phrases["download"],
        attachments_caption=phrases["attachments_caption"],
        attachments_columns=tuple(phrases[key] for key in _ATTACHED),
        attachments_note=(Words(teller.word("attachments")),),
        decision_role=teller.word("document"),
        page=tuple((key, phrases[f"page_{key}"]) for key in themes),
        codes=(),
        document=DOCUMENT,
    )
