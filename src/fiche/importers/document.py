"""Documents that people read: a quote, a datasheet, a mail. Their words are found, never understood (D3).

PDF (its text layer), OpenDocument text, Word, HTML, mail, and plain text where its kind is said. What a
document attests is typed by a person and quoted; here its words are laid out so that a quote can be looked up.
"""

from __future__ import annotations

from fiche.importers import _mail_texts, _pdf, _web_texts, _word_files
from fiche.importers._figure_lines import MOST, figure_lines
from fiche.importers._refusal import refused
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Passage, Reading
from fiche.kernel.said import tell

_HEAD = 1024
_SURE, _PERHAPS = 95, 30


def shape_of(content: bytes) -> str:
    """The form of a document whose words lie in a container of their own; empty for plain text."""
    if _pdf.MAGIC in content[:_HEAD]:
        return "pdf"
    shape = _word_files.shape_of(content)
    if shape:
        return shape
    if _word_files.unread_kind(content):
        return "not read"
    if _web_texts.is_html(content):
        return "html"
    return "mail" if _web_texts.is_mail(content) else ""


def _accepts(content: bytes, name: str) -> int:
    shape = shape_of(content)
    return 0 if not shape else _PERHAPS if shape in ("html", "mail") else _SURE


def _read(content: bytes, sha256: str) -> Reading:
    shape = shape_of(content) or "text"
    passages = _passages(content, sha256, shape)
    bare = [passage.place for passage in passages if not passage.text.strip()]
    lines = list(figure_lines(passages))
    further: dict[str, object] = {
        "figure_lines": [{"place": place, "text": line} for place, line in lines[:MOST]]
    }
    if len(lines) > MOST:
        further["figure_lines_left_out"] = len(lines) - MOST
    if shape == "pdf":
        further |= {"pages": len(passages), "pages_without_text": len(bare)}
    return Reading(
        kind="document",
        shape=shape,
        passages=passages,
        further=further,
        warnings=tuple(_warnings(bare, passages)),
    )


def _passages(content: bytes, sha256: str, shape: str) -> tuple[Passage, ...]:
    if shape == "pdf":
        return _pdf.passages(content, sha256)
    if shape == "html":
        return _web_texts.html_passages(content)
    if shape == "mail":
        return _mail_texts.mail_passages(content, sha256)
    if shape == "not read":
        message = f"{_word_files.unread_kind(content)} is not read: its words cannot be looked up"
        hint = "save it as PDF, and cite that"
        raise refused("F494", message, sha256, hint=hint)
    if shape == "text":
        lines = content.decode("utf-8", "replace").split("\n")
        return tuple(
            Passage(place=f"line {n}", text=line) for n, line in enumerate(lines, 1) if line
        )
    return _word_files.passages(content, sha256)


def _warnings(bare: list[str], passages: tuple[Passage, ...]) -> list[str]:
    """A page that is a picture has no words to look up: what it says rests on a person's word."""
    if not passages or len(bare) == len(passages):
        return [
            tell(
                "no_text_layer: the document holds no text, as a scan does: no quote can be looked "
                "up in it, and its facts rest on the word of the person who types them"
            )
        ]
    if bare and passages[0].place.startswith("page"):
        shown = ", ".join(place.removeprefix("page ") for place in bare[:20])
        return [
            tell(
                "no_text_layer: {count} of {pages} pages hold no text ({shown}): what stands there "
                "rests on the word of the person who types it",
                count=len(bare),
                pages=len(passages),
                shown=shown,
            )
        ]
    return []


MEMBER = Importer(
    name="document",
    title="Documents that people read (PDF, OpenDocument, Word, HTML, mail)",
    accepts=_accepts,
    read=_read,
)
