"""The text of OpenDocument and Word files, paragraph by paragraph: a zip archive with one XML part.

Only the part that holds the text is unpacked, up to a bound, and XML that declares entities is refused (law 7).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from fiche.importers._refusal import refused
from fiche.kernel.piece import Passage

ZIP = b"PK\x03\x04"
MAX_XML = 32 * 1024 * 1024
MAX_PASSAGES = 100_000
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
    """One passage a paragraph, counted from 1.

    Raises:
        Refused: the archive or its XML is broken (F491), or too long (F492).
    """
    part = next(name for name, shape in _PARTS.items() if shape == shape_of(content))
    root = _root(_unpacked(content, part, sha256), sha256)
    found = []
    for number, text in enumerate(_paragraphs(root), 1):
        if number > MAX_PASSAGES:
            message = f"the document is too long: it has more than {MAX_PASSAGES} paragraphs"
            raise refused("F492", message, sha256, hint="cite the part that matters")
        found.append(Passage(place=f"paragraph {number}", text=text))
    return tuple(found)


def _unpacked(content: bytes, part: str, sha256: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(part) as file:
            text = file.read(MAX_XML + 1)
    except (
        zipfile.BadZipFile,
        KeyError,
        OSError,
        EOFError,
        RuntimeError,
        ValueError,
        NotImplementedError,
    ) as e:
        raise _broken(f"{type(e).__name__}: {e}"[:200], sha256) from None
    except Exception as error:  # noqa: BLE001 - zlib, lzma and bz2 have errors of their own
        raise _broken(f"{type(error).__name__}: {error}"[:200], sha256) from None
    if len(text) > MAX_XML:
        message = f"the document is too long: its text unpacks to more than {MAX_XML} bytes"
        raise refused("F492", message, sha256, hint="cite the part that matters")
    return text


def _root(text: bytes, sha256: str) -> ElementTree.Element:
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise _broken("its XML declares entities, which no word processor writes", sha256)
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise _broken(str(error)[:200], sha256) from None


def _paragraphs(root: ElementTree.Element) -> Iterator[str]:
    """The text of paragraphs and headings in order; one inside another stands in both."""
    for element in root.iter():
        if _name(element) in ("p", "h"):
            yield "".join(_text(element))


def _text(element: ElementTree.Element) -> Iterator[str]:
    """Characters below an element, by a stack: depth costs nothing."""
    waiting: list[ElementTree.Element | str] = [element]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            yield here
            continue
        name = _name(here)
        if name in ("tab", "s"):
            yield " "
        elif name in ("br", "cr", "line-break"):
            yield "\n"
        word = here.tag.startswith("{http://schemas.openxmlformats.org/")
        if here.text and (name == "t" or not word):
            yield here.text
        for child in reversed(here):
            if child.tail and not word:
                waiting.append(child.tail)
            waiting.append(child)


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _broken(why: str, sha256: str) -> Exception:
    hint = "open it and save it again, or put the words into a text file beside it"
    return refused("F491", f"the document cannot be read: {why}", sha256, hint=hint)
