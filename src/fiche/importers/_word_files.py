"""The text of OpenDocument and Word files, paragraph by paragraph: a zip archive with one XML part.

Only the part that holds the text is unpacked, up to a bound, and XML that declares entities is refused (law 7).
"""

from __future__ import annotations

import io
import zipfile
from functools import partial
from xml.parsers import expat

from fiche.importers._parsers import parsed
from fiche.importers._refusal import refused
from fiche.kernel.diagnostic import Refused
from fiche.kernel.piece import Passage

ZIP = b"PK\x03\x04"
MAX_XML = 32 * 1024 * 1024
MAX_PASSAGES = 100_000
MAX_CHARACTERS = 5_000_000
MAX_ELEMENTS = 4_000_000
# A text box in a table in a text box: every level of those is some ten elements.
MAX_DEPTH = 200
_WORD = "http://schemas.openxmlformats.org/"
# The part that holds the text, and what of it are paragraphs, breaks and blanks.
_PARTS = {
    "word/document.xml": "word",
    "content.xml": "opendocument text",
}
_OFFICE = {
    "xl/workbook.xml": "an Excel workbook",
    "ppt/presentation.xml": "a PowerPoint presentation",
}


def shape_of(content: bytes) -> str:
    """`word`, `opendocument text`, or empty: by the names in the archive's head; never raises."""
    if not content.startswith(ZIP):
        return ""
    if b"word/document.xml" in content:
        return "word"
    return (
        "opendocument text"
        if b"mimetypeapplication/vnd.oasis.opendocument.text" in content[:200]
        else ""
    )


def unread_kind(content: bytes) -> str:
    """The name of an office document that is not read, empty for anything else."""
    if content.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return "an old binary Office document"
    if content.startswith(b"{\\rtf"):
        return "an RTF document"
    if not content.startswith(ZIP):
        return ""
    for part, name in _OFFICE.items():
        if part.encode() in content:
            return name
    head = content[:200]
    return (
        "an OpenDocument file that is no text" if b"mimetypeapplication/vnd.oasis." in head else ""
    )


def passages(content: bytes, sha256: str) -> tuple[Passage, ...]:
    """One passage a paragraph, counted from 1; one inside another stands in both.

    Raises:
        Refused: the archive or its XML is broken (F491), or too long (F492).
    """
    part = next(name for name, shape in _PARTS.items() if shape == shape_of(content))
    text = _unpacked(content, part, sha256)
    reader = _Reader(sha256)
    parsed(lambda: reader.parser.Parse(text, True), "F491", _WHAT, sha256, hint=_HINT)
    return tuple(
        Passage(place=f"paragraph {number}", text="".join(words))
        for number, words in enumerate(reader.paragraphs, 1)
    )


def _unpacked(content: bytes, part: str, sha256: str) -> bytes:
    text = parsed(partial(_read, content, part), "F491", _WHAT, sha256, hint=_HINT)
    if len(text) > MAX_XML:
        raise _too_long(f"its text unpacks to more than {MAX_XML} bytes", sha256)
    return text


def _read(content: bytes, part: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(part) as file:
        return file.read(MAX_XML + 1)


class _Reader:
    """The handlers of one document, in one pass; `paragraphs` are the words of each, in order."""

    def __init__(self, sha256: str) -> None:
        self.sha256 = sha256
        self.paragraphs: list[list[str]] = []
        self.within: list[list[str]] = []
        self.path: list[str] = []
        self.left = MAX_CHARACTERS
        self.elements = MAX_ELEMENTS
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        for name in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef"):
            setattr(self.parser, f"{name}Handler", self.forbidden)

    def forbidden(self, *_: object) -> int:
        raise _broken("its XML declares entities, which no word processor writes", self.sha256)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements -= 1
        if self.elements < 0 or len(self.path) >= MAX_DEPTH:
            what = "deep" if self.elements >= 0 else "many"
            raise _too_long(f"its elements are too {what}", self.sha256)
        self.path.append(tag)
        name = tag.rpartition("}")[2]
        if name in ("p", "h"):
            self.open()
        elif name in ("tab", "s"):
            self.add(" ")
        elif name in ("br", "cr", "line-break"):
            self.add("\n")

    def open(self) -> None:
        if len(self.paragraphs) >= MAX_PASSAGES:
            raise _too_long(f"it has more than {MAX_PASSAGES} paragraphs", self.sha256)
        self.paragraphs.append([])
        self.within.append(self.paragraphs[-1])

    def characters(self, text: str) -> None:
        """Word keeps its words in elements of their own; what stands beside those is layout."""
        tag = self.path[-1]
        if not tag.startswith(_WORD) or tag.endswith("}t"):
            self.add(text)

    def add(self, text: str) -> None:
        """Words of a paragraph and of all around it; each copy counts."""
        self.left -= len(text) * len(self.within)
        if self.left < 0:
            raise _too_long(f"its text has more than {MAX_CHARACTERS} characters", self.sha256)
        for words in self.within:
            words.append(text)

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag.rpartition("}")[2] in ("p", "h"):
            self.within.pop()


_WHAT = "the document cannot be read"
_HINT = "open it and save it again, or put the words into a text file beside it"


def _broken(why: str, sha256: str) -> Refused:
    return refused("F491", f"{_WHAT}: {why}", sha256, hint=_HINT)


def _too_long(why: str, sha256: str) -> Refused:
    message = f"the document is too long: {why}"
    return refused("F492", message, sha256, hint="cite the part that matters")
