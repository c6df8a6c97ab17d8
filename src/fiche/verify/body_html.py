"""Step 6 of a page: it is, to the byte, the page that the decision gives; what is not is named."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import NamedTuple

from fiche.render.visible import visible
from fiche.verify.container import Container
from fiche.verify.html_read import slim
from fiche.verify.lookalike import named
from fiche.verify.step import Sheet

_MOST = 8
_MOST_TOKENS = 4000
_ROOM = 120


class Token(NamedTuple):
    """A piece of a page as it is written, what sort it is, and the section that it stands in."""

    sort: str
    text: str
    place: str
    within: str


def html_body(sheet: Sheet, theirs: Container, ours: bytes) -> None:
    """Compare a page with another one that was rendered anew."""
    if blank := _of_blanks(theirs.content, ours):
        sheet.fault("F912", f"{blank}; nothing else differs: ask for the page as fiche wrote it")
        return
    found = list(differences(slim(theirs.content), slim(ours)))
    for code, text in found[:_MOST]:
        sheet.fault(code, text)
    if len(found) > _MOST:
        sheet.fault("F912", f"and {len(found) - _MOST} more differences")
    if not found:
        at = next(
            (i for i, (a, b) in enumerate(zip(theirs.content, ours, strict=False)) if a != b),
            min(len(theirs.content), len(ours)),
        )
        sheet.fault(
            "F912", f"the page differs from byte {at + 1} on, in what its markup does not show"
        )


def _of_blanks(theirs: bytes, ours: bytes) -> str:
    """What mail programs, editors and version control do to a page without changing a word of it."""
    if theirs.replace(b"\r\n", b"\n") == ours:
        return "every line ends as on Windows (CRLF)"
    if theirs.removeprefix(codecs.BOM_UTF8).strip() == ours.strip():
        more = len(theirs) - len(ours)
        return f"{abs(more)} bytes of blanks or a mark of encoding more or fewer stand around it"
    return ""


def differences(theirs: str, ours: str) -> Iterator[tuple[str, str]]:
    """A code and words for each difference of two pages."""
    one, other = tokens(theirs), tokens(ours)
    first = _same(one, other)
    last = _same(one[first:][::-1], other[first:][::-1])
    one, other = one[first : len(one) - last], other[first : len(other) - last]
    if max(len(one), len(other)) > _MOST_TOKENS:
        yield from _told(one[:1], other[:1])
        yield "F912", f"and {abs(len(one) - len(other))} parts more or fewer behind it"
        return
    plain = [t.text for t in one], [t.text for t in other]
    matcher = difflib.SequenceMatcher(None, *plain, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            yield from _told(one[i:j], other[k:m])


def _same(one: Sequence[Token], other: Sequence[Token]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    ends = (at for at, (a, b) in pairs if (a.sort, a.text) != (b.sort, b.text))
    return next(ends, min(len(one), len(other)))


def _told(one: Sequence[Token], other: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Pieces that stand there, against those that are rendered in their place."""
    for at in range(max(len(one), len(other))):
        theirs = one[at] if at < len(one) else None
        ours = other[at] if at < len(other) else None
        token = theirs or ours
        if token is None:
            continue
        what = _what(token)
        code = "F911" if token.sort == "words" and not token.within else "F912"
        if theirs is None or ours is None:
            told = "stands there, and the decision gives none" if theirs else "is missing"
            yield code, f"{token.place}: {what} {told}: {_cut(token.text)}"
        else:
            stands, rendered, sign = _around(theirs.text, ours.text)
            told = f"{what} is {stands}, where the decision gives {rendered}{sign}"
            yield code, f"{token.place}: {told}"


_SORTS = {
    "words": "text",
    "start": "an element",
    "end": "the end of an element",
    "comment": "a comment",
    "declaration": "a declaration",
    "rest": "what follows the page",
}


def _what(token: Token) -> str:
    if token.within:
        return {"script": "a script", "style": "a style sheet"}.get(token.within, "hidden text")
    if token.sort == "start" and "Content-Security-Policy" in token.text:
        return "the page's policy (CSP)"
    if token.sort == "start" and "href=" in token.text:
        return "a link"
    return _SORTS.get(token.sort, token.sort)


def _cut(text: str) -> str:
    return f"'{visible(text[:_ROOM])}{'…' if len(text) > _ROOM else ''}'"


def _around(one: str, other: str) -> tuple[str, str, str]:
    """Both from shortly before the place where they part, and the signs in which they do."""
    at = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    start = max(0, at - 40)
    lead = "…" if start else ""
    return f"{lead}{_cut(one[start:])}", f"{lead}{_cut(other[start:])}", named(one, other, at)


def tokens(page: str) -> list[Token]:
    """A page in pieces, each as it is written."""
    reader = _Tokens()
    reader.feed(page)
    reader.close()
    end = page.rfind("</html>")
    rest = page[end + len("</html>") :] if end >= 0 else ""
    return [*reader.found, Token("rest", rest, "the end of the page", "")]


class _Tokens(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[Token] = []
        self._place = "the page's head"
        self._within = ""

    def _add(self, sort: str, text: str) -> None:
        last = self.found[-1] if self.found else None
        if sort == "words" and last is not None and last.sort == "words":
            self.found[-1] = last._replace(text=last.text + text)
        else:
            self.found.append(Token(sort, text, self._place, self._within))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "section" and told.get("id"):
            self._place = f"section '{told['id']}'"
        elif tag in ("main", "footer", "body"):
            names = {
                "main": "page one",
                "footer": "the foot of the page",
                "body": "the top of the page",
            }
            self._place = names[tag]
        self._add("start", self.get_starttag_text() or f"<{tag}>")
        if tag in ("script", "style", "template", "noscript"):
            self._within = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._within = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = ""
        self._add("end", f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._add("words", data)

    def handle_entityref(self, name: str) -> None:
        self._add("words", f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._add("words", f"&#{name};")

    def handle_comment(self, data: str) -> None:
        self._add("comment", f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._add("declaration", f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self._add("declaration", f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self._add("declaration", f"<![{data}]>")
