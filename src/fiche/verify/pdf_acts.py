"""What acts in a PDF, or hides in it: no report has any of it, whatever version wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiche.verify.bounds import parsed
from fiche.verify.pdf_objects import Reader, at, decoded, objects, page_of, resolved, root_of, value

_CATALOG = {
    "/OpenAction": "an action runs when the file is opened",
    "/AA": "actions run by themselves",
    "/AcroForm": "it has a form",
    "/OCProperties": "it has layers",
    "/Collection": "it shows its attached files in its place",
}
_ACTIONS = (
    "/JavaScript",
    "/Launch",
    "/URI",
    "/GoToR",
    "/GoToE",
    "/SubmitForm",
    "/ImportData",
    "/Rendition",
)
_UNPAINTED = re.compile(rb"(?<![\d.])[37]\s+Tr\b")


def acts(reader: Reader) -> Iterator[str]:
    """Each of them in words."""
    root = root_of(reader)
    yield from (text for key, text in _CATALOG.items() if key in root)
    if value(value(root, "/Names"), "/JavaScript") is not None:
        yield "it has scripts (JavaScript)"
    kinds: set[str] = set()
    for number, generation in objects(reader):
        thing = at(reader, number, generation)
        if isinstance(thing, dict) and value(thing, "/S") in _ACTIONS:
            kinds.add(str(value(thing, "/S")).removeprefix("/"))
    yield from (f"a link or part of it acts: {kind}" for kind in sorted(kinds))
    for number in range(parsed(lambda: len(reader.pages))):
        yield from _of_page(page_of(reader, number), number + 1)


def _of_page(page: object, number: int) -> Iterator[str]:
    for one in value(page, "/Annots") or []:
        kind = str(value(resolved(one), "/Subtype"))
        if kind != "/Link":
            yield f"page {number}: a note or stamp ({kind.removeprefix('/')}) lies on it"
        elif "/A" in resolved(one):
            yield f"page {number}: a link acts instead of leading to a place"
    if "/AA" in page:  # type: ignore[operator]
        yield f"page {number}: actions run by themselves"
    contents = value(page, "/Contents")
    parts = contents if isinstance(contents, list) else [contents]
    for one in parts:
        if resolved(one) is not None and _UNPAINTED.search(decoded(resolved(one))):
            yield f"page {number}: it has text that is not painted"
