"""Parts of a sentence as HTML: the one place where a report's words become markup.

A page has thousands of parts, so they are joined here and not by the template. Every text passes
`_text`: what could act on a reader's screen is written out, then escaped (law 7).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markupsafe import Markup, escape

from fiche.render.visible import ACTIVE, visible
from fiche.report.link_parts import Link, Remark
from fiche.report.parts import (
    Amount,
    Cell,
    Code,
    Mark,
    Missing,
    Parts,
    Quoted,
    Reference,
    State,
    Swatch,
    Words,
)

# Letters that the narrowest column of paper holds.
_ONE_WORD = 11
# A name that an attribute can hold without quotes.
_SLUG = re.compile(r"[\w.:-][\w.:/-]*", re.ASCII).fullmatch
_SPECIAL = re.compile(ACTIVE.pattern.removesuffix("]") + "&<>\"']")


def inline(parts: Parts) -> Markup:
    """A run of parts."""
    return Markup("".join([_WRITE[type(part)](part) for part in parts]))


def lines(cell: Cell) -> Markup:
    """The lines of a cell, each in a block of its own where there are several."""
    if len(cell.lines) == 1:
        return inline(cell.lines[0])
    return Markup("".join([f"<div>{inline(line)}</div>" for line in cell.lines]))


def _text(text: str) -> str:
    """Most texts have nothing to escape: one look finds that."""
    return str(escape(visible(text))) if _SPECIAL.search(text) else text


def _words(part: Words) -> str:
    return f"<strong>{_text(part.text)}</strong>" if part.strong else _text(part.text)


def _quoted(part: Quoted) -> str:
    """`bdi` keeps a text of another direction from reordering the words around it; ASCII has none."""
    if part.text.isascii():
        return f"<strong>{_text(part.text)}</strong>" if part.strong else _text(part.text)
    kind = ' class="strong"' if part.strong else ""
    return f"<bdi{kind}>{_text(part.text)}</bdi>"


def _code(part: Code) -> str:
    """On paper a short name is one word; only what could be wider than a column may break anywhere."""
    kind = " class=long" if len(part.text) > _ONE_WORD else ""
    return f"<code{kind}>{_text(part.text)}</code>"


def _amount(part: Amount) -> str:
    """A number's machine form is the id that decision.json and `fiche explain` know it by."""
    mark = f" {_mark(Mark(part.mark, part.mark_word))}" if part.mark_word else ""
    weak = f" <small>{_text(part.includes)}</small>" if part.includes else ""
    figure = part.figure if _SLUG(part.figure) else f'"{_text(part.figure)}"'
    return f"<data value={figure}>{_text(part.text)}{mark}{weak}</data>"


def _mark(part: Mark) -> str:
    return f"<i class={part.kind}>{_text(part.word)}</i>"


def _state(part: State) -> str:
    return f'<span class="state {_text(part.code)}">{part.glyph}\u00a0{_text(part.word)}</span>'


def _reference(part: Reference) -> str:
    name = _text(part.piece)
    return f'<a class=piece href="#piece-{name}">{name}</a>'


def _missing(part: Missing) -> str:
    return f"<span class=missing>{_text(part.text)}</span>"


def _swatch(part: Swatch) -> str:
    return f'<span class="swatch s-{_text(part.kind)}"></span>'


def _link(part: Link) -> str:
    """One element: on paper another one inside a link would be a second link."""
    if not part.to:
        return f"<code>{_text(part.text)}</code>"
    return f'<a class=to href="#{_text(part.to)}">{_text(part.text)}</a>'


def _remark(part: Remark) -> str:
    here = f' id="{_text(part.here)}"' if part.here else ""
    words = f'aria-label="{_text(part.title)}" href="#comment-{_text(part.comment)}"'
    return f" <a class=remark{here} {words}>{_text(part.comment)}</a>"


_WRITE: dict[type, Callable[[Any], str]] = {
    Words: _words,
    Quoted: _quoted,
    Code: _code,
    Amount: _amount,
    Mark: _mark,
    State: _state,
    Reference: _reference,
    Missing: _missing,
    Swatch: _swatch,
    Link: _link,
    Remark: _remark,
}
