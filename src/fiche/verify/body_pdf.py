"""Step 6 of a PDF: its pages are those that the decision gives, with nothing painted, hung or hidden beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fiche.verify.container import Container
from fiche.verify.pdf_graph import Apart, apart
from fiche.verify.pdf_letters import other_letters
from fiche.verify.pdf_places import flow, other_words, place_of, told
from fiche.verify.step import Sheet

_MOST, _ONE = 8, 2


def pdf_body(sheet: Sheet, theirs: Container, ours: Container) -> None:
    """Compare a PDF with another one that was rendered anew; `drawn_with` says whether bytes must be equal."""
    same = drawn_with(theirs) == drawn_with(ours)
    words = list(other_words(theirs.passages, ours.passages))
    moved = not same and bool(words) and flow(theirs.passages) == flow(ours.passages)
    for text in [] if moved else words[:_MOST]:
        sheet.fault("F911", text)
    found = list(apart(theirs.own["reader"], ours.own["reader"]))
    for text in _strange(found, words, same=same):
        sheet.fault("F912", text)
    if same and not sheet.faults:
        sheet.fault("F912", _somewhere(theirs.content, ours.content))
    if not same:
        for text in other_letters(theirs.own["reader"], ours.own["reader"]):
            sheet.fault("F912", text)
        _not_proven(sheet, theirs, ours, found)


def drawn_with(container: Container) -> str:
    """The programs that laid out the pages, as the file says; empty where it does not."""
    return next((text for _, text in container.digests.get("drawn_with", ())), "")


def _strange(found: Sequence[Apart], words: Sequence[str], *, same: bool) -> Iterator[str]:
    """What is told of the differences: each place once; the words of a page are told already."""
    pages = {text.partition(":")[0] for text in words}
    shown: dict[str, list[str]] = {}
    for one in found:
        if (one.soft and not same) or _of_words(one, pages):
            continue
        here = shown.setdefault(place_of(one), [])
        if told(one) not in here:
            here.append(told(one))
    for place in list(shown)[:_MOST]:
        yield from shown[place][:_ONE]
        if len(shown[place]) > _ONE:
            yield f"{place}: and {len(shown[place]) - _ONE} more differences there"
    if len(shown) > _MOST:
        yield f"and {len(shown) - _MOST} more places"


def _of_words(one: Apart, pages: set[str]) -> bool:
    """The painting of a page whose other words were told."""
    return bool(one.path) and one.path[0] in pages and one.path[-1] == "/Contents"


def _somewhere(one: bytes, other: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    at = at if at >= 0 else min(len(one), len(other))
    return (
        f"its pages, words and files are the same, but the bytes differ from byte {at + 1} on ({len(one)} "
        f"bytes, rendered as {len(other)}): another program wrote the file again, or something was changed "
        "where nothing is painted; ask for the file as fiche wrote it"
    )


def _not_proven(sheet: Sheet, theirs: Container, ours: Container, found: Sequence[Apart]) -> None:
    then, now = (
        drawn_with(theirs) or theirs.maker or "programs that it does not name",
        drawn_with(ours),
    )
    soft = sum(one.soft for one in found)
    sheet.unproven(
        f"it was laid out by {then}, here by {now}: the same words, in the same steps and colours; that every "
        f"distance and letter is as it was ({soft} places differ) is not proven"
    )
