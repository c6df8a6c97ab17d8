"""A style sheet taken apart, rule by rule, each with the names that an element must have for it.

`tools/scripts.py` keeps what this makes of `templates/*.css` under `templates/brief`: a page is put together
from that (`render/_fitting.py`), since taking sheets apart is slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

# A rule that holds no other; what no element need be named by.
_RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
_MEDIA = re.compile(r"(@media[^{}]*)\{((?:[^{}]*\{[^{}]*\})*[^{}]*)\}")
_ASIDE = re.compile(r'"[^"]*"|\([^()]*\)')
_NAME = re.compile(r"[.#]([A-Za-z_][\w-]*)")
_BEGINNING = re.compile(r'\[id\^="([^"]*)"\]')

_QUOTED = re.compile(r'("[^"]*")')
_BLANKS = re.compile(r"\s+")
_NOUGHT = re.compile(r"(?<![\w.#-])0\.(?=\d)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)

Rules = list[Any]


def styled(text: str) -> str:
    """A style sheet without its comments, and without blanks that say nothing."""
    return "".join([_tight(each) for each in _QUOTED.split(_COMMENT.sub("", text))])


def _tight(text: str) -> str:
    """A piece of a style sheet: what is in quotes stays as it is."""
    if text.startswith('"'):
        return text
    plain = _BLANKS.sub(" ", text)
    for sign in ("{", "}", ";", ",", ">"):
        plain = plain.replace(f"{sign} ", sign).replace(f" {sign}", sign)
    return _NOUGHT.sub(".", plain.replace(": ", ":").replace(";}", "}"))


def parted(sheet: str) -> Rules:
    """A sheet without blanks and comments as a list that JSON can hold.

    An item is a text that stays; or `[what is told, [[selector, names, beginnings of ids], …]]`, a rule; or
    `{"media": …, "rules": […]}`.
    """
    return list(_joined(_items(sheet)))


def _items(sheet: str) -> Iterator[Any]:
    at = 0
    for found in _MEDIA.finditer(sheet):
        yield from _plain(sheet[at : found.start()])
        yield {"media": found[1], "rules": list(_joined(_plain(found[2])))}
        at = found.end()
    yield from _plain(sheet[at:])


def _plain(sheet: str) -> Iterator[Any]:
    """What no `@media` is in."""
    at = 0
    for found in _RULE.finditer(sheet):
        yield sheet[at : found.start()]
        at = found.end()
        selectors = [] if found[1].startswith("@") else [_needs(s) for s in _apart(found[1])]
        is_named = any(names or beginnings for _, names, beginnings in selectors)
        yield [found[2], selectors] if is_named else found[0]
    yield sheet[at:]


def _joined(items: Iterator[Any]) -> Iterator[Any]:
    """Texts that follow each other are one; an empty one is none."""
    text = ""
    for item in items:
        if isinstance(item, str):
            text += item
            continue
        if text:
            yield text
        text = ""
        yield item
    if text:
        yield text


def _apart(selectors: str) -> list[str]:
    """Selectors at their commas, those within brackets excepted."""
    parts: list[str] = []
    for part in selectors.split(","):
        if parts and parts[-1].count("(") != parts[-1].count(")"):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _needs(selector: str) -> list[Any]:
    """A selector with the classes and ids that it names; one that says *not* needs nothing by that."""
    named = _NAME.findall(_ASIDE.sub("", selector))
    names = list(dict.fromkeys(name for name in named if len(name) > 1))
    return [selector, names, _BEGINNING.findall(selector)]
