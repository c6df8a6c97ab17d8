"""Cards and models of an archive: a small matrix in words, then every pair with what is said of it by whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fiche.kernel.figure import Figure
from fiche.kernel.holdings import Holdings, Meeting, Range, Tally
from fiche.kernel.record import record
from fiche.report import numbers
from fiche.report._changes_told import READ, Teller, unit_of
from fiche.report.desk import cell, group, joined, row, signed
from fiche.report.link_parts import Link
from fiche.report.overview_entries import link
from fiche.report.parts import (
    Amount,
    Block,
    Cell,
    Code,
    Column,
    Missing,
    Paragraph,
    Part,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)

# Columns of paper, and rows of two pages.
_MODELS, _CARDS = 6, 40
_RANGES = 6


@record
class _Placed:
    """A meeting and the fragment of its row."""

    meeting: Meeting
    anchor: str
    place: int


def sections(teller: Teller, held: Holdings) -> Iterator[Section]:
    """The matrix and the pairs, where any entry speaks of a model or a card."""
    if not held.meetings:
        return
    placed = [
        _Placed(meeting=one, anchor=f"pair-{place + 1}", place=place)
        for place, one in enumerate(held.meetings)
    ]
    matrix = tuple(_matrix(teller, held, placed))
    yield Section(id="matrix", title=teller.word("matrix_title"), blocks=matrix)
    yield Section(
        id="pairs", title=teller.word("pairs_title"), blocks=tuple(_pairs(teller, held, placed))
    )


# --- The matrix -----------------------------------------------------------------------------------


def _matrix(teller: Teller, held: Holdings, placed: Sequence[_Placed]) -> Iterator[Block]:
    models, cards = _most([one.meeting for one in placed])
    known = {(one.meeting.model, one.meeting.card): one for one in placed}
    rows = [
        row(_name(teller, "card", card), *(_known(teller, known.get((m, card))) for m in models))
        for card in cards
    ]
    heads = [teller.word("card"), *(model or teller.word("no_model") for model in models)]
    yield Table(
        id="matrix",
        caption=teller.word("matrix_caption"),
        columns=tuple(Column(title=head) for head in heads),
        rows=tuple(rows),
    )
    told_models, told_cards = sum(map(bool, models)), sum(map(bool, cards))
    if told_models < held.models or told_cards < held.cards:
        cut = teller.say(
            "matrix_cut",
            models=told_models,
            all_models=held.models,
            cards=told_cards,
            all_cards=held.cards,
        )
        yield Paragraph(cut, tone="note")


def _most(meetings: Sequence[Meeting]) -> tuple[list[str], list[str]]:
    """The models and the cards that most entries speak of, by name."""
    models: Counter[str] = Counter()
    cards: Counter[str] = Counter()
    for one in meetings:
        models[one.model] += one.entries
        cards[one.card] += one.entries
    return _first(models, _MODELS), _first(cards, _CARDS)


def _first(counted: Counter[str], most: int) -> list[str]:
    chosen = sorted(counted, key=lambda name: (-counted[name], name))[:most]
    return sorted(chosen, key=lambda name: (not name, name.casefold(), name))


def _name(teller: Teller, kind: str, name: str) -> Part:
    return Quoted(name) if name else Missing(teller.word(f"no_{kind}"))


def _known(teller: Teller, one: _Placed | None) -> Cell:
    """A word, and how many entries there are; where none is kept that is said too."""
    if one is None:
        return cell(Missing(teller.word("none")))
    word = teller.word(f"word_{one.meeting.answer}")
    return cell((Link(word, one.anchor),), teller.counted("entries", one.meeting.entries))


# --- The pairs ------------------------------------------------------------------------------------


def _pairs(teller: Teller, held: Holdings, placed: Sequence[_Placed]) -> Iterator[Block]:
    heads = ("model", "decisions", "runs", "observed")
    yield Table(
        id="pairs",
        caption=teller.word("pairs_caption"),
        columns=tuple(Column(title=teller.word(key)) for key in heads),
        rows=tuple(_rows(teller, placed)),
    )
    if len(placed) < held.pairs:
        cut = teller.say("pairs_cut", shown=len(placed), total=held.pairs)
        yield Paragraph(cut, tone="note")


def _rows(teller: Teller, placed: Sequence[_Placed]) -> Iterator[Row]:
    last = None
    for one in placed:
        if one.meeting.card != last:
            last = one.meeting.card
            yield group(_name(teller, "card", last))
        yield row(
            _name(teller, "model", one.meeting.model),
            _told(teller, one.meeting.verdicts, "no_decision"),
            _told(teller, one.meeting.runs, "no_run"),
            _observed(teller, one),
            anchor=one.anchor,
        )


def _told(teller: Teller, tallies: Sequence[Tally], none: str) -> Cell:
    """A line an outcome: what it is in words, how often, and the latest entries that say it."""
    if not tallies:
        return cell(Missing(teller.word(none)))
    return cell(*(_tally(teller, one) for one in tallies))


def _tally(teller: Teller, one: Tally) -> Parts:
    key = {"to confirm": "confirm"}.get(one.outcome, one.outcome)
    day = teller.say("newest", day=Code(one.newest)) if one.newest else teller.say("undated")
    links = joined([link(each) for each in one.entries])
    return (*teller.counted(key, one.count), Words(", "), *day, Words(" "), *links)


def _observed(teller: Teller, one: _Placed) -> Cell:
    ranges = one.meeting.ranges
    if not ranges:
        return cell(Missing(teller.word("no_range")))
    lines = [
        _range(teller, told, f"meetings/{one.place}/ranges/{at}")
        for at, told in enumerate(ranges[:_RANGES])
    ]
    if len(ranges) > _RANGES:
        lines.append(teller.counted("more_ranges", len(ranges) - _RANGES))
    return cell(*lines)


def _range(teller: Teller, told: Range, place: str) -> Parts:
    """Low to high with its unit and its mark; `place` leads to it in the document."""
    figure = Figure(low=told.low, high=told.high, unit=unit_of(told.unit), origin=READ, id=place)
    amount = Amount(
        text=signed(numbers.amount(figure, teller.language.style)),
        figure=place,
        mark="observed",
        mark_word=teller.language.marks["observed"][0],
    )
    return teller.say(
        "range",
        quantity=Quoted(told.quantity),
        range=amount,
        entries=teller.counted("entries", told.entries),
    )
