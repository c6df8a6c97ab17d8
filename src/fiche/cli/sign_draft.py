"""A draft says on each page that it is not to be signed: `fiche sign` takes it at its word."""

from __future__ import annotations

import io
import json

from fiche.kernel.diagnostic import Diagnostic, Refused


def refuse_draft(pdf: bytes) -> None:
    """Refuse a report whose title is that of a draft of its own decision, in whatever language.

    Raises:
        Refused: F924.
    """
    title, decided = _titles(pdf)
    if not title or not decided or title == decided:
        return
    from fiche.languages import spoken, tags

    drafts = [spoken(tag).phrases["draft_title"].format(title=decided) for tag in tags()]
    if title in drafts:
        diagnostic = Diagnostic(
            code="F924",
            message="it is a draft, which says on each page that it is not to be signed",
            address=None,
            hint="write the report without --draft, and sign that",
        )
        raise Refused([diagnostic])


def _titles(pdf: bytes) -> tuple[str, str]:
    """The title of the file, and the one of the decision in it; empty where it is no report of fiche."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(pdf))
        told = reader.metadata.title if reader.metadata is not None else ""
        held = reader.attachments["decision.json"]
        return str(told or ""), str(json.loads(held[0])["title"])
    except (PyPdfError, ValueError, TypeError, LookupError, AttributeError):
        return "", ""
