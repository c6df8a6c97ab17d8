"""What became of files that were attached, in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.cli.attach import Attached, Edit
from fiche.cli.attach_diff import diff_lines, painted
from fiche.cli.attach_entry import UNVOUCHED
from fiche.cli.documents_text import document_text
from fiche.cli.redactions_text import redactions
from fiche.cli.terminal import paragraph
from fiche.load.pieces import DOCUMENT_KINDS
from fiche.render.visible import visible

_SHORT = 12


def edit_text(edit: Edit, *, written: bool, colour: bool) -> str:
    """Each file, the change of the fiche, and whether it was written."""
    parts = ["".join(_piece(piece)) for piece in edit.pieces]
    lines = diff_lines(edit.old, edit.new, str(edit.fiche))
    if lines:
        parts.append(painted(lines, colour=colour))
    parts.append("".join(paragraph(visible(line)) for line in _outcome(edit, written)))
    return "\n".join(parts)


def _piece(piece: Attached) -> Iterator[str]:
    one = piece.received
    yield paragraph(f"{visible(one.shown)}: {_what(piece)}")
    if piece.again:
        same = f"{piece.place.file}, sha256 {one.sha256[:_SHORT]}…"
        yield paragraph(
            f"attached already as '{piece.again}' ({same}): not added again", indent="  "
        )
        return
    yield paragraph(f"piece '{piece.id}', {piece.place.file}", indent="  ")
    yield f"  sha256 {one.sha256}, {len(one.content)} bytes\n"
    if one.redacted is not None:
        plain = "" if one.replaced or one.sha256 == one.original else "; stored as plain text"
        yield paragraph(f"redacted: {redactions(one.redacted)}{plain}", indent="  ")
    if one.sha256 != one.original:
        kept = f"the file as received has the sha256 {one.original}: it stays where it is, and is not copied"
        yield paragraph(kept, indent="  ")
    if piece.facts.alike:
        yield paragraph(f"{_facts(piece.facts.alike)} as the fiche says", indent="  ")
    if piece.unvouched:
        yield paragraph(UNVOUCHED, indent="  ")
    for difference in piece.facts.differences:
        yield paragraph(f"differs: {difference}", indent="  ")
    yield from document_text(one.reading)
    if piece.to_complete:
        yield paragraph(f"to complete: {', '.join(piece.to_complete)}", indent="  ")
    if piece.alike is not None:
        yield paragraph(f"warning: {piece.alike.told}", indent="  ")
    for warning in one.reading.warnings:
        yield paragraph(f"warning: {warning}", indent="  ")


def _what(piece: Attached) -> str:
    """The kind of the file, and how much it says."""
    reading = piece.received.reading
    if reading.kind in DOCUMENT_KINDS:
        return f"{reading.kind}, read by people"
    counts = {
        "failure": len(reading.failures),
        "figure": len(reading.observations) + sum(len(run.observations) for run in reading.runs),
        "planned figure": len(reading.planned),
        "capacit": len(reading.capacities),
        "result": len(reading.results),
    }
    told = [f"{count} {_noun(noun, count)}" for noun, count in counts.items() if count]
    return ", ".join([reading.kind, *told])


def _noun(noun: str, count: int) -> str:
    if noun == "capacit":
        return "capacity" if count == 1 else "capacities"
    return noun if count == 1 else f"{noun}s"


def _facts(count: int) -> str:
    return f"{count} {_noun('fact', count)}"


def _outcome(edit: Edit, written: bool) -> Iterator[str]:
    if edit.old == edit.new:
        yield f"{edit.fiche}: nothing to add"
    elif not written:
        yield "dry run: nothing was written"
    else:
        for file in edit.files:
            yield f"written: {edit.fiche.parent / file}"
        yield f"written: {edit.fiche}"


def edit_json(edit: Edit, *, written: bool) -> dict[str, object]:
    """The same for programs; the readings themselves stand beside it."""
    return {
        "fiche": str(edit.fiche),
        "written": written and edit.old != edit.new,
        "diff": "".join(f"{line}\n" for line in diff_lines(edit.old, edit.new, str(edit.fiche))),
        "pieces": [_piece_json(piece) for piece in edit.pieces],
    }


def _piece_json(piece: Attached) -> dict[str, object]:
    one = piece.received
    return {
        "id": piece.id,
        "file": piece.place.file,
        "sha256": one.sha256,
        "added": not piece.again,
        "copied": piece.place.is_new,
        "redacted": dict(one.replaced),
        "received_sha256": one.original,
        "agrees": piece.facts.alike,
        "differs": list(piece.facts.differences),
        "to_complete": list(piece.to_complete),
        "unvouched": piece.unvouched,
        **({} if piece.alike is None else {"same_text_as": piece.alike.id}),
    }
