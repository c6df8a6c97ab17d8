"""The entries that an overview names: what was added last, what may go soon, what the pairs cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fiche.kernel.holdings import Holdings, Mention
from fiche.report._changes_told import Teller
from fiche.report.desk import cell, joined, row
from fiche.report.link_parts import Link
from fiche.report.parts import (
    Block,
    Cell,
    Code,
    Column,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

_SHORT = 8
_DAY = 10


def link(id: str) -> Link:
    """The first letters of an id, which lead to its row in the list of named entries."""
    return Link(id[:_SHORT], f"entry-{id}")


def latest(teller: Teller, held: Holdings) -> Section:
    """What was added last."""
    table = _table(teller, "latest", held.latest, ("added", "entry", "kind_day"), _added)
    blocks: list[Block] = [table] if held.latest else []
    if len(held.latest) < held.entries:
        cut = teller.say("latest_cut", shown=len(held.latest), total=held.entries)
        blocks.append(Paragraph(cut, tone="note"))
    return Section(id="latest", title=teller.word("latest_title"), blocks=tuple(blocks))


def leaving(teller: Teller, held: Holdings) -> Section:
    """Whose retention ends soon, or has ended."""
    title = teller.word("leaving_title")
    if not held.leaving:
        none = Paragraph(teller.say("leaving_none", day=Code(held.soon)))
        return Section(id="leaving", title=title, blocks=(none,))
    table = _table(
        teller,
        "leaving",
        held.leaving,
        ("keep_until", "entry", "kind"),
        lambda _, one: _kept(teller, one, held.day),
        day=Code(held.soon),
    )
    blocks: list[Block] = [Paragraph((Words(teller.word("leaving_lead")),)), table]
    if len(held.leaving) < held.leaving_total:
        cut = teller.say("leaving_cut", shown=len(held.leaving), total=held.leaving_total)
        blocks.append(Paragraph(cut, tone="note"))
    return Section(id="leaving", title=title, blocks=tuple(blocks))


def named(teller: Teller, held: Holdings) -> Iterator[Section]:
    """What the table of pairs names, where it names any."""
    if held.named:
        table = _table(
            teller, "named", held.named, ("entry", "kind", "dated"), None, is_anchored=True
        )
        yield Section(id="named", title=teller.word("named_title"), blocks=(table,))


def _table(
    teller: Teller,
    name: str,
    mentions: Sequence[Mention],
    heads: Sequence[str],
    first: Callable[[Teller, Mention], Cell] | None,
    *,
    day: Code | None = None,
    is_anchored: bool = False,
) -> Table:
    caption = teller.word(f"{name}_caption")
    return Table(
        id=name,
        caption=caption if day is None else caption.format(day=day.text),
        columns=tuple(Column(title=teller.word(key)) for key in heads),
        rows=tuple(_row(teller, one, first, heads, is_anchored=is_anchored) for one in mentions),
        folded=is_anchored,
    )


def _row(
    teller: Teller,
    one: Mention,
    first: Callable[[Teller, Mention], Cell] | None,
    heads: Sequence[str],
    *,
    is_anchored: bool,
) -> Row:
    cells = [first(teller, one)] if first is not None else []
    kind, day = (Words(_kind(teller, one.kind)),), _day(teller, one.date)
    cells += [_entry(teller, one), cell(kind, day if "kind_day" in heads else None)]
    cells += [cell(day)] if "dated" in heads else []
    return row(*cells, anchor=f"entry-{one.id}" if is_anchored else "")


def _entry(teller: Teller, one: Mention) -> Cell:
    """Title and id, and by what it is superseded."""
    title: Parts | None = (Quoted(one.title),) if one.title else None
    replaced = None
    if one.superseded_by:
        by = joined([Code(each) for each in one.superseded_by])
        replaced = teller.say("replaced", by=by)
    return cell(title, (Code(one.id),), replaced)


def _kind(teller: Teller, kind: str) -> str:
    return teller.word(f"is_{kind}")


def _added(teller: Teller, one: Mention) -> Cell:
    return cell(_day(teller, one.added[:_DAY]))


def _day(teller: Teller, day: str) -> Parts:
    return (Code(day[:_DAY]),) if day else (Missing(teller.word("no_day")),)


def _kept(teller: Teller, one: Mention, today: str) -> Cell:
    """The last day, and that it has passed."""
    has_passed = one.keep_until < today
    return cell((Code(one.keep_until),), teller.say("passed_day") if has_passed else None)
