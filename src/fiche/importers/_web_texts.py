"""The text of HTML pages and of mails, line by line, as a reader sees it; attachments are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from fiche.kernel.piece import Passage

_HTML = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s{0,1000}(?:<!--.{0,1000}?-->\s{0,100})?<(?:!doctype html|html)\b",
    re.I | re.S,
)
_HEADER = re.compile(
    rb"\A(?:[A-Za-z][A-Za-z0-9-]{0,60}:[ \t][^\n]{0,2000}\n(?:[ \t][^\n]{0,2000}\n){0,50}){3}"
)
_MAIL = re.compile(rb"(?im)^(?:mime-version|message-id|received|return-path):[ \t]")
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
_VOID = frozenset({"br", "hr"})
MAX_LINES = 200_000
_SHOWN_HEADERS = ("From", "To", "Date", "Subject")


def is_html(content: bytes) -> bool:
    """True where an HTML page begins the text."""
    return _HTML.match(content[:4000]) is not None


def is_mail(content: bytes) -> bool:
    """True where the headers of a mail begin the text."""
    head = content[:20_000].replace(b"\r\n", b"\n")
    return _HEADER.match(head) is not None and _MAIL.search(head) is not None


def html_passages(content: bytes, where: str = "text line") -> tuple[Passage, ...]:
    """One passage a line of what a reader sees."""
    return _lines(_seen(content.decode("utf-8", "replace")), where)


def _lines(text: str, where: str) -> tuple[Passage, ...]:
    told = (" ".join(line.split()) for line in text.split("\n")[:MAX_LINES])
    return tuple(Passage(place=f"{where} {n}", text=line) for n, line in enumerate(told, 1) if line)


def _seen(text: str) -> str:
    page = _Page()
    page.feed(text)
    page.close()
    return "".join(page.parts)


class _Page(HTMLParser):
    """Gathers text; what no reader sees is skipped with everything inside it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _BLOCKS:
            self.parts.append("\n")
        elif tag in _CELLS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _BLOCKS and tag not in _VOID:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts.append(data)


def mail_passages(content: bytes) -> tuple[Passage, ...]:
    """The headers that a reader sees, then the lines of each text in it."""
    return tuple(_mail(content))


def _mail(content: bytes) -> Iterator[Passage]:
    from email import message_from_bytes, policy

    message = message_from_bytes(content, policy=policy.default)
    for name in _SHOWN_HEADERS:
        if message[name] is not None:
            yield Passage(place=f"header {name}", text=_clean(str(message[name])))
    for number, part in enumerate(message.walk(), 1):
        if part.is_multipart() or part.get_content_disposition() == "attachment":
            continue
        kind = part.get_content_type()
        if kind not in ("text/plain", "text/html"):
            continue
        text = _decoded(part.get_payload(decode=True), part.get_content_charset())
        where = f"part {number} line"
        yield from _lines(_seen(text) if kind == "text/html" else text, where)


def _decoded(payload: object, charset: str | None) -> str:
    raw = payload if isinstance(payload, bytes) else b""
    try:
        return _clean(raw.decode(charset or "utf-8", "replace"))
    except LookupError:
        return _clean(raw.decode("utf-8", "replace"))


def _clean(text: str) -> str:
    """Halves of characters, which a wrong charset leaves, are no text."""
    return text.encode("utf-8", "replace").decode("utf-8")
