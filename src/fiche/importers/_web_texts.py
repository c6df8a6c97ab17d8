"""The text of HTML pages, line by line, as a reader sees it; and what tells a page and a mail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Passage

_HTML = lazy(
    rb"\A(?:\xef\xbb\xbf)?\s{0,1000}(?:<!--.{0,1000}?-->\s{0,100})?<(?:!doctype html|html)\b",
    re.I | re.S,
)
_HEADER = lazy(
    rb"\A(?:[A-Za-z][A-Za-z0-9-]{0,60}:[ \t][^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){3}"
)
_MAIL = lazy(rb"(?im)^(?:mime-version|message-id|received|return-path):[ \t]")
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "footer",
        "form",
        "header",
        "hr",
    }
    | {
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
    }
    | {"tfoot", "thead", "tr", "ul"}
)
_CELLS = frozenset({"td", "th"})
_UNSEEN = frozenset({"script", "style", "template", "head", "noscript"})
_NEVER_PRINTED = _UNSEEN - {"head"}
_NAME = lazy(r"/?([a-z][a-z0-9]{0,20})(?![a-z0-9])")
MAX_LINES = 200_000
# `unescape` reads the number of a character whatever its length, which costs the square of it or fails.
_LONG = lazy(r"&#(?:[xX][0-9a-fA-F]{9,}|[0-9]{9,});?")


def is_html(content: bytes) -> bool:
    """True where an HTML page begins the text."""
    return _HTML.match(content[:4000]) is not None


def is_mail(content: bytes) -> bool:
    """True where the headers of a mail begin the text."""
    head = content[:20_000].replace(b"\r\n", b"\n")
    return _HEADER.match(head) is not None and _MAIL.search(head) is not None


def html_passages(content: bytes, where: str = "text line") -> tuple[Passage, ...]:
    """One passage a line of what a reader sees."""
    return lines_of(seen(content.decode("utf-8", "replace")), where)


def lines_of(text: str, where: str) -> tuple[Passage, ...]:
    """One passage a line that holds words, blanks evened out."""
    told = (" ".join(line.split()) for line in text.split("\n")[:MAX_LINES])
    return tuple(Passage(place=f"{where} {n}", text=line) for n, line in enumerate(told, 1) if line)


def seen(text: str) -> str:
    """What a reader sees of a page."""
    parts = []
    for words, mark, _ in _marks(text, _UNSEEN):
        parts.append(words)
        name = mark.removeprefix("/")
        parts.append("\n" if name in _BLOCKS else " " if name in _CELLS else "")
    return _unescaped("".join(parts))


def _unescaped(text: str) -> str:
    """The text with its references to characters replaced; a number too long for one is no character."""
    from html import unescape  # its table of names is no cost for the texts that are not HTML

    return unescape(_LONG.sub("\ufffd", text))


def _marks(text: str, unseen: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Words, the name of the mark behind them (`/p` where it closes), and all that the mark takes up.

    In one pass: a mark that is never closed is looked for once only.
    """
    # Only ASCII is lowered: a letter that grows by it would shift all places behind.
    lower, at = text.encode("utf-8", "replace").lower().decode("utf-8", "replace"), 0
    while (start := text.find("<", at)) >= 0:
        words, end = text[at:start], _end_of_mark(lower, start, unseen)
        if end is None:
            yield f"{words}<", "", ""
            at = start + 1
            if text.find(">", at) < 0:
                break  # no mark can end any more: the rest is text
            continue
        if end < 0:
            yield words, "", ""
            return  # a script or a comment that is never closed
        name = _NAME.match(lower, start + 1)
        closes = "/" if lower[start + 1] == "/" else ""
        yield words, "" if name is None else closes + name[1], text[start:end]
        at = end
    yield text[at:], "", ""


def printed_text(content: bytes) -> bytes:
    """The text of a page as its programs printed it, each character on the line that it has in the file.

    Lines are counted by LF, and are those of the file: what the page itself breaks is parted by CR.
    Preformatted text stands between fences, code in a sentence between backticks, so that prose is told from
    both. The title is part of it.
    """
    parts, inside = [], 0
    for words, mark, taken in _marks(content.decode("utf-8", "replace"), _NEVER_PRINTED):
        parts += [_unescaped(line).replace("\n", "\r") + "\n" for line in words.split("\n")]
        parts[-1] = parts[-1][:-1]
        name = mark.removeprefix("/")
        if name == "pre":
            inside = 0 if mark.startswith("/") else 1
            parts.append("\r```\r")
        elif name == "code" and not inside:
            parts.append("`")
        elif name in _BLOCKS or name == "title":
            parts.append("\r")
        elif name in _CELLS:
            parts.append(" ")
        parts.append("\n" * taken.count("\n"))
    return "".join(parts).encode("utf-8", "replace")


def _end_of_mark(lower: str, start: int, unseen: frozenset[str]) -> int | None:
    """Where a mark ends, with all that no reader sees inside it; -1: never; None: it is none."""
    if lower.startswith("<!--", start):
        return _behind(lower, "-->", start + 4)
    name = _NAME.match(lower, start + 1)
    if name is None and lower[start + 1 : start + 2] not in ("!", "?"):
        return None
    end = _behind(lower, ">", start + 1)
    if end >= 0 and name is not None and name[1] in unseen and lower[start + 1] != "/":
        close = lower.find(f"</{name[1]}", end)
        return -1 if close < 0 else _behind(lower, ">", close)
    return None if end < 0 else end


def _behind(lower: str, mark: str, at: int) -> int:
    found = lower.find(mark, at)
    return -1 if found < 0 else found + len(mark)
