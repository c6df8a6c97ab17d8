"""Where the words that a person quotes stand: a line of a text, a page or paragraph of a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fiche.kernel.address import Pointer
from fiche.kernel.piece import Passage
from fiche.load.fault import Faults
from fiche.load.located import places
from fiche.load.node import Mapping, Scalar
from fiche.load.values import Signature


class Document(NamedTuple):
    """The file that attests: its piece, digest, bytes, and who vouches where nobody else is named.

    `passages` are its words by page or paragraph, where they lie in a container such as a PDF; None in a
    text, whose lines are searched as they stand.
    """

    piece: str
    sha256: str
    content: bytes
    by: Scalar | None
    passages: tuple[Passage, ...] | None = None


def pointer_of(node: Mapping, document: Document, sign: Signature) -> Pointer | None:
    """The line of the file where the quoted words stand, or None where none are quoted.

    A quote that is not in the file is no evidence: it is refused (F451), and so is one that stands
    on several lines where nobody says which (F452).
    """
    if "quote" not in node:
        return None
    quote = node.scalar("quote")
    if document.passages is not None:
        return _in_document(node, quote, document, document.passages, sign.faults)
    if "page" in node:
        sign.faults.add("F495", "this file has no pages", node.scalar("page").span, "say 'line'")
    lines = list(_lines(document.content, quote.text.encode()))
    wanted = int(node.text("line")) if "line" in node else None
    if not lines:
        sign.faults.add("F451", "these words are not in the file", quote.span, _LITERAL)
        return None
    if wanted is not None and wanted not in lines:
        found = ", ".join(map(str, lines))
        hint = f"they stand on line {found}"
        sign.faults.add("F451", f"these words are not on line {wanted}", quote.span, hint)
        return None
    if wanted is None and len(lines) > 1:
        found = ", ".join(map(str, lines))
        sign.faults.add(
            "F452",
            f"these words stand on lines {found}",
            quote.span,
            "add 'line', or quote more words",
        )
    return Pointer(sha256=document.sha256, line=wanted or lines[0], text=quote.text)


def _in_document(
    node: Mapping, quote: Scalar, document: Document, passages: tuple[Passage, ...], faults: Faults
) -> Pointer | None:
    """The page or paragraph where the quoted words stand; None where it holds no text, as a scan does."""
    asked = _asked_page(node, passages, faults)
    if asked is None and "page" in node:
        return None
    if asked is not None:
        passages = tuple(one for one in passages if one.place == asked)
    if silent(node, document):
        return None
    found = places(passages, quote.text)
    if len(found) == 1:
        return Pointer(sha256=document.sha256, path=found[0], text=quote.text)
    if found:
        hint = "add 'page', or quote more words" if _paged(passages) else "quote more words"
        faults.add("F452", f"these words stand on {', '.join(found)}", quote.span, hint)
        return None
    bare = [one.place for one in passages if not one.text.strip()]
    hint = (
        f"on {', '.join(bare[:5])} there is no text: say 'page' if they stand there"
        if bare
        else _EVENED
    )
    where = "in the document" if asked is None else f"on {asked}"
    faults.add("F451", f"these words are not {where}", quote.span, hint)
    return None


_EVENED = "blanks and line breaks do not matter; letters, digits and marks do"


def _asked_page(node: Mapping, passages: tuple[Passage, ...], faults: Faults) -> str | None:
    """The page that the author names; None where none is, or where there is no such page (F495)."""
    if "line" in node:
        hint = "say 'page'" if _paged(passages) else "leave 'line' out, and quote enough words"
        faults.add("F495", "this document has no lines to count", node.scalar("line").span, hint)
    if "page" not in node:
        return None
    if not _paged(passages):
        faults.add("F495", "this document has no pages", node.scalar("page").span, "leave it out")
        return None
    place = f"page {node.text('page')}"
    if place not in {one.place for one in passages}:
        message = f"the document has {len(passages)} pages, and no page {node.text('page')}"
        faults.add(
            "F495", message, node.scalar("page").span, "pages are counted from the first, from 1"
        )
        return None
    return place


def _paged(passages: tuple[Passage, ...]) -> bool:
    return bool(passages) and passages[0].place.startswith("page ")


def silent(node: Mapping, document: Document) -> bool:
    """True where the page that is meant, or the whole document, holds no text."""
    if document.passages is None or "quote" not in node:
        return False
    meant = [one for one in document.passages if one.place == f"page {node.text('page')}"]
    return not any(one.text.strip() for one in meant or document.passages)


_LITERAL = "quote letter by letter, blanks included"
_MOST_LINES = 10


def _lines(content: bytes, words: bytes) -> Iterator[int]:
    """The first lines, counted by LF, on which the words begin."""
    at, line, last = content.find(words), 1, 0
    for _ in range(_MOST_LINES):
        if at < 0:
            return
        line += content.count(b"\n", last, at)
        yield line
        last = at
        end = content.find(b"\n", at)
        at = content.find(words, end + 1) if end >= 0 else -1
