"""report.md: the pages that are signed, to paste into an issue or a pull request (GitHub's Markdown).

Nothing that a fiche or a piece says can act there: no HTML, no image, no link, no mention, no reference to an
issue. The text is short enough for a comment; what was cut is counted where it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from fiche.render.visible import visible
from fiche.report.link_parts import Link, Remark
from fiche.report.parts import (
    Amount,
    Bar,
    Block,
    Box,
    Callout,
    Cell,
    Code,
    Costs,
    Drawing,
    Items,
    Mark,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Reference,
    Report,
    Row,
    State,
    Swatch,
    Table,
    Timeline,
    Words,
)

# A comment on GitHub has 65 536 characters at most.
MOST = 60_000
_ROOM = 400
# Speaks of the file that it stands in, and of what is attached to that.
_ELSEWHERE = ("attached",)
_SIGNS = re.compile(r"[\\`*_\[\]<>|~#!&$^{}]")
# Between these and what follows an empty comment stands: it is not shown, and takes mentions, references to
# issues, addresses and emoji apart.
_ACTING = re.compile(
    r"@(?=\w)|#(?=\d)|\b[Gg][Hh]-(?=\d)|\b(?:https?|ftps?|mailto|xmpp):(?=\S)|\b[Ww][Ww][Ww]\.(?=\S)|:(?=[\w+-]+:)"
)
_NOTHING = "<!-- -->"
_LEADING = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
_DIGEST = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_BLANK = re.compile(r"\s+")


def markdown_bytes(report: Report, digest: str, cut: str) -> bytes:
    """The text. `digest` is of decision.json; `cut` says, with `{n}`, how many blocks were left out."""
    head = [
        f"# {plain(report.title)}",
        inline(report.eyebrow),
        f"{plain(report.chrome.digest.partition('{')[0].strip())} {_code(digest)}",
    ]
    return "\n\n".join(_bounded([*head, *_body(report)], cut)).encode("utf-8") + b"\n"


def _body(report: Report) -> Iterator[str]:
    for block in report.opening:
        yield from _block(block, 2)
    for section in report.sections:
        if section.place != "annex" and section.id not in _ELSEWHERE:
            yield f"## {plain(section.title)}"
            for block in section.blocks:
                yield from _block(block, 3)
    yield plain(report.tool)


def _bounded(blocks: Sequence[str], cut: str) -> Iterator[str]:
    """Blocks while there is room; a heading alone at the end would promise what is not there."""
    room, kept = MOST - _ROOM, []
    for block in blocks:
        if len(block) + 2 > room:
            break
        room -= len(block) + 2
        kept.append(block)
    if len(kept) == len(blocks):
        yield from kept
        return
    while kept and kept[-1].startswith("#"):
        kept.pop()
    yield from kept
    yield plain(cut.format(n=len(blocks) - len(kept)))


# --- Blocks ---------------------------------------------------------------------------------------


def _block(block: Block, level: int) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _line(inline(block.parts))
        case Items():
            yield "\n".join(f"- {_line(inline(item))}" for item in block.items)
        case Box():
            yield from _box(block, level)
        case Callout():
            yield f"{'#' * level} {plain(block.title)}"
            for each in block.blocks:
                yield from _block(each, level + 1)
        case Table():
            yield from _table(block)
        case Drawing():
            yield "\n".join([f"- {_line(inline(said))}" for said in block.caption] or [""])
        case Bar() | Timeline() | Costs():
            said = block.title if isinstance(block, Bar) else f"{block.title}: {block.said}"
            yield _line(plain(said))


def _box(box: Box, level: int) -> Iterator[str]:
    yield f"{'#' * level} {plain(box.question)}"
    answers = [
        f"- {inline((answer.state,))} {inline(answer.subject)}"
        + "".join(f"  \n  {_line(inline(sentence))}" for sentence in answer.sentences)
        for answer in box.answers
    ]
    yield from ["\n".join(answers)] if answers else ()
    for line in box.closing:
        yield _line(inline(line))


def _table(table: Table) -> Iterator[str]:
    yield f"**{plain(table.caption)}**"
    count = len(table.columns)
    marks = ("--:" if column.kind == "number" else "---" for column in table.columns)
    lines = [_row([plain(column.title) for column in table.columns]), _row(list(marks))]
    spans = [0] * count
    for row in table.rows:
        lines.append(_row(_cells(row, spans, count)))
    yield "\n".join(lines)
    if table.notes:
        yield "\n".join(f"- {_line(inline(note))}" for note in table.notes)


def _cells(row: Row, spans: list[int], count: int) -> list[str]:
    """The cells of a row in their columns; below a cell of several rows its column is empty."""
    if row.group:
        return [f"**{_cell(row.cells[0])}**", *[""] * (count - 1)]
    waiting = iter(row.cells)
    told = []
    for place in range(count):
        if spans[place]:
            spans[place] -= 1
            told.append("")
            continue
        cell = next(waiting, None)
        spans[place] = 0 if cell is None else cell.rows - 1
        told.append("" if cell is None else _cell(cell))
    return told


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return "<br>".join(told for line in cell.lines if (told := inline(line)))


# --- Parts ----------------------------------------------------------------------------------------


def inline(parts: Parts) -> str:
    """A run of parts in one line."""
    return "".join(chain.from_iterable(_WRITE[type(part)](part) for part in parts))


def plain(text: str) -> str:
    """Words that mean nothing but themselves, in one line."""
    shown = _BLANK.sub(lambda found: found[0] if found[0] != "\n" else " ", visible(text))
    escaped = _SIGNS.sub(lambda found: f"\\{found[0]}", shown)
    taken = _ACTING.sub(lambda found: f"{found[0]}{_NOTHING}", _unescaped_hash(escaped))
    return _DIGEST.sub(lambda found: f"{found[0][:6]}{_NOTHING}{found[0][6:]}", taken)


def _unescaped_hash(text: str) -> str:
    r"""`\#1` is read as `#1` before references are looked for: the sign is set apart as well."""
    return re.sub(r"\\#(?=\d)", lambda _: f"\\#{_NOTHING}", text)


def _line(text: str) -> str:
    """A text that begins a line: no list, no heading of its own."""
    return _LEADING.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}"


def _words(part: Words) -> str:
    return _strong(part.text) if part.strong else plain(part.text)


def _quoted(part: Quoted) -> str:
    return _strong(part.text) if part.strong else plain(part.text)


def _strong(text: str) -> str:
    """Blanks at an end would keep the stars from being read."""
    told = text.strip()
    if not told:
        return text
    before, _, after = text.partition(told)
    return f"{before}**{plain(told)}**{after}"


def _of_code(part: Code) -> str:
    return _code(part.text)


def _code(text: str) -> str:
    """A code span whose fence is longer than any in it; a bar would end a table's cell."""
    told = _BLANK.sub(" ", visible(text))
    fence = "`" * (max((len(run) for run in re.findall("`+", told)), default=0) + 1)
    edge = " " if told.startswith("`") or told.endswith("`") or not told.strip() else ""
    return f"{fence}{edge}{told}{edge}{fence}".replace("|", "\\|")


def _amount(part: Amount) -> str:
    told = [plain(part.text), *([plain(part.mark_word)] if part.mark_word else [])]
    return " ".join([*told, *([plain(part.includes)] if part.includes else [])])


def _mark(part: Mark) -> str:
    return plain(part.word)


def _state(part: State) -> str:
    return f"{part.glyph} **{plain(part.word)}**"


def _reference(part: Reference) -> str:
    return _code(part.piece)


def _missing(part: Missing) -> str:
    return f"*{plain(part.text)}*"


def _link(part: Link) -> str:
    return _code(part.text)


def _remark(part: Remark) -> str:
    return f" ({_code(part.comment)})"


def _swatch(part: Swatch) -> str:
    return ""


_WRITE: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Quoted: _quoted,
    Code: _of_code,
    Amount: _amount,
    Mark: _mark,
    State: _state,
    Reference: _reference,
    Missing: _missing,
    Swatch: _swatch,
    Link: _link,
    Remark: _remark,
}
