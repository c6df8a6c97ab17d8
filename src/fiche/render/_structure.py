"""What WeasyPrint 70 leaves to mend in a PDF's structure before it is written.

It lists each attached file twice, finds relationships by content (two equal files share one), and
gives table headings no scope, which readers of the structure need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pydyf

from fiche.render.attachment import Attachment

# Of pydyf, which has no types: the document, and the dictionaries in it.
Pdf: TypeAlias = Any


def mend(pdf: Pdf, attachments: Sequence[Attachment]) -> None:
    """Change the objects of a `pydyf.PDF` in place."""
    _files(pdf, {a.name: a.relationship for a in attachments})
    _scopes(pdf)


def _files(pdf: Pdf, relationships: dict[str, str]) -> None:
    if "AF" in pdf.catalog:
        pdf.catalog["AF"] = pydyf.Array(list(dict.fromkeys(pdf.catalog["AF"])))
    for thing in pdf.objects:
        if isinstance(thing, dict) and thing.get("Type") == "/Filespec":
            relationship = relationships.get(str(thing["UF"].string), "Unspecified")
            thing["AFRelationship"] = f"/{relationship}"


def _scopes(pdf: Pdf) -> None:
    for thing in pdf.objects:
        if isinstance(thing, dict) and thing.get("S") == "/TH" and "A" in thing:
            thing["A"]["Scope"] = "/Column" if _in_head(pdf, thing) else "/Row"


def _in_head(pdf: Pdf, thing: Pdf) -> bool:
    """True for a cell of a table's head, two levels up."""
    row = _parent(pdf, thing)
    body = _parent(pdf, row) if row is not None else None
    return body is not None and body.get("S") == "/THead"


def _parent(pdf: Pdf, thing: Pdf) -> Pdf:
    """The element above, which a reference such as `12 0 R` leads to."""
    if "P" not in thing:
        return None
    reference = thing["P"]
    text = reference.decode("ascii") if isinstance(reference, bytes) else str(reference)
    found = pdf.objects[int(text.split()[0])]
    return found if isinstance(found, dict) else None
