"""The terminal form of a decision, for `fiche check`: the answer, the verdict table, what is missing.

The caller says how wide, whether in colour, and what the stream can encode; nothing here asks the
environment. Glyph and word always stand together, so colour adds nothing that is not said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from fiche.kernel.decision import Decision
from fiche.render._columns import paragraph, squeezed, table
from fiche.render.visible import visible
from fiche.report.link_parts import Link, Remark
from fiche.report.parts import (
    Amount,
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
    State,
    Swatch,
    Table,
    Timeline,
    Words,
)
from fiche.report.view import brief
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

_COLOURS = {
    **dict.fromkeys(("admissible", "retained", "resolved"), "32"),
    **dict.fromkeys(("to_confirm", "open"), "33"),
    **dict.fromkeys(("exclude", "excluded"), "31"),
    "strong": "1",
}
# A styled word stands between two private characters until lines are laid out; no text of a fiche
# can bring them, since `visible` writes them out.
_OPEN = {code: chr(0xE000 + place) for place, code in enumerate(_COLOURS)}
_CODES = {mark: _COLOURS[code] for code, mark in _OPEN.items()}
_CLOSE = "\ue0ff"
_STYLED = re.compile(f"([{''.join(_CODES)}])|{_CLOSE}")
_GLUE = "\N{NO-BREAK SPACE}"
# A cell that says that there is nothing to say is no line of its own.
_UNTOLD = ("–", "-")
_WORDS = 3
# What a stream of few characters shows instead; anything else it lacks is written as an escape.
_PLAIN = str.maketrans(
    {
        "●": "+",
        "▲": "?",
        "✕": "x",
        "◊": "?",
        "√": "+",
        "−": "-",
        "×": "x",
        "·": "-",
        "–": "-",
        "—": "-",
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "…": "...",
        "‹": "<",
        "›": ">",
        "⁰": "0",
        "²": "2",
        "³": "3",
        "⁹": "9",
    }
)


def check_text(
    decision: Decision,
    *,
    width: int,
    colour: bool,
    encoding: str = "utf-8",
    language: Language = ENGLISH,
) -> str:
    """The whole text, with a line end after each line and no line wider than it must be."""
    report = brief(decision, language)
    heading = [
        paragraph(_strong(visible(report.title)), width),
        paragraph(_inline(report.eyebrow), width),
    ]
    blocks = [_block(block, width) for block in report.opening]
    for section in report.sections:
        blocks += ["", paragraph(_strong(section.title), width)]
        blocks += [_block(block, width) for block in section.blocks]
    text = "\n".join(line for part in (*heading, *blocks) for line in part.split("\n"))
    return _encodable(_coloured(text, colour).replace(_GLUE, " "), encoding) + "\n"


# --- Blocks ---------------------------------------------------------------------------------------


def _block(block: Block, width: int) -> str:
    match block:
        case Paragraph():
            return paragraph(_inline(block.parts), width)
        case Items():
            return "\n".join(paragraph(_inline(item), width, "  - ") for item in block.items)
        case Box():
            return "\n".join(_box(block, width))
        case Callout():
            inner = [_block(each, width) for each in block.blocks]
            return "\n".join(["", paragraph(_strong(block.title), width), *inner])
        case Table():
            return _table(block, width)
        case Timeline() | Costs() | Drawing():
            return paragraph(f"{block.title}: {block.said}", width)
        case _:
            return ""


def _box(box: Box, width: int) -> Iterator[str]:
    yield ""
    yield paragraph(_strong(box.question), width)
    for answer in box.answers:
        yield ""
        yield paragraph(f"{_inline((answer.state,))} {_inline(answer.subject)}", width, "  ")
        for sentence in answer.sentences:
            yield paragraph(_inline(sentence), width, "    ")
    yield ""
    for line in box.closing:
        yield paragraph(_inline(line), width)


def _table(block: Table, width: int) -> str:
    header = [column.title for column in block.columns]
    right = [place for place, column in enumerate(block.columns) if column.kind == "number"]
    rows: list[list[str] | str] = [
        _cell(row.cells[0]) if row.group else [_cell(cell) for cell in row.cells]
        for row in block.rows
    ]
    notes = [paragraph(_inline(note), width) for note in block.notes]
    if squeezed([header, *(row for row in rows if isinstance(row, list))], width):
        return "\n".join([*_records(header, rows, width), *notes])
    return "\n".join([table(header, rows, right, width), *notes])


def _records(header: list[str], rows: list[list[str] | str], width: int) -> Iterator[str]:
    """A table too wide for its stream, one row after another, each value under its heading."""
    for place, row in enumerate(rows):
        if isinstance(row, str):
            yield paragraph(row, width, "\n" if place else "")
            continue
        yield paragraph(_strong(row[0].replace("\n", ", ")), width, "  ")
        for title, cell in zip(header[1:], row[1:], strict=True):
            if cell in _UNTOLD:
                continue
            lines = _few(cell.split("\n"), width)
            first = f"{title}: {lines[0]}" if len(lines) == 1 else f"{title}:"
            yield paragraph(first, width, "    ")
            yield from (paragraph(line, width, "      ") for line in lines if len(lines) > 1)


def _few(lines: list[str], width: int) -> list[str]:
    """Names and amounts share a line where they fit into one."""
    together = ", ".join(lines)
    words = max(line.count(" ") for line in lines)
    return [together] if words < _WORDS and len(together) < width // 2 else lines


def _cell(cell: Cell) -> str:
    return "\n".join(_inline(line) for line in cell.lines)


# --- Parts ----------------------------------------------------------------------------------------


def _inline(parts: Parts) -> str:
    return "".join(_WRITE[type(part)](part) for part in parts)


def _words(part: Words) -> str:
    text = visible(part.text)
    return _strong(text) if part.strong else text


def _quoted(part: Quoted | Code | Missing | Link) -> str:
    return visible(part.text)


def _amount(part: Amount) -> str:
    number = _GLUE.join(visible(word) for word in (part.text, part.mark_word) if word)
    return f"{number} {part.includes.replace(' ', _GLUE)}" if part.includes else number


def _mark(part: Mark) -> str:
    return part.word


def _state(part: State) -> str:
    return _styled(visible(f"{part.glyph} {part.word}").replace(" ", _GLUE), part.code)


def _reference(part: Reference) -> str:
    return visible(part.piece)


_WRITE: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Quoted: _quoted,
    Code: _quoted,
    Missing: _quoted,
    Link: _quoted,
    Remark: lambda part: "",
    Amount: _amount,
    Mark: _mark,
    Swatch: lambda part: "",
    State: _state,
    Reference: _reference,
}


def _strong(text: str) -> str:
    """Word by word: a line may break between two of them."""
    return " ".join(_styled(word, "strong") for word in text.split(" "))


def _styled(word: str, code: str) -> str:
    return f"{_OPEN[code]}{word}{_CLOSE}" if word else ""


# --- The stream -----------------------------------------------------------------------------------


def _coloured(text: str, colour: bool) -> str:
    def style(found: re.Match[str]) -> str:
        if not colour:
            return ""
        return f"\x1b[{_CODES[found[1]]}m" if found[1] else "\x1b[0m"

    return _STYLED.sub(style, text)


def _encodable(text: str, encoding: str) -> str:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text
