"""Where in a PDF something differs, in words for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.verify.container import Passage
from fiche.verify.lookalike import named
from fiche.verify.pdf_graph import Apart

_PARTS = {
    "/Metadata": "the metadata (XMP)",
    "/Info": "the document's properties",
    "/Outlines": "the outline at the side",
    "/StructTreeRoot": "the structure that is read aloud",
    "/OutputIntents": "the colour profile",
    "/Names": "the file's list of names",
    "/AF": "the associated files",
    "/AcroForm": "a form",
    "/OCProperties": "layers",
    "/OpenAction": "an action that runs when the file is opened",
    "/AA": "an action that runs by itself",
    "/JavaScript": "a script (JavaScript)",
    "/Annots": "a note, link or stamp on the page",
    "/Contents": "what the page paints",
    "/Resources": "what the page paints with",
    "/XObject": "a picture on the page",
    "/Pages": "the pages",
}


def place_of(difference: Apart) -> str:
    """`page 2: a note, link or stamp on the page`."""
    page = next((part for part in difference.path if part.startswith("page ")), "")
    named = [_PARTS[part] for part in difference.path if part in _PARTS]
    deepest = named[-1] if named else "/".join(part.strip("/") for part in difference.path[-2:])
    return f"{page}: {deepest}" if page and deepest != page else deepest or "the file"


def told(difference: Apart) -> str:
    """The place, and what differs there."""
    return f"{place_of(difference)}: {difference.text}"


def other_words(theirs: Sequence[Passage], ours: Sequence[Passage]) -> Iterator[str]:
    """The first words of each page that are others than those rendered, both of them."""
    for one, other in zip(theirs, ours, strict=False):
        if one.lines != other.lines:
            yield f"{one.place}: {first_difference(one.lines, other.lines)}"
    if len(theirs) != len(ours):
        yield f"{len(theirs)} pages, rendered as {len(ours)}"


def first_difference(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """The first line that differs, as it stands and as it is rendered."""
    for one, other in zip(theirs, ours, strict=False):
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
            start = max(0, at - 30)
            told = f"'{_cut(one, start)}' stands there, where the decision gives '{_cut(other, start)}'"
            return f"{told}{named(one, other, at)}"
    more = len(theirs) > len(ours)
    line = (theirs if more else ours)[min(len(theirs), len(ours))]
    return f"'{_cut(line, 0)}' {'stands there, and is not rendered' if more else 'is missing'}"


def _cut(text: str, start: int) -> str:
    room = 90
    return f"{'…' if start else ''}{text[start : start + room]}{'…' if len(text) > start + room else ''}"


def flow(passages: Sequence[Passage]) -> list[str]:
    """All words in their order, without the lines that stand on every page: page breaks say nothing."""
    everywhere = set.intersection(*(set(one.lines) for one in passages)) if passages else set()
    return [
        word
        for one in passages
        for line in one.lines
        if line not in everywhere
        for word in line.split()
    ]
