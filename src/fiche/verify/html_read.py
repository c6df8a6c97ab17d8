"""A report.html: its files by the exact links that fiche writes, its words by a general parser.

The strict reader knows one form of row and no other. The general parser then looks for every link that carries
a file: one that is in no row, or says another thing than its row, does not stay unseen.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64decode, b64encode
from html import unescape
from html.parser import HTMLParser

from fiche.verify.bounds import (
    MOST_FILES,
    MOST_OF_ONE,
    MOST_TOGETHER,
    broken,
    no_report,
    too_much,
)
from fiche.verify.container import Container, Held, Passage
from fiche.verify.step import Point

# One row of the table of files, as the template writes it; classes and quotes are the style's own matter.
_ROW = re.compile(
    rb"<tr[^<>]{0,99}><th[^<>]{0,99}><code>([^<>]{1,300})</code>"
    rb'<a class="?save"? download="?([^"<> ]{1,300})"? '
    rb'href="data:([a-z]+/[a-z0-9.+-]+);base64,([A-Za-z0-9+/]*={0,2})">[^<>]{0,400}</a>'
    rb"<td>([^<>]{0,2000})<td[^<>]{0,99}>[^<>]{0,60}<td[^<>]{0,99}><code[^<>]{0,99}>([0-9a-f]{64})</code>"
)
_CARRIED = re.compile(rb"(?<=href=\")data:[a-z]+/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]*={0,2}")
_LONG = 20_000
_TOOL = re.compile(r"fiche (\S+)")
_HEX = re.compile(r"[0-9a-f]{64}")
SILENT = ("script", "style", "template", "noscript")
_NEVER = ("iframe", "object", "embed", "base", "link", "frame", "applet", "form")
_INLINE = frozenset(
    re.findall(
        r"\w+", "a abbr b bdi code data em i mark small span strong sub sup tspan u wbr svg g"
    )
)


def read_html(content: bytes) -> Container:
    """Read a page.

    Raises:
        Refused: F900 it is no report, F901 it is not UTF-8, F903 it holds more than is read.
    """
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise broken(f"byte {error.start} is not UTF-8") from None
    rows = list(_ROW.finditer(content))
    if len(rows) > MOST_FILES:
        raise too_much(f"it carries more than {MOST_FILES} files")
    held, odd = _files(rows)
    page = words_of(slim(content))
    if not held:
        raise no_report(
            "the file", "it is no PDF, and no page with files in the form that fiche writes"
        )
    odd += _unlisted(page, held)
    return Container(
        kind="html",
        content=content,
        held=tuple(held),
        language=page.language,
        title=page.title,
        has_annex=True,
        passages=page.passages(),
        digests={"decision": tuple(page.digests)},
        odd=tuple(odd),
        version=page.version,
        own={"page": page},
    )


def slim(content: bytes) -> str:
    """The page with digests in the place of the files that it carries."""
    return _CARRIED.sub(_short, content).decode("utf-8")


def _short(found: re.Match[bytes]) -> bytes:
    if len(found[0]) < _LONG and b";base64," not in found[0]:
        return found[0]
    head, _, body = found[0].partition(b",")
    return head + b"," + hashlib.sha256(body).hexdigest().encode()


def _files(rows: list[re.Match[bytes]]) -> tuple[list[Held], list[Point]]:
    held: list[Held] = []
    odd: list[Point] = []
    left = MOST_TOGETHER
    for row in rows:
        name, content = _plain(row[1]), _decoded(row[4], odd, _plain(row[1]))
        left -= len(content)
        if len(content) > MOST_OF_ONE or left < 0:
            raise too_much("the files that it carries are longer than those of a report")
        if _plain(row[2]) != name:
            odd.append(Point(f"the row of {name} saves a file called {_plain(row[2])}", "F905"))
        sha256 = hashlib.sha256(content).hexdigest()
        if row[6].decode() != sha256:
            told = f"the row of {name} tells sha256 {row[6].decode()}, its bytes have {sha256}"
            odd.append(Point(told, "F905"))
        if any(each.name == name for each in held):
            odd.append(Point(f"{name} is attached twice", "F905"))
            continue
        made = Held(
            name=name,
            content=content,
            media_type=row[3].decode(),
            description=_plain(row[5]),
        )
        held.append(made)
    return held, odd


def _plain(text: bytes) -> str:
    return unescape(text.decode("utf-8"))


def _decoded(text: bytes, odd: list[Point], name: str) -> bytes:
    """The bytes; a second way to write the same bytes is a change of the page, and is told."""
    try:
        content = b64decode(text, validate=True)
    except binascii.Error:
        odd.append(Point(f"the link of {name} holds no whole file", "F905"))
        return b""
    if b64encode(content) != text:
        odd.append(Point(f"the link of {name} is written in another way than fiche does", "F905"))
    return content


def _unlisted(page: Words, held: list[Held]) -> list[Point]:
    """Links that carry a file, and stand in no row of the table."""
    listed = {
        f"data:{one.media_type};base64,{hashlib.sha256(b64encode(one.content)).hexdigest()}"
        for one in held
    }
    return [
        Point(f"a link '{text[:60]}' carries a file that the table does not list", "F905")
        for text, href in page.carrying
        if href not in listed
    ]


class Words(HTMLParser):
    """The words that a reader sees, by section; what the page says of itself; the links that carry a file."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.language = self.title = self.version = ""
        self.digests: list[tuple[str, str]] = []
        self.carrying: list[tuple[str, str]] = []
        self.policy = ""
        self.programs: list[list[str]] = []
        self.acting: list[str] = []
        self._told: list[tuple[str, list[str]]] = [("the page's head", [""])]
        self._silent = 0
        self._in = ""
        self._place = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element says of itself."""
        told = {name: value or "" for name, value in attrs}
        self._note_acts(tag, told)
        if tag in SILENT:
            self._silent += 1
        if tag == "html":
            self.language = told.get("lang", "")
        if tag == "meta" and told.get("name") == "generator":
            found = _TOOL.fullmatch(told.get("content", ""))
            self.version = found[1] if found else ""
        if tag == "section" and told.get("id"):
            self._told.append((f"section '{told['id']}'", [""]))
        elif tag == "main":
            self._told.append(("page one", [""]))
        elif tag == "footer":
            self._told.append(("the foot of the page", [""]))
        if tag == "h1" and _HEX.search(told.get("data-digest", "")):
            self.digests.append(("beside the title", _HEX.findall(told["data-digest"])[0]))
        if "download" in told or told.get("href", "").startswith("data:"):
            self.carrying.append((told.get("download", ""), told.get("href", "")))
        if tag == "p" and told.get("class") == "digest":
            self._place = "under the title"
        elif tag == "footer":
            self._place = "at the foot"
        self._in = tag
        self._break(tag)
        if told.get("title") and not self._silent and tag not in _INLINE:
            self._say(told["title"])
            self._break(tag)

    def _note_acts(self, tag: str, told: dict[str, str]) -> None:
        """What could act on a reader: programs by their text, handlers, frames, links out of the page."""
        if tag in ("script", "style") and told.get("type") != "application/json":
            self.programs.append([tag, ""])
        elif tag in ("script", "style"):
            self.programs.append(["", ""])
        if tag == "meta" and told.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = told.get("content", "")
        elif tag == "meta" and "http-equiv" in told:
            self.acting.append(f"the page orders '{told['http-equiv'][:40]}'")
        if tag in _NEVER:
            self.acting.append(f"the page has a <{tag}>, which no report has")
        for name, value in told.items():
            if name.startswith("on"):
                self.acting.append(f"an element acts by itself: {name}")
            if name in ("href", "src", "action") and not value.startswith(("#", "data:")):
                self.acting.append(f"a link leads out of the page: {value[:60]}")

    def handle_endtag(self, tag: str) -> None:
        """Note that an element ends."""
        if tag in SILENT and self._silent:
            self._silent -= 1
        if tag in ("p", "footer"):
            self._place = ""
        self._in = ""
        self._break(tag)

    def handle_data(self, data: str) -> None:
        """Note words."""
        if self._in == "title" and not self.title:
            self.title = data.strip()
        if self._in in ("script", "style") and self.programs:
            self.programs[-1][1] += data
        if self._silent:
            return
        if self._place:
            self.digests += [(self._place, digest) for digest in _HEX.findall(data)]
        self._say(data)

    def _say(self, text: str) -> None:
        self._told[-1][1][-1] += text

    def _break(self, tag: str) -> None:
        if tag not in _INLINE:
            self._told[-1][1].append("")

    def passages(self) -> tuple[Passage, ...]:
        """The words, a line for each block."""
        made = []
        for place, blocks in self._told:
            lines = (
                re.sub(r"[ \t]+", " ", line).strip() for each in blocks for line in each.split("\n")
            )
            made.append(Passage(place=place, lines=tuple(line for line in lines if line)))
        return tuple(made)


def words_of(page: str) -> Words:
    """What a parser of HTML finds in a page."""
    reader = Words()
    reader.feed(page)
    reader.close()
    return reader
