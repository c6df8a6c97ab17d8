"""What WeasyPrint 70 leaves to mend in a PDF's structure before it is written.

It lists each attached file twice, finds relationships by content (two equal files share one), and
gives table headings no scope, which readers of the structure need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pydyf

from fiche.render.attachment import Attachment


def mend(pdf: Any, attachments: Sequence[Attachment]) -> None:
    """Change the objects of a `pydyf.PDF` in place."""
    _files(pdf, {a.name: a.relationship for a in attachments})
    _scopes(pdf)


def _files(pdf: Any, relationships: dict[str, str]) -> None:
    if "AF" in pdf.catalog:
        pdf.catalog["AF"] = pydyf.Array(list(dict.fromkeys(pdf.catalog["AF"])))
    for thing in pdf.objects:
        if isinstance(thing, dict) and thing.get("Type") == "/Filespec":
            relationship = relationships.get(str(thing["UF"].string), "Unspecified")
            thing["AFRelationship"] = f"/{relationship}"


def _scopes(pdf: Any) -> None:
    for thing in pdf.objects:
        if isinstance(thing, dict) and thing.get("S") == "/TH" and "A" in thing:
            thing["A"]["Scope"] = "/Column" if _in_head(pdf, thing) else "/Row"


def _in_head(pdf: Any, thing: Any) -> bool:
    """True for a cell of a table's head, two levels up."""
    row = _parent(pdf, thing)
    body = _parent(pdf, row) if row is not None else None
    return body is not None and body.get("S") == "/THead"


def _parent(pdf: Any, thing: Any) -> Any:
    reference = thing.get("P")
    if reference is None:
        return None
    found = pdf.objects[int(str(reference, "ascii").split()[0] if isinstance(reference, bytes) else reference.split()[0])]
    return found if isinstance(found, dict) else None
