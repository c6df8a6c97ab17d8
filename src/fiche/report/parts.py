"""What a report is made of: sections, tables, cells, and words with their marks. No bytes here.

Renderers choose a class or a character for each of these and add no content of their own.
"""

from __future__ import annotations

from fiche.kernel.record import record
from fiche.report.link_parts import Link, Remark
from fiche.report.numbers import Style
from fiche.report.sizer_parts import Sizer


@record(kw_only=False)
class Words:
    """The report's own words."""

    text: str
    strong: bool = False


@record(kw_only=False)
class Quoted:
    """Words of a fiche or a piece, shown as they were written and never trusted."""

    text: str
    strong: bool = False


@record(kw_only=False)
class Code:
    """An identifier, a path or a digest: every character counts."""

    text: str


@record
class Amount:
    """A number with its unit and where it comes from.

    `figure` is its id in decision.json, `mark` one of the kinds of `Mark`, `includes` the weaker
    kinds that a computed number rests on (E2).
    """

    text: str
    figure: str
    mark: str
    mark_word: str
    includes: str = ""


@record(kw_only=False)
class Mark:
    """A kind mark alone, as a legend shows it."""

    kind: str
    word: str


@record(kw_only=False)
class State:
    """A verdict or a status: `code` is language-free, `glyph` and `word` always stand together."""

    code: str
    glyph: str
    word: str


@record(kw_only=False)
class Reference:
    """A link to the row of a piece."""

    piece: str


@record(kw_only=False)
class Missing:
    """What is not known, with the sort of not knowing said: never blank, never zero (C2)."""

    text: str


@record(kw_only=False)
class Swatch:
    """A sample of how a picture fills what the words after it name."""

    kind: str


Part = Words | Quoted | Code | Amount | Mark | State | Reference | Missing | Swatch | Link | Remark
Parts = tuple[Part, ...]


@record
class Cell:
    """`lines` are shown one under the other; a number keeps to the right; it may span several `rows`."""

    lines: tuple[Parts, ...]
    numeric: bool = False
    rows: int = 1


@record
class Column:
    """A heading; `kind` lets a renderer give room: text, number, state, narrow."""

    title: str
    kind: str = "text"


@record
class Row:
    """The first cell is the row's heading. `anchor` is the fragment that references lead to.

    A `group` row has one cell, which heads the rows below it. A row of a `candidate` bears its id, and one of a
    verdict the `requirement` too: by these a page finds in decision.json what a reader opens or sorts.
    """

    cells: tuple[Cell, ...]
    anchor: str = ""
    group: bool = False
    candidate: str = ""
    requirement: str = ""
    continues: bool = False


@record
class Table:
    """`id` is unique in the report; `caption` says what the rows are and in which order.

    A `folded` one is long and read by few: a screen opens it on demand, paper always shows it.
    """

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[Parts, ...] = ()
    folded: bool = False


@record(kw_only=False)
class Paragraph:
    """One paragraph; `tone` is plain, lead or note."""

    parts: Parts
    tone: str = "plain"


@record(kw_only=False)
class Items:
    """A list."""

    items: tuple[Parts, ...]


@record
class Segment:
    """A stretch of a bar in thousandths of its width.

    `kind` is a figure's mark, `margin`, `range` (what may come to it) or `unknown`; `shade` counts the
    computed ones, so that neighbours are told apart. One that `continues` is the far end of the one before.
    """

    start: int
    width: int
    kind: str
    shade: int
    label: str
    amount: Amount | Missing
    continues: bool = False


@record
class Limit:
    """Where one capacity of several ends, in thousandths, and whose it is."""

    at: int
    label: str
    amount: Amount


@record
class Bar:
    """A need drawn against a capacity on one scale. `title` says the same in words.

    `segments` make up the need, `whole` is their sum where there are several; `margins` stand beyond
    it. `limit` is where the capacity ends, in thousandths; None where no capacity is known. `limits` are
    several, numbered in the picture.
    """

    id: str
    title: str
    lead: Parts
    segments: tuple[Segment, ...]
    whole: Part | None
    origin: Parts
    margins: tuple[Segment, ...]
    limit: int | None
    limit_label: str
    limit_amount: Amount | None
    limits: tuple[Limit, ...] = ()


@record
class Tick:
    """A mark of an axis, in thousandths of the picture's width, and what stands at it."""

    at: int
    label: str


@record
class Curve:
    """One level over time: `kind` is reserved, requested or allocated; `points` are (across, down)."""

    kind: str
    label: str
    points: tuple[tuple[int, int], ...]


@record
class Peak:
    """The highest point of a curve; `anchor` is the end of its label that stands at it."""

    kind: str
    x: int
    y: int
    label: str
    anchor: str


@record
class Band:
    """A stretch with a name of its own, from `left` to `right`; `label` is as much of it as has room.

    Where the name itself has none, `key` is the number that stands for it.
    """

    left: int
    right: int
    label: str
    name: str
    key: str


@record
class Timeline:
    """Levels of memory over a window. `said` is in words what the peaks show.

    `across` and `up` name the axes, `xs` and `ys` are their marks. `keys` are lines that say what the numbers
    of `bands` stand for.
    """

    id: str
    title: str
    across: str
    up: str
    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    peaks: tuple[Peak, ...]
    said: str
    bands: tuple[Band, ...] = ()
    keys: tuple[str, ...] = ()


@record
class Course:
    """One cost over hours: `kind` is own or rent, `dash` counts the rents; `points` are (across, down)."""

    kind: str
    dash: int
    label: str
    points: tuple[tuple[int, int], ...]


@record
class Point:
    """A numbered point; its number stands above or below it."""

    x: int
    y: int
    number: int
    above: bool


@record
class Costs:
    """Costs against hours with the points where they cross. `said` is in words what the picture shows.

    `across` and `up` name the axes, `xs` and `ys` are their marks, `years` the ends of years; `keys` are lines
    that say, with every number, what the numbered points stand for.
    """

    id: str
    title: str
    across: str
    up: str
    xs: tuple[Tick, ...]
    ys: tuple[Tick, ...]
    years: tuple[int, ...]
    courses: tuple[Course, ...]
    marks: tuple[Point, ...]
    said: str
    keys: tuple[Parts, ...] = ()


@record
class Plate:
    """A filled rectangle of a picture; `kind` says of what, for a renderer's hatch and colour."""

    kind: str
    x: int
    y: int
    width: int
    height: int


@record
class Stroke:
    """A line of a picture through points."""

    kind: str
    points: tuple[tuple[int, int], ...]


@record
class Sign:
    """A small mark of a picture at a point: disc, triangle, cross, ring, floor, onward."""

    shape: str
    x: int
    y: int


@record
class Lettering:
    """Words of a picture: `anchor` is start, middle or end, `tone` plain, quiet, strong or a verdict's code.

    `room` is the width that they have: a renderer cuts what is longer.
    """

    x: int
    y: int
    text: str
    room: int
    anchor: str = "start"
    tone: str = "plain"


Stroked = Plate | Stroke | Sign | Lettering


@record
class Drawing:
    """A picture made of plates, lines, signs and words, drawn in this order; units are those of `letters`.

    `said` is in words what it shows; `caption` has its numbers, each marked, and what its signs mean.
    """

    id: str
    title: str
    said: str
    width: int
    height: int
    marks: tuple[Stroked, ...]
    caption: tuple[Parts, ...]


@record
class Answer:
    """One line of the verdict box: an answer, of whom, and the sentences that carry it."""

    state: State
    subject: Parts
    sentences: tuple[Parts, ...]


@record
class Box:
    """The verdict box of page one: the question, an answer a candidate and device, what follows."""

    question: str
    answers: tuple[Answer, ...]
    closing: tuple[Parts, ...]


@record
class Callout:
    """Something a reader must not miss: a banner, a conditional choice. `kind` names it for a style."""

    kind: str
    title: str
    blocks: tuple[Block, ...]


Block = Table | Paragraph | Items | Bar | Timeline | Costs | Drawing | Box | Callout | Sizer


@record
class Section:
    """A heading and what stands under it; `id` is its fragment.

    `place` is brief (the pages that are signed), record (of a choice: minutes, signatures) or annex (what an
    engineer audits: on a screen always, on paper where it is asked for).
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    place: str = "brief"


@record
class Chrome:
    """The words around the content that a renderer needs and must not invent.

    `document` is the attached file that holds all of it for programs, whose digest every page bears.
    `cut` says how many letters of an endless word paper leaves out, as `{count}`.
    `page` are what a screen says besides, by key; `codes` the words of kinds, statuses and verdicts.
    `texts` are texts of that file, each beside the same as the page says it.
    """

    skip: str
    contents: str
    annex: str
    annex_lead: str
    foot: str
    cut: str
    digest: str
    download: str
    attachments_caption: str
    attachments_columns: tuple[str, ...]
    attachments_note: Parts
    decision_role: str
    page: tuple[tuple[str, str], ...]
    codes: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, str], ...] = ()
    document: str = "decision.json"


@record
class Report:
    """A whole report in one language. `opening` is page one above the numbered sections.

    `style` is how the language writes numbers, for what a renderer itself counts (bytes of files). `draft` is
    the word that stands behind every page of a draft, empty for a report.
    """

    language: str
    style: Style
    title: str
    date: str
    author: str
    tool: str
    eyebrow: Parts
    opening: tuple[Block, ...]
    sections: tuple[Section, ...]
    chrome: Chrome
    draft: str = ""
