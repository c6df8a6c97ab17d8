"""Parts of a sentence as HTML: the one place where a report's words become markup.

A page has thousands of parts, so they are joined here and not by the template. Every text passes
`_text`: what could act on a reader's screen is written out, then escaped (law 7).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from fiche.kernel.lazy import lazy
from fiche.kernel.printed import printed
from fiche.render.visible import visible
from fiche.report.link_parts import Link, Remark
from fiche.report.parts import (
    Amount,
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

# A name that an attribute can hold without quotes.
_SLUG = re.compile(r"[\w.:#-][\w.:/-]*", re.ASCII).fullmatch
# What would act in an attribute, which stands between double quotes, or in a text.
_MARKUP = re.compile('[&<>"]').search
# Letters of what is written from right to left, and the first of them.
_LEFTWARD = lazy(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_FIRST_LEFTWARD = "\u0590"


def inline(parts: Parts) -> Markup:
    """A run of parts."""
    return Markup(written(parts))


def written(parts: Parts) -> str:
    """The same as a text, for what is joined to more markup."""
    return "".join([_WRITE[type(part)](part) for part in parts])


def bare(value: str) -> Markup:
    """An attribute's value, in quotes where it needs them."""
    return Markup(attribute(value))


def attribute(value: str) -> str:
    """The same as a text, for what is joined to more markup."""
    return value if _SLUG(value) else f'"{_text(value)}"'


@lru_cache(maxsize=4096)
def _text(text: str) -> str:
    """Most texts have nothing to write out and nothing to escape: two looks find that, once for each text."""
    if not printed(text):
        text = visible(text)
    return str(escape(text)) if _MARKUP(text) else text


def _words(part: Words) -> str:
    return f"<strong>{_text(part.text)}</strong>" if part.strong else _text(part.text)


def _quoted(part: Quoted) -> str:
    """`bdi` keeps a text of another direction from reordering the words around it."""
    if max(part.text, default="") < _FIRST_LEFTWARD or not _LEFTWARD.search(part.text):
        return f"<strong>{_text(part.text)}</strong>" if part.strong else _text(part.text)
    kind = ' class="strong"' if part.strong else ""
    return f"<bdi{kind}>{_text(part.text)}</bdi>"


def _code(part: Code) -> str:
    return f"<code>{_text(part.text)}</code>"


def _amount(part: Amount) -> str:
    """A number's machine form is the id that decision.json and `fiche explain` know it by."""
    mark = f" {_mark(Mark(part.mark, part.mark_word))}" if part.mark_word else ""
    weak = f" <small>{_text(part.includes)}</small>" if part.includes else ""
    return f"<data value={attribute(part.figure)}>{_text(part.text)}{mark}{weak}</data>"


def _mark(part: Mark) -> str:
    return f"<i class={part.kind[0]}>{_text(part.word)}</i>"


def _state(part: State) -> str:
    """A verdict or a status is a `b` wherever it stands, and nothing else is one."""
    return f"<b class={attribute(part.code)}>{part.glyph}\u00a0{_text(part.word)}</b>"


def _reference(part: Reference) -> str:
    return f"<a href={attribute('#piece-' + part.piece)}>{_text(part.piece)}</a>"


def _missing(part: Missing) -> str:
    """What is not known is annotated as such: a `u`, and nothing else is one."""
    return f"<u>{_text(part.text)}</u>"


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
