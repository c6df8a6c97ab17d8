"""The shapes of a PDF's letters against those of fiche's own faces: a 4 drawn as a 1 still reads as a 4.

Other versions of what lays pages out number the letters of a face otherwise and keep their outlines. So each
letter is looked up by what it is read as, and has to have an outline that it has in the file rendered here.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any, TypeAlias

from fiche.verify.bounds import parsed
from fiche.verify.pdf_objects import Reader, Thing, at, decoded, objects, resolved, value

Outlines: TypeAlias = dict[tuple[str, str], set[str]]
# Of fontTools, which comes with what renders a PDF.
Face: TypeAlias = Any

_ONE = re.compile(rb"<([0-9A-Fa-f]{4})>\s*<([0-9A-Fa-f]{4,32})>")
_SHOWN = 3


def other_letters(theirs: Reader, ours: Reader) -> Iterator[str]:
    """Letters that have another shape than they are rendered with, a line for each face."""
    (here, foreign), (there, strange) = outlines(ours), outlines(theirs)
    if strange and not foreign:
        yield f"a face is kept in another form than fiche's own are: nobody can tell its letters ({strange[0]})"
    anywhere: dict[str, set[str]] = defaultdict(set)
    for (_, letter), shapes in here.items():
        anywhere[letter] |= shapes
    found: dict[str, list[str]] = defaultdict(list)
    for (face, letter), shapes in sorted(there.items()):
        known = here.get((face, letter)) or anywhere.get(letter)
        if known is not None and not shapes <= known:
            found[face].append(letter)
    for face, letters in found.items():
        shown = ", ".join(f"'{each}'" for each in letters[:_SHOWN])
        more = f" and {len(letters) - _SHOWN} more" if len(letters) > _SHOWN else ""
        yield f"letters have another shape than those of fiche's own face {face}: {shown}{more}"


def outlines(reader: Reader) -> tuple[Outlines, list[str]]:
    """The shapes of each letter by its face; and faces in another form than fiche's own, which are TrueType."""
    found: Outlines = defaultdict(set)
    strange = []
    for number, generation in objects(reader):
        font = at(reader, number, generation)
        kind = value(font, "/Subtype")
        if value(font, "/Type") != "/Font" or kind == "/CIDFontType2":
            continue
        letters = list(_letters(font)) if kind == "/Type0" else []
        if not letters:
            strange.append(_name(font))
        for letter, shape in letters:
            found[_name(font), letter].add(shape)
    return found, strange


def _name(font: Thing) -> str:
    return str(value(font, "/BaseFont") or "").removeprefix("/").rpartition("+")[2]


def _letters(font: Thing) -> Iterator[tuple[str, str]]:
    below = value(font, "/DescendantFonts") or []
    descriptor = value(resolved(below[0]), "/FontDescriptor") if below else None
    file, words = value(descriptor, "/FontFile2"), value(font, "/ToUnicode")
    if file is None or words is None or value(font, "/Encoding") != "/Identity-H":
        return
    told = decoded(words)
    if b"beginbfrange" in told or value(resolved(below[0]), "/CIDToGIDMap") != "/Identity":
        return
    face = parsed(lambda: _face(decoded(file)))
    names, shapes = face.getGlyphOrder(), face.getGlyphSet()
    for number, letter in _ONE.findall(told):
        place = int(number, 16)
        if place < len(names):
            text = bytes.fromhex(letter.decode()).decode("utf-16-be", "replace")
            yield text, parsed(partial(_shape, shapes, names[place]))


def _face(content: bytes) -> Face:
    from fontTools.ttLib import TTFont

    return TTFont(io.BytesIO(content), lazy=True)


def _shape(shapes: Face, name: str) -> str:
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    pen = DecomposingRecordingPen(shapes)
    shapes[name].draw(pen)
    return repr(pen.value)
